"""<frame scale>: what is inside is larger and heavier, with the numbers of MuJoCo."""

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, BALL, CORNERS, FACES, FREE, SOCKET, mjcf
from mjcf_fields import differences, our_fields
from mjcf_random import RandomModel
from mujoco_states import mujoco

ASSETS = f"""<asset><mesh name="m" {CORNERS} {FACES}/><mesh name="n" {CORNERS} {FACES}/>
<hfield name="h" nrow="2" ncol="2" size="1 2 3 4" elevation="1 2 3 4"/></asset>"""
MESH = '<geom type="mesh" mesh="m" pos="1 0 0"/>'
JOINTS = """<body name="b" pos="1 2 3"><joint pos=".1 .2 .3" range="-1 1" stiffness="2 3 4" damping="3 4 5"
armature=".1" frictionloss=".2"
margin=".1" ref="1" springref="2" actuatorfrcrange="-1 2" springyield=".3" solreflimit="-10 -20"
solimplimit=".9 .95 .002 .5 2" solimpfriction=".9 .95 .002 .5 2"/>
<joint type="slide" axis="1 0 0" range="-1 1" stiffness="2 3 4" damping="3 4 5" armature=".1" frictionloss=".2"
margin=".1" ref="1" springref="2" actuatorfrcrange="-1 2" springyield=".3" solimplimit=".9 .95 .002 .5 2"
solimpfriction=".9 .95 .002 .5 2"/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/>
<body pos="1 0 0" euler="10 20 30"><joint type="ball" stiffness="2" damping="3" armature=".1" frictionloss=".2"
range="0 1"/><inertial pos=".1 .2 .3" mass="3" diaginertia="1 2 2.5"/></body></body>"""
INSIDE = {
    "bodies": ARM + FREE + SOCKET,
    "joints": JOINTS,
    "springdamper": '<body><joint springdamper=".1 1" armature=".2"/><geom size=".1" pos="1 0 0"/></body>',
    "free joint with numbers": f'<body><joint type="free" damping="1" armature="2"/>{BALL}</body>',
    "full inertia": '<body><joint/><inertial mass="2" pos="1 2 3" fullinertia="3 2 2.5 .1 .2 .3"/></body>',
    "geoms": """<geom size=".1 .2 .3" margin=".1" gap=".2" friction="1 .1 .2" solimp=".9 .95 .003 .5 2" solref="-5 -6"
    adhesion="3" surfacevel="1 2 3 4 5 6"/><geom type="plane" size="1 2 3"/><geom type="capsule" size=".1 .2 .3"/>
    <geom type="cylinder" size=".1" fromto="0 0 0 1 1 1"/><site pos="1 2 3" size=".1 .2 .3"/>""",
    "masses": """<body><joint/><geom size=".1" mass="3"/><geom size=".1" density="7" pos="1 0 0"/></body>
    <body><joint/><geom size=".1" shellinertia="true"/></body>""",
    "mesh": MESH,
    "mesh in a body": f"<body><joint/>{MESH}</body>",
    "fitted": '<body><joint/><geom type="box" mesh="m"/></body>',
    "site of a mesh": '<site type="mesh" mesh="m"/>',
    "heightfield": '<geom type="hfield" hfield="h"/>',
    "copies": f"""<replicate count="2" offset="1 0 0" euler="0 0 30"><body name="q" pos="1 2 3">{BALL}</body>
    </replicate>""",
    "frame in a frame": f'<frame pos="1 2 3" euler="10 20 30" scale="3" scaling="geometry">{JOINTS}{BALL}</frame>',
    "aligned": '<body pos="1 2 3"><freejoint align="true"/><geom size=".1" pos="1 0 0"/></body>',
}
SCALES = ('scale="2"', 'scale="2" scaling="geometry"', 'scale=".5 .5 .5" massscale="3"', 'massscale="2"',
          'massscale="2" scaling="geometry"')  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("scale", SCALES)
def test_what_is_inside_is_scaled(name, scale):
    """Alone, and beside the same at its own size."""
    text = mjcf(f'<frame pos="1 2 3" euler="10 20 30" {scale}>{INSIDE[name]}</frame>', ASSETS)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_assets_of_several_sizes():
    """The first keeps its name, the others are copies."""
    frames = "".join(f'<frame scale="{scale}">{MESH}<geom type="hfield" hfield="h"/></frame>' for scale in (2, 1, 3, 2))
    text = mjcf(f'<body pos="1 0 0"><frame scale="7">{MESH}</frame></body>{frames}{MESH}', ASSETS)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_a_frame_in_a_body_scales_joints_of_the_body():
    text = mjcf(f'<body><frame pos="1 2 3" scale="2"><joint pos="1 0 0" damping="3"/>{BALL}</frame></body>')
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_scaled_frames_are_attached():
    """A scaled frame keeps its scale where it is attached."""
    text = mjcf(f'<frame name="F" pos="1 2 3" scale="2"><body name="b" pos="1 0 0">{BALL}</body>{BALL}</frame>'
                '<body pos="5 0 0"><attach frame="F" prefix="x"/></body>')  # fmt: skip
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


