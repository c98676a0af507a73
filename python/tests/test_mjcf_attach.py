"""<attach> and <replicate>: parts of models put elsewhere, with what refers to them, as MuJoCo does it."""

import re

import pytest

import carom.f64 as carom

from mjcf_cases import BALL, mjcf
from mjcf_fields import differences, our_fields, our_warnings
from mujoco_states import mujoco

CHILD = """
<mujoco model="child"><compiler {compiler}/>{option}
<default><geom friction=".7"/><default class="k"><geom friction=".3"/></default></default>
<asset><mesh name="tet" vertex="0 0 0 1 0 0 0 2 0 0 0 3" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
<mesh name="wide" file="wide.obj"/>
<hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3 4"/></asset>
<worldbody><geom name="cw" size=".3" class="k"/><geom type="hfield" hfield="hills"/>
<body name="a" pos="1 0 0" euler="0 .3 1"><joint name="j" range="-1 1"/><geom name="g" size=".1"/><site name="s"/>
<geom type="mesh" mesh="wide"/>
<body name="b" pos="1 0 0"><joint name="j2"/><geom name="h" type="mesh" mesh="tet"/>
<inertial mass="2" pos="1 0 0" diaginertia="1 1 {last}"/></body></body>
<frame pos="7 0 0"><frame name="F" pos="0 0 5" euler="1 0 0"><body name="z" pos="0 1 0"><joint name="jz"/>
<geom name="gz" size=".1" group="3"/><geom size=".02" pos="1 0 0"/><site name="sz"/><body pos="1 1 1">
<geom size=".01"/></body></body><geom name="gF" size=".2"/><site name="sF" pos="1 0 0"/></frame></frame>
<body name="loose" pos="0 0 9"><freejoint/><geom type="box" size=".1 .2 .3" pos="1 0 0"/></body></worldbody>
<contact><pair name="p" geom1="g" geom2="h"/><pair name="pz" geom1="g" geom2="gz"/>
<exclude name="x" body1="a" body2="b"/><exclude name="xz" body1="a" body2="z"/>
<exclude name="xw" body1="a" body2="world"/></contact>
<equality><weld name="w" body1="a" body2="b"/><weld name="wz" body1="a"/><weld name="w2" body1="a" body2="z"/>
<joint name="e" joint1="j"/><joint name="e2" joint1="j" joint2="jz"/><connect site1="s" site2="sz"/>
<tendon tendon1="t"/><tendon tendon1="t" tendon2="tz"/></equality>
<tendon><fixed name="t" range="-1 1"><joint joint="j" coef="1"/><joint joint="j2" coef="1"/></fixed>
<fixed name="tz"><joint joint="j" coef="1"/><joint joint="jz" coef="1"/></fixed>
<spatial name="sp"><site site="s"/><site site="sz"/></spatial></tendon>
<actuator><motor name="m" joint="j" ctrlrange="-1 1"/><motor name="mz" joint="jz"/><motor name="mt" tendon="t"/>
<motor name="mtz" tendon="tz"/><motor name="ms" site="s" refsite="sz"/><adhesion body="a" ctrlrange="0 1"/></actuator>
</mujoco>"""

WIDE = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1.5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def parent(bodies: str, before: str = "", after: str = "") -> str:
    return mjcf(
        f"""<body name="P" pos="0 0 1"><joint name="jP"/><geom name="gP" size=".1"/><site name="sP"/></body>{bodies}""",
        f'{before}<asset><model name="c" file="parts/child.xml"/></asset>',
        f'{after}<actuator><motor name="own" joint="jP"/></actuator>',
    )


@pytest.fixture(name="write")
def write_fixture(tmp_path):
    """Writes a model, and the child that it attaches into a folder of its own."""

    def write(text, compiler='angle="radian"', option=""):
        parts = tmp_path / "parts"
        parts.mkdir(exist_ok=True)
        (parts / "wide.obj").write_text(WIDE)
        last = 3 if "balance" in compiler else 1.5
        (parts / "child.xml").write_text(CHILD.format(compiler=compiler, option=option, last=last))
        (tmp_path / "model.xml").write_text(text)
        return tmp_path / "model.xml"

    return write


def same_as_mujoco(path):
    return differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path)))


