"""MJCF that is malformed, contradicts itself or wants too much is an Error that says where, and soon."""

import resource

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, BALL, mjcf
from mjcf_fields import our_fields

TWO_CLASSES = '<default><default class="x"/><default class="x"/></default>'

REFUSED = {
    "nothing": (" ", "no such file"),
    "no XML": ("<mujoco><worldbody></mujoco>", "MJCF:1"),
    "cut off": ("<mujoco><worldbody><geom size='.1'", "MJCF:1"),
    "another root": ("<robot/>", "expected <mujoco>"),
    "unknown element": ("<mujoco>\n\n<wurld/></mujoco>", "MJCF:3: <wurld>"),
    "unknown attribute": (
        "<mujoco><worldbody>\n<geom sise='.1'/></worldbody></mujoco>", "MJCF:2: <geom>: attribute 'sise'"
    ),
    "twice": (mjcf('<geom size=".1" size=".2"/>'), "twice"),
    "too few": (mjcf('<geom size=".1" pos="1 2"/>'), "expected 3 numbers, has 2"),
    "too many": (mjcf('<geom size=".1 .2 .3 .4"/>'), "expected 1 to 3 numbers, has 4"),
    "no numbers": (mjcf('<geom size=""/>'), "has 0"),
    "not a number": (mjcf('<geom size=".1x"/>'), "'.1x' is not a number"),
    "nan": (mjcf('<geom size=".1" pos="nan 0 0"/>'), "not finite"),
    "inf": (mjcf('<geom size="inf"/>'), "not finite"),
    "overflow": (mjcf('<geom size="1e999"/>'), "1e999"),
    "not an integer": (mjcf('<geom size=".1" group="1.5"/>'), "not an integer"),
    "huge integer": (mjcf('<geom size=".1" group="1e12"/>'), "not an integer"),
    "another word": (mjcf('<geom size=".1" type="cone"/>'), "'cone' is none of"),
    "condim": (mjcf('<geom size=".1" condim="2"/>'), "condim"),
    "size of 0": (mjcf('<geom size="0"/>'), "must be positive"),
    "mass below 0": (mjcf('<geom size=".1" mass="-1"/>'), "negative"),
    "no class": (mjcf('<geom size=".1" class="x"/>'), "no default class 'x'"),
    "no childclass": (mjcf('<body childclass="x"/>'), "no default class 'x'"),
    "class twice": (f"<mujoco>{TWO_CLASSES}</mujoco>", "'x' is given twice"),
    "nameless class": ("<mujoco><default><default/></default></mujoco>", "'class': is missing"),
    "name twice": (mjcf('<geom name="x" size=".1"/><geom name="x" size=".1"/>'), "'x' is given twice"),
    "joint in the world": (mjcf("<joint/>"), "<joint>"),
    "free joint below": (mjcf(f"<body><body><freejoint/>{BALL}</body></body>"), "free joint"),
    "axis of 0": (mjcf(f'<body><joint axis="0 0 0"/>{BALL}</body>'), "axis"),
    "range falls": (mjcf(f'<body><joint limited="true" range="2 1"/>{BALL}</body>'), "range"),
    "no mass": (mjcf("<body><freejoint/></body>"), "mass"),
    "triangle of inertia": (
        mjcf('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body>'), "balanceinertia"
    ),
    "quat of 0": (mjcf('<geom size=".1" quat="0 0 0 0"/>'), "zero"),
    "zaxis of 0": (mjcf('<geom size=".1" zaxis="0 0 0"/>'), "too short"),
    "fromto of a sphere": (mjcf('<geom size=".1" fromto="0 0 0 1 1 1"/>'), "fromto"),
    "fromto of a point": (mjcf('<geom type="capsule" size=".1" fromto="1 1 1 1 1 1"/>'), "the same"),
    "plane that moves": (mjcf(f'<body><freejoint/>{BALL}<geom type="plane" size="1 1 1"/></body>'), "plane"),
    "actuator of nothing": (mjcf(ARM, "", "<actuator><motor/></actuator>"), "drives"),
    "actuator of no joint": (mjcf(ARM, "", '<actuator><motor joint="x"/></actuator>'), "no joint 'x'"),
    "two targets": (mjcf(ARM, "", '<actuator><motor joint="ja" site="sa"/></actuator>'), "together"),
    "tendon without a path": (mjcf(ARM, "", "<tendon><spatial/></tendon>"), "path"),
    "pulley at the end": (
        mjcf(ARM, "", '<tendon><spatial><site site="sa"/><site site="sb"/><pulley divisor="2"/></spatial></tendon>'),
        "pulley",
    ),
    "weld of no body": (mjcf(ARM, "", '<equality><weld body1="x"/></equality>'), "no body 'x'"),
    "pair of no geom": (mjcf(ARM, "", '<contact><pair geom1="x" geom2="ga"/></contact>'), "no geom 'x'"),
    "eulerseq": ('<mujoco><compiler eulerseq="abc"/></mujoco>', "eulerseq"),
    "no copies": (mjcf(f'<replicate count="0">{BALL}</replicate>'), "count"),
    "10^9 copies": (mjcf(f'<replicate count="1000000000">{BALL}</replicate>'), "limits.elements"),
    "copies of copies": (mjcf('<replicate count="9999">' * 9 + BALL + "</replicate>" * 9), "limits.elements"),
    "deep": (mjcf("<body>" * 10000 + "</body>" * 10000), "limits.depth"),
    "flex": (mjcf("<flexcomp/>"), "<flexcomp>"),
    "no file": ('<mujoco><include file="nowhere.xml"/></mujoco>', "nowhere.xml"),
    "include of nothing": ("<mujoco><include/></mujoco>", "'file' is missing"),
    "entities": (
        '<!DOCTYPE m [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><mujoco><worldbody><geom size="&b;"/></worldbody></mujoco>',
        "not a number",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name):
    """What is wrong is named."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)


MESH_FILES = {
    "a.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9\n", "vertex 8, there are 4"),
    "b.obj": (b"v 0 0 zero\n", "b.obj:1: 'zero' is not a number"),
    "c.obj": (b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", "not finite"),
    "d.obj": (b"v 0 0 0\nf 0 1 1\n", "'0' is not a vertex"),
    "e.stl": (b"solid text", "too short"),
    "f.stl": (b" " * 80 + b"\xff\xff\xff\xff", "too few for 4294967295 triangles"),
    "g.msh": (b"\xff\xff\xff\x7f" * 4, "do not fit its counts"),
    "h.msh": (b"\xff\xff\xff\xff" * 4, "do not fit its counts"),
    "i.gltf": (b"{}", "OBJ, STL, DAE or MSH"),
}


@pytest.mark.parametrize("name", MESH_FILES)
def test_meshes_that_lie(name, tmp_path):
    """A mesh file that is none, or shorter than it says, is refused before anything is made of it."""
    content, said = MESH_FILES[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "model.xml").write_text(f'<mujoco><asset><mesh name="m" file="{name}"/></asset></mujoco>')
    with pytest.raises(carom.Error) as caught:
        our_fields(tmp_path / "model.xml")
    assert said in str(caught.value)


def test_heights_that_lie(tmp_path):
    (tmp_path / "h.bin").write_bytes(b"\xff\xff\xff\x7f" * 2)
    (tmp_path / "model.xml").write_text('<mujoco><asset><hfield file="h.bin" size="1 1 1 1"/></asset></mujoco>')
    with pytest.raises(carom.Error, match="do not fit its counts"):
        our_fields(tmp_path / "model.xml")


def test_includes_that_meet_themselves(tmp_path):
    """A file is included once, whatever its path is called."""
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco>\n<include file="../{0}/a.xml"/></mujoco>'.format(tmp_path.name))
    with pytest.raises(carom.Error, match="b.xml:2: <include>.*twice"):
        our_fields(tmp_path / "a.xml")


def test_models_that_attach_themselves(tmp_path):
    """... end, too."""
    path = tmp_path / "a.xml"
    path.write_text('<mujoco model="a"><asset><model file="a.xml"/></asset></mujoco>')
    with pytest.raises(carom.Error, match="levels"):
        our_fields(path)


def test_lines_of_included_files(tmp_path):
    """An error stands in the file where it is."""
    (tmp_path / "a.xml").write_text('<mujoco>\n<include file="b.xml"/>\n</mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco>\n\n<worldbody>\n<geom/></worldbody></mujoco>')
    with pytest.raises(carom.Error, match="b.xml:4: <geom>"):
        our_fields(tmp_path / "a.xml")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(carom.Error, match="no such file"):
        our_fields(tmp_path)


def test_what_is_left_out_is_a_warning():
    """Sensors that a user's code fills move nothing, but are not forgotten silently; the others are there."""
    builder = carom.ModelBuilder()
    sensors = '<sensor><jointpos name="q" joint="ja"/><user name="mine" dim="3"/></sensor>'
    with pytest.warns(UserWarning, match="user sensor: sensor 'mine'"):
        builder.add_mjcf(mjcf(ARM, "", sensors))
    assert builder.body_count == 2 and builder.sensor_key == ["q"]
    with pytest.warns(UserWarning, match="MJCF:10: <plugin>: is not supported"):
        carom.ModelBuilder().add_mjcf(mjcf(ARM, "", "<sensor><plugin/></sensor>"))


FEW_WORDS = {
    "laughs": (
        "<!DOCTYPE m [" + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10)) + ']>'
        '<mujoco><worldbody><geom size="&a9;"/></worldbody></mujoco>', "'&a9;' is not a number"
    ),
    "entities of files": (
        '<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + mjcf('<geom size="&a;"/>'),
        "'&a;' is not a number",
    ),
    "a million levels": ("<mujoco>" + "<a>" * 10**6, "MJCF:1"),
    "a million levels that end": (mjcf("<body>" * 10**6 + "</body>" * 10**6), "limits.depth"),
    "attributes": ("<mujoco " + " ".join(f'a{i}=""' for i in range(10**5)) + "/>", "more than 1000 attributes"),
    "elements": ("<mujoco>" + "<a/>" * (25 * 10**5) + "</mujoco>", "limits.elements"),
    "signs of elements": ("<mujoco>" + "<a b=''" * (21 * 10**6) + "</mujoco>", "limits.elements"),
    "a default of many numbers": (
        f'<mujoco><default><geom user="{"1 " * 1001}"/></default></mujoco>', "more than 1000 numbers"
    ),
    "a long name": (mjcf(f'<body name="{"x" * 5000}"/>'), "more than 4096 characters"),
    "heights": (
        '<mujoco><asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset></mujoco>',
        "MJCF:1: <hfield>: asks for 10000000000 numbers",
    ),
    "samples": (
        mjcf(ARM, "", '<actuator><motor joint="ja" delay="1" nsample="2000000000"/></actuator>'), "limits.numbers"
    ),
    "a mass matrix": (
        mjcf(f'<body><freejoint/>{BALL}<replicate count="10000"><body><joint/>{BALL}</body></replicate></body>'),
        "mass matrix at qpos0",
    ),
    "geoms that stand still": (mjcf(f'<replicate count="9000">{BALL}</replicate>'), "stand still"),
    "geoms that collide": (
        mjcf(f'<replicate count="70000"><body><freejoint/>{BALL}</body></replicate>'), "70000 geoms collide"
    ),
}