SIDES = [f"""<body name="b{side}" pos="{side} 2 3"><joint name="h{side}" range="-1 1"/>
<joint name="s{side}" type="slide" range="-1 1"/><geom name="g{side}" size=".1"/><site name="x{side}" pos="1 1 1"/>
<body name="c{side}" pos="1 0 0"><joint name="k{side}"/>{BALL}<site name="y{side}" pos="0 1 0"/></body></body>"""
         for side in (1, 2)]  # fmt: skip
TENDON = """stiffness="2 3 4" damping="3 4 5" frictionloss="1" armature=".2" range=".1 1" springlength=".1 .2"
margin=".3" actuatorfrcrange="-1 1" springyield=".2" """
REFERENCES = {
    "pair": """<contact><pair geom1="g1" geom2="g2" margin=".1" gap=".2" friction="1 1 .1 .2 .3" adhesion="2"/>
    </contact>""",
    "exclude": '<contact><exclude body1="b1" body2="b2"/></contact>',
    **{equality: f"<equality>{equality}</equality>" for equality in (
        '<connect body1="b1" anchor="1 2 3"/>', '<connect body1="b1" body2="b2" anchor="1 2 3"/>',
        '<connect body1="b2" body2="b1" anchor="1 2 3"/>', '<connect site1="x1" site2="x2"/>',
        '<weld body1="b1"/>', '<weld body1="b1" anchor="1 2 3"/>',
        '<weld body1="b1" body2="b2" anchor="1 2 3" relpose="1 2 3 1 0 0 0" torquescale="2"/>',
        '<weld body1="b2" body2="b1" anchor="1 2 3" torquescale="2"/>', '<weld site1="x1" site2="x2" torquescale="2"/>',
        '<joint joint1="h1" joint2="s1" polycoef="1 2 3 4 5"/>',
        '<joint joint1="s1" joint2="h1" polycoef="1 2 3 4 5"/>',
        '<joint joint1="s1" polycoef="1 2 3 4 5"/>', '<joint joint1="s2" joint2="s1" polycoef="1 2 3 4 5"/>')},
    **{tendon: f"<tendon>{tendon}</tendon>" for tendon in (
        f'<fixed {TENDON}><joint joint="h1" coef="2"/><joint joint="s1" coef="3"/></fixed>',
        f'<fixed {TENDON}><joint joint="h1" coef="2"/></fixed>',
        f'<fixed {TENDON}><joint joint="h1" coef="2"/><joint joint="h2" coef="3"/></fixed>',
        f'<fixed {TENDON}><joint joint="s1" coef="2"/><joint joint="h2" coef="3"/></fixed>',
        f'<spatial {TENDON}><site site="x1"/><site site="y1"/></spatial>',
        f'<spatial {TENDON}><site site="x1"/><site site="x2"/></spatial>',
        """<spatial><site site="x1"/><site site="y1"/><pulley divisor="2"/><site site="x1"/><site site="y1"/>
        </spatial>""")},
    "equality of tendons": """<tendon><fixed name="t"><joint joint="s1" coef="1"/></fixed><fixed name="u">
    <joint joint="h1" coef="1"/></fixed><fixed name="v"><joint joint="s2" coef="1"/></fixed></tendon><equality>
    <tendon tendon1="t" tendon2="u" polycoef="1 2 3 4 5"/><tendon tendon1="v" tendon2="t" polycoef="1 2 3 4 5"/>
    <tendon tendon1="u" tendon2="v" polycoef="1 2 3 4 5"/></equality>""",
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("scale", SCALES)
def test_what_refers_to_scaled_elements(name, scale):
    """... is scaled with them, between two sides of different sizes, too."""
    text = mjcf(f'<frame pos="1 2 3" {scale}>{SIDES[0]}</frame>{SIDES[1]}', "", REFERENCES[name])
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_tendons_follow_the_frame_around_all_that_they_pass():
    """... whatever the frames inside it do: two frames of one scale are not one frame."""
    pieces = [f"""<body name="b{i}"><joint name="s{i}" type="slide"/><geom type="box" size="1 2 3"/>
    <site name="x{i}" pos="{i} 1 2"/></body>""" for i in range(3)]  # fmt: skip
    inner = f'<frame scale="2">{pieces[0]}</frame><frame scale="2"><frame scale="5"/>{pieces[1]}</frame>'
    paths = [("0", "1"), ("1", "2"), ("0", "2")]
    tendons = "".join(f'<spatial name="p{a}{b}" {TENDON}><site site="x{a}"/><site site="x{b}"/></spatial>'
                      f'<fixed name="f{a}{b}" {TENDON}><joint joint="s{a}" coef="2"/><joint joint="s{b}" coef="3"/>'
                      "</fixed>" for a, b in paths)  # fmt: skip
    drives = "".join(f'<position tendon="p{a}{b}" kp="3" ctrlrange="-1 1"/>' for a, b in paths)
    for around in ('scale="3"', "", 'scale="3" scaling="geometry"', 'scale="2 3 5" scaling="geometry"'):
        text = mjcf(f"<frame {around}>{inner}{pieces[2]}</frame>", "",
                    f"<tendon>{tendons}</tendon><actuator>{drives}</actuator>")  # fmt: skip
        assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


# -- Actuators, sensors, keyframes

BLOCK = '<geom type="box" size=".1 .2 .3"/>'
MACHINES = [f"""<body name="b{side}" pos="{side} 2 3"><joint name="h{side}" range="-1 1" ref=".3"/>
<joint name="s{side}" type="slide" axis="1 0 0" range="-1 2" ref=".1"/><geom name="g{side}" type="box" size=".1 .2 .3"/>
<site name="x{side}" pos="1 1 1"/><body name="c{side}" pos="1 0 0"><joint name="k{side}" axis="0 1 0"/>{BLOCK}
<site name="y{side}" pos="0 1 0"/></body></body>
<body name="d{side}" pos="{side} 5 0"><joint name="o{side}" type="ball"/>{BLOCK}</body>
<body name="e{side}" pos="3 3 {side}" euler="0 0 1.5"><joint name="f{side}" type="free"/>
<geom type="mesh" mesh="m"/><camera name="v{side}"/></body>
<body name="m{side}" mocap="true" pos="1 2 {side}" euler=".7 0 0"/>""" for side in (1, 2)]  # fmt: skip
TENDONS = """<tendon><fixed name="th" range="-1 1"><joint joint="h1" coef="2"/></fixed>
<fixed name="ts" range="-1 1"><joint joint="h1" coef="2"/><joint joint="s1" coef="3"/></fixed>
<fixed name="tb"><joint joint="h1" coef="2"/><joint joint="s2" coef="3"/></fixed>
<spatial name="tp" range=".1 1"><site site="x1"/><site site="y1"/></spatial></tendon>"""
COORDINATES = [f'{kind}="{name}"' for kind, names in {"joint": "h1 s1 o1 f1", "jointinparent": "f1 s1",
                                                      "tendon": "th ts tb tp"}.items() for name in names.split()]
SITES = ['site="x1"', 'site="x1" refsite="y1"', 'site="x1" refsite="x2"', 'site="x2" refsite="x1"',
         'cranksite="x1" slidersite="y1" cranklength=".5"',
         'cranksite="x1" slidersite="x2" cranklength=".5"']  # fmt: skip
GAINS = 'gainprm="2 3 -4 5 6" biasprm="1 -3 -4 5 6" dynprm=".1 .2 .3"'
DRIVES = {
    **{name: name + more for name, more in {
        "motor": "", "position": ' kp="3" kv="2"', "velocity": ' kv="2"', "intvelocity": ' kp="3" actrange="-1 3"',
        "damper": ' kv="2" ctrlrange="0 3"', "cylinder": ' area="3" bias="1 2 -3"',
        "muscle": ' force="3" lengthrange="1 2"'}.items()},
    "muscle by inertia": 'muscle scale="100" lengthrange="1 2"',
    "ratio": 'position kp="3" dampratio=".7"',
    "pid": 'pid kp="3" kv="2" ki="4" imax="5" slewmax="6" input="pos vel ff" velrange="-3 4" ffrange="-5 6"',
    "pid without position": 'pid kp="3" kv="2" input="vel ff" velrange="-3 4" ffrange="-5 6"',
    **{f"{given} {dynamics} {gain} {bias}":
       f'general {given} dyntype="{dynamics}" gaintype="{gain}" biastype="{bias}" {GAINS}'
       + ('' if dynamics == "none" else ' actrange="-1 3"')
       for given in ("", 'input="pos"', 'input="vel"', 'input="pressure"')
       for dynamics in ("none", "integrator", "filter", "muscle")
       for gain, bias in (("fixed", "none"), ("fixed", "affine"), ("affine", "affine"))},
}  # fmt: skip


def with_range(drive):
    return drive if "ctrlrange" in drive or "pid" in drive else f'{drive} ctrlrange="-1 2"'


def machine_model(scale, after):
    """One inside a scaled frame, the same outside."""
    return mjcf(f'<frame pos="1 2 3" euler="0 0 30" {scale}>{MACHINES[0]}</frame>{MACHINES[1]}',
                f'<compiler angle="radian"/>{ASSETS}', TENDONS + after)  # fmt: skip


def assert_same(text):
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def values(count, rng):
    return " ".join(f"{number:.3f}" for number in rng.uniform(0.5, 1.5, count))


def with_keys(text):
    """... of all numbers, and of some of them."""
    model, rng = mujoco.MjModel.from_xml_string(text), np.random.default_rng(0)
    key = "<key {}/>".format(" ".join(
        f'{name}="{values(count, rng)}"' for name, count in {
            "qpos": model.nq, "qvel": model.nv, "act": model.na, "ctrl": model.nu, "mpos": 3 * model.nmocap,
            "mquat": 4 * model.nmocap}.items() if count > 0))  # fmt: skip
    return text.replace("</mujoco>", f'<keyframe>{key}<key qpos="1 2" qvel="3"/></keyframe></mujoco>')


STRETCHED = 'scale="2 3 5" scaling="geometry"'
ALL_SCALES = (*SCALES, STRETCHED, 'scale="2 3 5" scaling="geometry" massscale="7"')


@pytest.mark.parametrize("name", DRIVES)
@pytest.mark.parametrize("scale", ALL_SCALES)
def test_actuators(name, scale):
    """Gains, ranges, gears and keyframes of what drives joints, tendons and sites."""
    drive = with_range(DRIVES[name])
    mechanics = 'armature=".3" damping=".4 .5 .6"' + ("" if "lengthrange" in drive else ' lengthrange=".1 .9"')
    ends = [f'<{drive} {mechanics} gear="2 3 4 5 6 7" forcerange="-3 4" {target}/>' for target in COORDINATES]
    sites = [] if drive.startswith(("pid", "muscle")) else SITES  # those drive none
    ends += [f'<{drive} gear="{gear}" forcerange="-3 4" {target}/>' for target in sites + ['joint="f1"']
             for gear in ("2 3 4 5 6 7", "0 0 0 1 2 3")]  # fmt: skip
    assert_same(with_keys(machine_model(scale, "<actuator>" + "".join(ends) + "</actuator>")))


@pytest.mark.parametrize("scale", ALL_SCALES)
def test_actuators_of_other_kinds(scale):
    """Bodies that stick, orientations; DC motors where forces have no scale."""
    drives = """<adhesion body="b1" gain="3" ctrlrange="0 2" forcerange="-1 1"/>
    <orientation joint="o1" kp="3" kv="2" forcerange="0 3"/><orientation joint="o1" kp="3" dampratio="2" input="quat"/>
    <orientation site="x1" refsite="y1" kp="3" kv="2" forcerange="0 3"/>
    <orientation site="x1" refsite="x2" kp="3"/><orientation site="x2" refsite="x1" kp="3"/>
    <general joint="o1" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="3" biasprm="0 -3"/>
    <position joint="s1" kp="3" inheritrange=".8"/><general body="b1" gaintype="affine" gainprm="1 2 3"/>"""
    motor = 'dcmotor motorconst="2" resistance="3" ctrlrange="-1 1"'
    full = 'saturation="1 2 3" inductance="1 2" cogging="1 2 3" lugre="1 2 3 4 5" thermal="1 2 3 4 5 6"'
    targets = 'joint="s1"', 'joint="h1"', 'tendon="ts"'
    motors = "".join(f'<{motor} {target} {more}/>' for target in targets for more in (
        full, 'controller="1 2 3 4 5 6" input="pos"', 'controller="1 2 3 4 5 6" input="pos vel ff"',
        'controller="1 0 3 4 5 6" input="vel voltage"', 'controller="1 0 3 4 5 6" input="ff"'))  # fmt: skip
    outside = f'<{motor} joint="s2"/><{motor} tendon="tb"/>'
    follow = "geometry" not in scale
    text = machine_model(scale, f"<actuator>{drives}{'' if follow else motors}{outside}</actuator>")
    assert_same(with_keys(text))
    if follow:
        text = machine_model(scale, f'<actuator><{motor} joint="s1"/></actuator>')
        for read in (our_fields, mujoco.MjModel.from_xml_string):
            with pytest.raises(ValueError, match="scal"):
                read(text)


SENSORS = [
    *(f'{name} site="x1"' for name in ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque",
                                       "magnetometer", 'rangefinder data="dist"', 'rangefinder data="dir normal"')),
    'rangefinder camera="v1"', 'camprojection site="x1" camera="v1"', 'ballangvel joint="o1"',
    *(f'joint{what} joint="{joint}"' for what in ("pos", "vel", "actuatorfrc", "limitpos", "limitvel", "limitfrc")
      for joint in ("h1", "s1", "s2")),
    *(f'tendon{what} tendon="{tendon}"' for what in ("pos", "vel", "actuatorfrc")
      for tendon in ("th", "ts", "tb", "tp")),
    *(f'tendonlimit{what} tendon="{tendon}"' for what in ("pos", "vel", "frc") for tendon in ("th", "ts", "tp")),
    *(f'actuator{what} actuator="{name}"' for what in ("pos", "vel", "frc") for name in ("h", "s", "p", "x", "r", "c",
                                                                                     "f", "o", "a")),
    *(f'frame{what} objtype="{kind}" objname="{name}"' for what in ("pos", "linvel", "angvel", "linacc", "angacc")
      for kind, name in (("site", "x1"), ("geom", "g1"), ("body", "b1"), ("xbody", "b1"), ("camera", "v1"))),
    *(f'framepos objtype="site" objname="x{a}" reftype="site" refname="x{b}"' for a, b in ((1, 2), (2, 1))),
    *(f'subtree{what} body="b1"' for what in ("com", "linvel", "angmom")),
    *(f'insidesite objtype="site" objname="x{a}" site="{b}" enclosed="{word}"'
      for a, b in ((1, "y1"), (1, "x2"), (2, "x1")) for word in ("true", "false")),
    *(f'{name} geom1="g1" body2="{body}"' for name in ("distance", "fromto") for body in ("b2", "d1")),
    'contact geom1="g1" data="force dist"', "e_potential", "clock", 'user dim="2" objtype="site" objname="x1"',
]  # fmt: skip