ATTACHED = {
    "body": '<attach model="c" body="a" prefix="p_"/>',
    "body in a body": '<body name="Q" pos="1 2 3" euler="40 50 60"><attach model="c" body="a" prefix="p_"/></body>',
    "body in a frame": '<frame pos="1 2 3" euler="40 50 60"><attach model="c" body="a" prefix="p_"/></frame>',
    "body that stands in a frame": '<attach model="c" body="z" prefix="p_"/>',
    "frame": '<attach model="c" frame="F" prefix="p_"/>',
    "frame in a frame": '<frame pos="1 2 3" euler="40 50 60"><attach model="c" frame="F" prefix="p_"/></frame>',
    "whole model": '<attach model="c" prefix="p_"/>',
    "whole model in a body": '<body name="Q" pos="1 2 3"><frame euler="40 50 60"><attach model="c" frame="F" '
    'prefix="p_"/></frame></body>',
    "no prefix": '<attach model="c" body="a" prefix=""/>',
    "twice": '<attach model="c" body="a" prefix="p_"/><attach model="c" body="a" prefix="q_"/>',
    "its classes": '<attach model="c" body="a" prefix="p_"/><geom class="p_k" size=".1"/>',
    "the model itself": '<attach body="P" prefix="q_"/>',
    "itself inside itself": f'<body name="me"><joint/>{BALL}<attach body="me" prefix="q_"/></body>',
    "a frame of the model itself": '<body name="B"><frame pos="1 1 1"><frame name="f" pos="1 2 3" euler="40 50 60">'
    f'<joint name="hinge"/>{BALL}<site/></frame></frame></body><body name="C" pos="0 0 1"><frame euler="10 20 30">'
    '<attach frame="f" prefix="z_"/></frame></body><body><attach frame="z_f" prefix="y_"/></body>',
    "copies": '<replicate count="2" offset="1 0 0" euler="0 0 30"><attach model="c" body="a" prefix="p_"/></replicate>',
    "copies of frames": '<replicate count="2" offset="1 0 0"><frame name="f" pos="1 2 3"><body name="A" pos="1 0 0">'
    f'{BALL}</body>{BALL}</frame></replicate><frame euler="10 20 30"><attach frame="f1" prefix="z_"/></frame>',
}


@pytest.mark.parametrize("name", ATTACHED)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_attached(name, write):
    """Bodies, frames and models come with what refers to them alone, and with all assets."""
    assert same_as_mujoco(write(parent(ATTACHED[name]))) == []


COMPILERS = (
    'angle="degree"', 'angle="radian" autolimits="true"', 'inertiafromgeom="true"', 'inertiagrouprange="0 2"',
    'boundmass="50"', 'boundinertia="60"', 'balanceinertia="true"', 'alignfree="true"', 'settotalmass="100"',
    'eulerseq="ZYX"', 'meshdir="."',
)  # fmt: skip


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("where", ("parent", "child"))
def test_each_model_is_compiled_by_its_own_rules(compiler, where, write):
    """... whatever the other one says."""
    before = f"<compiler {compiler}/>" if where == "parent" else ""
    text = parent('<attach model="c" prefix="p_"/>', before)
    assert same_as_mujoco(write(text, compiler if where == "child" else 'angle="radian"')) == []


def test_limits_that_are_said(write):
    """A child without autolimits must say whether a range limits; the parent's rule does not matter."""
    text = parent('<attach model="c" prefix="p_"/>', '<compiler autolimits="false"/>')
    assert same_as_mujoco(write(text)) == []
    with pytest.raises(carom.Error, match="child.xml.*autolimits"):
        our_fields(write(text, 'autolimits="false"'))


OPTIONS = (
    ("warning", '<option timestep=".02"/>',
     '<option timestep=".01" gravity="0 0 -1"><flag contact="disable"/></option>'),
    ("merge", '<option timestep=".02"><flag gravity="disable"/></option>',
     '<option timestep=".01" density="3" cone="elliptic"><flag contact="disable" energy="enable"/></option>'),
    ("merge", '<option noslip_iterations="3"/>', '<option noslip_iterations="2" actuatorgroupdisable="2"/>'),
    ("error", '<option timestep=".02"/>', '<option gravity="0 0 -1"/>'),
)  # fmt: skip


@pytest.mark.parametrize("policy,mine,other", OPTIONS)
def test_options_of_both(policy, mine, other, write):
    """<compiler conflict> says what becomes of a child's options."""
    text = parent('<attach model="c" body="z" prefix="p_"/>', f'<compiler conflict="{policy}"/>{mine}')
    assert same_as_mujoco(write(text, option=other)) == []


@pytest.mark.parametrize("policy", ("merge", "error"))
def test_options_that_contradict(policy, write):
    text = parent('<attach model="c" prefix="p_"/>', f'<compiler conflict="{policy}"/><option gravity="0 0 -2"/>')
    with pytest.raises(carom.Error, match="<attach>: attribute 'model': option 'gravity'"):
        our_fields(write(text, option='<option gravity="0 0 -1"/>'))


def test_what_is_left_out_is_said(write):
    """References to the rest of the child, and its options, are warnings with their lines."""
    path = write(parent('<attach model="c" body="a" prefix="p_"/>'), option='<option density="3"/>')
    lines = our_warnings(path)
    left = sorted(line.split("'")[1] for line in lines if "left out" in line)
    assert left == ["", "", "density", "e2", "ms", "mtz", "pz", "sp", "tz", "w2", "xz"]
    assert any("child.xml:" in line and "<tendon>: 'tz' also refers" in line for line in lines)