@pytest.mark.parametrize("name", FEW_WORDS)
def test_few_words_that_ask_for_much(name):
    """They end with an Error that says what was too much, long before memory or patience does."""
    text, said = FEW_WORDS[name]
    with pytest.raises(carom.Error) as caught:
        carom.ModelBuilder().add_mjcf(text)
    assert said in str(caught.value)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kB
    assert resident < 3 * 2**20


def test_many_copies_of_what_is_attached(tmp_path):
    """Copies of another model's body count, too; those of a model that includes many count in it."""
    (tmp_path / "part.xml").write_text(mjcf('<body name="b">' + BALL * 1000 + "</body>"))
    asset = '<asset><model name="m" file="part.xml"/></asset>'
    copies = '<replicate count="1000000"><attach model="m" body="b" prefix="p"/></replicate>'
    (tmp_path / "attached.xml").write_text(mjcf(copies, asset))
    (tmp_path / "copies.xml").write_text(mjcf(f'<replicate count="1000000000">{BALL}</replicate>'))
    (tmp_path / "included.xml").write_text('<mujoco><include file="copies.xml"/></mujoco>')
    nested = '<mujoco><asset><model name="c" file="copies.xml"/></asset></mujoco>'
    (tmp_path / "nested.xml").write_text(nested)
    for name in ("attached", "included", "nested"):
        with pytest.raises(carom.Error, match=r".xml:1: <\w+>: .*limits.elements"):
            our_fields(tmp_path / f"{name}.xml")