@pytest.mark.parametrize("scale", ALL_SCALES)
def test_sensors(scale):
    """What cuts them off, and their noise, have the dimension of what they measure."""
    drives = """<actuator><motor name="h" joint="h1"/><position name="s" joint="s1"/><motor name="p" tendon="tp"/>
    <motor name="x" site="x1"/><motor name="r" site="x1" gear="0 0 0 1 0 0"/><motor name="f" joint="f1"/>
    <motor name="c" cranksite="x1" slidersite="x2" cranklength=".5"/><orientation name="o" joint="o1"/>
    <adhesion name="a" body="b1" ctrlrange="0 1"/></actuator>"""
    rows = [f'<{sensor} cutoff="2" noise="3"/>' for sensor in SENSORS]
    rows += [f'<{sensor} noise="3"/>' for sensor in ('framequat objtype="site" objname="x1"', 'ballquat joint="o1"')]
    rows += ['<normal geom1="g1" geom2="g2" cutoff="2" noise="3"/>']
    assert_same(machine_model(scale, drives + "<sensor>" + "".join(rows) + "</sensor>"))


# -- Three different factors

ALONG = """<geom type="box" size=".1 .2 .3" pos="1 2 3" {0}/><geom type="ellipsoid" size=".1 .2 .3" {0}/>
<geom type="box" size=".1 .2 .3" shellinertia="true" {0}/><geom type="mesh" mesh="m" {0}/>
<geom type="box" size=".1 .2 .3" mass="2" surfacevel="1 2 3 4 5 6" margin=".1" gap=".2" adhesion="3" {0}/>"""
STRETCHES = {
    "shapes": "".join(ALONG.format(turn) for turn in ("", 'euler="90 0 0"', 'euler="0 0 90"', 'euler="90 90 0"')),
    "nearly along": ALONG.format('axisangle="1 2 -1 1"'),
    "plane": '<geom type="plane" size="1 2 3" pos="1 2 3" euler="0 0 90"/><geom type="plane" size="0 0 1"/>',
    "heightfields": "".join(f'<geom type="hfield" hfield="h" euler="{turn}"/>'
                            for turn in ("0 0 0", "0 0 90", "90 0 0")),
    "meshes": "".join(f'<geom type="{kind}" mesh="{name}" pos=".1 .2 .3" euler="{turn}"/>'
                      for kind in ("mesh", "box", "capsule", "sphere") for name in "mn"
                      for turn in ("0 0 0", "10 20 30")),
    "masses": "".join(f"<body><joint type='ball'/>{geom}</body>" for geom in ALONG.format("").splitlines()),
    "meshes that weigh": """<body><joint axis="0 0 1"/><geom type="mesh" mesh="n" euler="10 20 30"/></body>
    <body><joint axis="0 0 1"/><geom type="mesh" mesh="s" euler="10 20 30"/></body>""",
    "inertias": """<body euler="10 20 30"><joint type="ball"/><inertial pos="1 2 3" mass="2" diaginertia="1 2 2.5"/>
    </body><body><freejoint/><inertial pos="1 2 3" mass="2" fullinertia="3 2 2.5 .1 .2 .3"/></body>
    <body pos="1 2 3" euler="10 20 30"><inertial pos="1 2 3" euler="30 0 20" mass="2" diaginertia="1 2 2.5"/></body>""",
    "joints": f"""<body pos="1 2 3"><joint pos="1 2 3" axis="0 1 0" range="-1 1" stiffness="2"/>{BLOCK}
    <joint type="slide" axis="0 -2 0" range="-1 1" ref="1" springref="2" margin=".1" stiffness="2 3 4" damping="3 4 5"
    armature=".1" frictionloss=".2" springyield=".3" actuatorfrcrange="-1 2" solimplimit=".9 .95 .002 .5 2"/>
    <body pos="1 2 3" euler="90 0 0"><joint type="slide" axis="0 1 0" range="-1 1"/>{BLOCK}
    <body pos="1 2 3" euler="10 20 30"><joint type="ball" pos="1 2 3"/><site pos="1 2 3" euler="40 0 0"/>
    <geom type="mesh" mesh="m"/></body></body></body>""",
    "springdamper": f'<body><joint springdamper=".1 1" pos="1 2 3"/>{BLOCK}</body>',
    "copies": f'<replicate count="3" offset="1 2 3" euler="0 0 90"><body pos="1 2 3">{BLOCK}</body></replicate>',
    "frame inside": f'<frame pos="1 2 3" euler="0 0 90" scale="2 1 3" scaling="geometry">{BLOCK}</frame>',
    "turned frame inside": """<frame pos="1 2 3" euler="10 20 30" scale="2 1 3" scaling="geometry"><geom type="mesh"
    mesh="m" euler="50 0 0"/><body pos="3 2 1" euler="40 0 0"><joint type="ball"/>
    <geom type="mesh" mesh="n" pos="1 2 3"/><inertial pos="1 2 3" mass="2" diaginertia="1 2 2.5"/>
    <site pos="3 1 2"/></body></frame>""",
    "even frame inside": f'<frame scale="3"><body><joint type="slide" stiffness="2" range="-1 1"/>{BLOCK}</body>'
    "</frame>",
    "undone": f"""<frame scale=".5 1 1" scaling="geometry"><geom size=".1"/><geom type="capsule" size=".1 .2"
    euler="10 20 30"/><body><joint axis="1 2 3"/>{BLOCK}</body></frame>""",
}
STRETCH_ASSETS = ASSETS.replace(
    '<mesh name="n"', f'<mesh name="s" inertia="shell" {CORNERS} {FACES}/><mesh name="n" scale="-1 2 1" refpos="1 2 3"'
    ' refquat="1 1 0 0"')  # fmt: skip