BODY = """<body name="a" pos="0 0 1"><joint name="j"/><geom name="g" size=".1"/><site name="s" pos=".1 0 0"/>
<body name="b"><joint name="k" axis="1 0 0"/><geom name="h" size=".2"/><site name="t" pos="1 0 0"/></body></body>"""
OTHER = '<body name="z"><joint name="jz"/><geom name="gz" size=".1"/><site name="sz"/></body>'
REPLICATED = {
    "actuators": '<actuator><motor name="m" joint="j"/><motor name="mz" joint="jz"/><motor joint="k"/></actuator>',
    "actuator of a copy": '<actuator><motor name="m" joint="j1"/></actuator>',
    "tendons": """<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
    <fixed name="f"><joint joint="j1" coef="1"/><joint joint="j0" coef="1"/></fixed>
    <spatial><site site="s"/><site site="t"/><pulley divisor="2"/><site site="s"/><site site="t"/></spatial></tendon>
    <actuator><motor name="m" tendon="t"/><motor tendon="f"/></actuator>""",
    "equalities": """<equality><weld name="w" body1="a" body2="b"/><weld name="wz" body1="a"/>
    <joint name="e" joint1="j" joint2="k"/><connect body1="a0" body2="z" anchor="0 0 0"/></equality>""",
    "contacts": """<contact><pair name="p" geom1="g" geom2="h"/><pair geom1="g1" geom2="gz"/>
    <exclude name="x" body1="a" body2="b"/><exclude name="xw" body1="a" body2="world"/></contact>""",
}


@pytest.mark.parametrize("name", REPLICATED)
@pytest.mark.parametrize("levels", (1, 2))
def test_references_into_replicates(name, levels):
    """What refers to the elements of a replicate alone is copied with them, after all others."""
    inner = BODY if levels == 1 else f'<replicate count="2" sep="-" offset="0 1 0">{BODY}</replicate>'
    references = REPLICATED[name]
    if levels == 2:  # names of copies have two numbers there
        references = re.sub('"([jag])([01])"', r'"\1-0\2"', references)
    text = mjcf(f'<replicate count="2" offset="1 0 0" euler="0 0 40">{inner}</replicate>{OTHER}', "", references)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


REFUSED = {
    "both sides": (mjcf(f'<replicate count="2">{BODY}</replicate>{OTHER}', "",
                        '<equality><joint joint1="j" joint2="jz"/></equality>'), "no joint 'j'"),
    "joint in a replicate": (mjcf('<body><replicate count="2"><frame><joint/></frame></replicate></body>'),
                             "<joint>: in a replicate"),
    "no prefix": (mjcf(f'{OTHER}<attach body="z"/>'), "'prefix': is missing"),
    "nothing": (mjcf(f'{OTHER}<attach prefix="x"/>'), "body or frame is needed"),
    "both": (mjcf(f'{OTHER}<attach prefix="x" body="z" frame="f"/>'), "together with body"),
    "no body": (mjcf('<attach prefix="x" body="z"/>'), "no body 'z'"),
    "later": (mjcf(f'<attach prefix="x" body="z"/>{OTHER}'), "no body 'z'"),
    "no frame": (mjcf('<attach prefix="x" frame="z"/>'), "no frame 'z'"),
    "no model": (mjcf('<attach prefix="x" model="z"/>'), "no model 'z'"),
    "names twice": (mjcf(f'{OTHER}<attach prefix="" body="z"/>'), "'z' is given twice"),
    "too many references": (
        mjcf(f'<replicate count="100000">{OTHER}</replicate>', "",
             "<actuator>" + '<motor joint="jz"/>' * 100 + "</actuator>"), "limits.elements"),
    "long names": (mjcf(f'<replicate count="100000" sep="{"x" * 4000}">{OTHER}</replicate>'), "limits.bytes"),
    "too many": (mjcf(OTHER + "".join(f'<replicate count="1000"><attach prefix="{i}" body="z"/></replicate>'
                                      for i in range(800))), "limits.elements"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_attached(name):
    """... is an Error with its place, where MuJoCo refuses it, too."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)
    if "limits" not in said:
        with pytest.raises(ValueError):
            mujoco.MjModel.from_xml_string(text)


def test_models_that_double(tmp_path):
    """Each attaches the next one twice: all that is copied counts, meshes as well."""
    mesh = f'<mesh name="m" vertex="{"0 0 0 1 0 0 0 2 0 0 0 3 " * 100}"/>'
    for level in range(19):
        attach = "".join(f'<attach model="next" body="b" prefix="{prefix}"/>' for prefix in "pq") if level < 18 else ""
        asset = f'<model name="next" file="{level + 1}.xml"/>' if level < 18 else mesh
        (tmp_path / f"{level}.xml").write_text(mjcf(f'<body name="b"/>{attach}', f"<asset>{asset}</asset>"))
    with pytest.raises(carom.Error, match=r"<attach>: .*limits\.(bytes|elements)"):
        our_fields(tmp_path / "0.xml")