OUT_OF_RANGE = {
    "timestep": (mjcf(BALL, '<option timestep="0"/>'), "timestep must be positive"),
    "impratio": (mjcf(BALL, '<option impratio="-1"/>'), "impratio must be positive"),
    "density": (mjcf(BALL, '<option density="-1"/>'), "density must not be negative"),
    "noslip": (mjcf(BALL, '<option noslip_iterations="-5"/>'), "noslip_iterations must not be negative"),
    "damping": (mjcf(f'<body><joint name="j" damping="-1"/>{BALL}</body>'), "damping must not be negative"),
    "friction": (mjcf('<geom size=".1" friction="-1"/>'), "mu must not be negative"),
    "mass overflows": (mjcf('<body><freejoint/><geom size="1e200"/></body>'), "mass is inf"),
    "mass vanishes": (mjcf('<body><freejoint/><geom size="1e-200"/></body>'), "must be positive"),
    "couples itself": (mjcf(ARM, "", '<equality><joint joint1="ja" joint2="ja"/></equality>'), "to itself"),
    "welds itself": (mjcf(ARM, "", '<equality><weld body1="a" body2="a"/></equality>'), "to itself"),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_numbers_out_of_range(name, tmp_path):
    """What the builder refuses is refused with the name of the file."""
    text, said = OUT_OF_RANGE[name]
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(carom.Error, match="robot.xml:") as caught:
        carom.load_mjcf(path)
    assert said in str(caught.value)


def test_heights_whose_counts_overflow(tmp_path):
    """Found by the fuzzer: four times rows times columns is more than 64 bits hold."""
    (tmp_path / "h.bin").write_bytes(b"\xff\xff\xff\x7f" * 4)
    (tmp_path / "model.xml").write_text('<mujoco><asset><hfield file="h.bin" size="1 1 1 1"/></asset></mujoco>')
    with pytest.raises(carom.Error, match="do not fit its counts"):
        our_fields(tmp_path / "model.xml")


def test_names_that_grow_with_every_level():
    """Each copy has the separators of all that it is in: few elements, and many bytes."""
    levels = "".join(f'<replicate count="1" sep="{"x" * 4000}">' for _ in range(200))
    many = f'<replicate count="1000"><body name="b">{BALL}</body></replicate>'
    with pytest.raises(carom.Error, match=r"MJCF:1: <replicate>: copies take more than .*limits.bytes"):
        our_fields(mjcf(levels + many + "</replicate>" * 200))


def test_assets_that_are_attached_many_times(tmp_path):
    """Every attachment brings meshes and default classes of its own."""
    vertices = "0 0 0 1 0 0 0 1 0 0 0 1 " * 1000
    mesh = f'<asset><mesh name="m" vertex="{vertices}"/></asset>'
    (tmp_path / "part.xml").write_text(mjcf(f'<body name="b">{BALL}</body>', mesh))
    attachments = "".join(f'<attach model="m" body="b" prefix="p{i}"/>' for i in range(5000))
    (tmp_path / "all.xml").write_text(mjcf(attachments, '<asset><model name="m" file="part.xml"/></asset>'))
    with pytest.raises(carom.Error, match=r"all.xml:1: <attach>: .*limits.bytes"):
        our_fields(tmp_path / "all.xml")