@pytest.mark.parametrize("name", STRETCHES)
@pytest.mark.parametrize("scale", (STRETCHED, 'scale=".5 2 .7" scaling="geometry" massscale="3"'))
def test_stretched_along_axes(name, scale):
    """Shapes that lie along the axes, meshes and explicit inertias in any direction."""
    scale = scale if name != "undone" else 'scale="2 1 1" scaling="geometry"'
    assert_same(mjcf(f'<frame pos="1 2 3" euler="10 20 30" {scale}>{STRETCHES[name]}</frame>', STRETCH_ASSETS))


def test_round_shapes_are_stretched_along_their_axes():
    round_ = "".join(f'<geom type="{kind}" size=".1 .2" pos="1 2 3" euler="{turn}"/>'
                     for kind in ("capsule", "cylinder") for turn in ("0 0 0", "0 0 70", "180 0 0"))  # fmt: skip
    assert_same(mjcf(f'<frame euler="10 20 30" scale="2 2 5" scaling="geometry">{round_}</frame>'))
    assert_same(mjcf(f'<frame scale="2 2.04 5" scaling="geometry">{round_}</frame>'))
    assert_same(mjcf('<frame scale="2 2.04 2.01" scaling="geometry"><geom size=".1"/></frame>'))


@pytest.mark.parametrize("name", REFERENCES)
def test_what_refers_to_stretched_elements(name):
    sides = [side.replace('type="slide"', 'type="slide" axis="0 1 0"').replace(BALL, BLOCK) for side in SIDES]
    sides[0] = sides[0].replace('<geom name="g1" size=".1"/>', '<geom name="g1" type="box" size=".1 .1 .1"/>')
    assert_same(mjcf(f'<frame pos="1 2 3" euler="10 20 30" {STRETCHED}>{sides[0]}</frame>{sides[1]}', "",
                     REFERENCES[name]))  # fmt: skip


def test_how_far_shapes_may_be_turned():
    """Each is refused where MuJoCo refuses it, about the angle from which on it does, and for many directions."""
    rng = np.random.default_rng(1)
    refused = {}
    for _ in range(600):
        kind = rng.choice(["box", "plane", "capsule", "sphere", "ellipsoid", "cylinder", "hinge", "slide"])
        factors = 2 + rng.choice([0.1, 1, 3]) * rng.uniform(0, 1, 3)
        if kind in ("capsule", "cylinder"):
            factors[1] = factors[0] * (1 + rng.uniform(-0.05, 0.05))
        if kind == "sphere":
            factors = 2 + rng.uniform(0, 0.15, 3)
        turn = 'axisangle="{} {} {} {}"'.format(*rng.normal(size=3), rng.uniform(0, 8))
        inside = f'<geom type="{kind}" size=".1 .2 .3" {turn}/>'
        if kind in ("hinge", "slide"):
            inside = f'<body {turn}><joint type="{kind}" axis="0 1 0"/><geom type="mesh" mesh="m"/></body>'
        scale = " ".join(map(str, factors))
        text = mjcf(f'<frame scale="{scale}" scaling="geometry">{inside}</frame>', ASSETS)
        results = []
        for read in (our_fields, mujoco.MjModel.from_xml_string):
            try:
                results.append(read(text))
            except ValueError:
                results.append(None)
        assert (results[0] is None) == (results[1] is None), text
        assert results[0] is None or differences(*results) == []
        refused.setdefault(kind, set()).add(results[0] is None)
    assert all(found == {True, False} for found in refused.values()), refused


# -- Attached

PART = f"""<mujoco model="c"><worldbody><body name="a" pos="1 2 3"><joint name="j" type="slide" axis="1 0 0"
range="-1 1"/>{{0}}</body><body name="f" pos="1 2 3" euler="0 90 0"><freejoint/>{BLOCK}</body>
<body name="m" mocap="true" pos="3 2 1" euler="10 20 30"/>
<frame name="F" scale="2" pos="3 2 1"><body name="in" pos="1 0 0"><joint name="k"/>{{0}}</body></frame></worldbody>
<actuator><position name="p" joint="j" kp="3" ctrlrange="-1 1"/><motor name="q" joint="k"/></actuator>
<keyframe><key name="k" qpos=".5 1 2 3 1 0 0 0 .3" qvel="1 2 3 4 5 6 7 8" ctrl=".7 .2" mpos="1 2 3"/></keyframe>
</mujoco>"""
ATTACHED = {
    "in a scaled frame": '<frame pos="1 2 3" euler="10 20 30" {0}><attach model="c" prefix="p_"/></frame>',
    "body": '<frame pos="1 2 3" {0}><attach model="c" body="a" prefix="p_"/></frame>',
    "body out of a scaled frame": '<attach model="c" body="in" prefix="p_"/>',
    "... into another one": '<frame pos="1 2 3" {0}><attach model="c" body="in" prefix="p_"/></frame>',
    "scaled frame": '<body pos="5 0 0"><attach model="c" frame="F" prefix="p_"/></body>',
    "... into another": '<frame pos="1 2 3" {0}><attach model="c" frame="F" prefix="p_"/></frame>',
    "frame in a scaled frame": """<frame {0}><frame name="G" pos="1 2 3" euler="0 0 90">{1}
    <body name="n" pos="1 0 0">{1}</body></frame></frame><body pos="5 0 0"><attach frame="G" prefix="p_"/>
    <attach body="n" prefix="q_"/></body>""",
    "copies": """<replicate count="2" offset="1 2 3"><frame pos="1 2 3" {0}>
    <attach model="c" body="a" prefix="p_"/></frame></replicate>""",
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACHED)
@pytest.mark.parametrize("scale", ('scale="3"', 'scale="3" massscale="2" scaling="geometry"', STRETCHED))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scaled_frames_and_attached_parts(name, scale, tmp_path):
    """A part takes the scales of the frames inside it along, and meets those of the frames where it comes to."""
    (tmp_path / "c.xml").write_text(PART.format(BLOCK))
    path = tmp_path / "model.xml"
    path.write_text(mjcf(ATTACHED[name].format(scale, BLOCK), '<asset><model name="c" file="c.xml"/></asset>'))
    assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []


@pytest.mark.parametrize("seed", range(80))
def test_random_models(seed):
    """Frames in frames and in bodies, of one factor or of three, with references across them, and keyframes."""
    assert_same(with_keys(RandomModel(seed).text))


def test_a_moving_machine_at_another_scale():
    """Under "similar" a model twice as large, in gravity twice as strong, moves as the small one: all lengths twice."""
    drives = """<actuator><position joint="s1" kp="30" kv="2"/><motor joint="h1" gear="3"/><motor tendon="tp"/>
    <velocity joint="k1" kv="1"/></actuator>"""
    tendon = """<tendon><spatial name="tp" stiffness="5" damping="1"><site site="x1"/><site site="y1"/></spatial>
    </tendon>"""
    poses = []
    for factor in (1, 2):
        option = f'<option gravity="0 0 {-10 * factor}"><flag contact="disable"/></option>'
        frame = f'<frame scale="{factor}" massscale="{factor}">{MACHINES[0]}</frame>'
        text = mjcf(frame, option + ASSETS, tendon + drives)
        model = carom.load_mjcf(text)
        sim = carom.Simulation(model, solver=carom.SolverMuJoCo(model))
        sim.control.ctrl.numpy()[:] = [3 * factor, 20, 10, 0.4]
        sim.step(200)
        poses.append(sim.state.body_q.numpy().reshape(-1, 7).copy())
    first = carom.load_mjcf(text).state().body_q.numpy().reshape(-1, 7)
    assert (np.abs(poses[1] - first).max(axis=1)[:2] > 0.02).all()
    np.testing.assert_allclose(poses[1][:, :3], 2 * poses[0][:, :3], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(poses[1][:, 3:], poses[0][:, 3:], rtol=1e-7, atol=1e-7)


def test_actuators_that_no_scale_reaches():
    """A heavier body leaves them alone, unless forces follow."""
    drive = '<actuator><motor joint="h1"/><motor joint="h2"/></actuator>'
    frame = f'<frame massscale="2" scaling="geometry">{SIDES[0]}</frame><frame scale="2">{BALL}</frame>{SIDES[1]}'
    assert differences(our_fields(mjcf(frame, "", drive)), mujoco.MjModel.from_xml_string(mjcf(frame, "", drive))) == []


REFUSED = {
    "negative": (mjcf('<frame scale="-1"/>'), "'scale': must be positive"),
    "two numbers": (mjcf('<frame scale="1 2"/>'), "1 or 3 numbers"),
    "negative mass": (mjcf('<frame massscale="-1"/>'), "'massscale': must not be negative"),
    "stretched forces": (mjcf(f'<frame scale="1 2 3">{BLOCK}</frame>'), "'scale': forces follow where"),
    "sphere": (mjcf(f"<frame {STRETCHED}>{BALL}</frame>"), "<geom>: a sphere must be an ellipsoid here"),
    "round": (mjcf(f'<frame {STRETCHED}><geom type="capsule" size="1 1"/></frame>'), "<geom>: it must be scaled alike"),
    "turned round": (mjcf(f'<frame {STRETCHED}><geom type="cylinder" size="1 1" euler="30 0 0"/></frame>'),
                     "<geom>: its axis must be along"),
    "turned box": (mjcf(f'<frame {STRETCHED}><geom type="box" size="1 1 1" euler="30 0 0"/></frame>'),
                   "<geom>: its axes must be those"),
    "turned axis": (mjcf(f'<frame {STRETCHED}><body><joint axis="1 1 0"/>{BLOCK}</body></frame>'),
                    "<joint>: attribute 'axis': must be along an axis"),
    "DC motor": (mjcf(f'<frame scale="2"><body><joint name="j"/>{BALL}</body></frame>', "",
                      '<actuator><dcmotor joint="j" motorconst="1" resistance="1"/></actuator>'),
                 "<dcmotor>: drives what stands in a scaled frame"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_scaled_is_refused(name):
    """... with its place, as MuJoCo does."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
