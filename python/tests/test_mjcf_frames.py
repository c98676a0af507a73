"""<frame scale>: what is inside is larger and heavier, with the numbers of MuJoCo."""

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, BALL, CORNERS, FACES, FREE, SOCKET, mjcf
from mjcf_fields import differences, our_fields
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


def test_actuators_that_no_scale_reaches():
    """A heavier body leaves them alone, unless forces follow."""
    drive = '<actuator><motor joint="h1"/><motor joint="h2"/></actuator>'
    frame = f'<frame massscale="2" scaling="geometry">{SIDES[0]}</frame><frame scale="2">{BALL}</frame>{SIDES[1]}'
    assert differences(our_fields(mjcf(frame, "", drive)), mujoco.MjModel.from_xml_string(mjcf(frame, "", drive))) == []


SCALED = '<frame scale="2"><body name="b"><joint name="j"/><geom name="g" size=".1"/></body></frame>'
REFUSED = {
    "negative": (mjcf('<frame scale="-1"/>'), "'scale': must be positive"),
    "two numbers": (mjcf('<frame scale="1 2"/>'), "1 or 3 numbers"),
    "negative mass": (mjcf('<frame massscale="-1"/>'), "'massscale': must not be negative"),
    "actuator": (mjcf(SCALED, "", '<actuator><motor joint="j"/></actuator>'), "<motor>: belongs to something"),
    "actuator of a tendon": (
        mjcf(SCALED, "", """<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator>
        <position tendon="t"/></actuator>"""), "<position>: belongs to"),
    "sensor": (mjcf(SCALED, "", '<sensor><jointpos joint="j" cutoff="1"/></sensor>'), "<jointpos>: belongs to"),
    "keyframe": (mjcf(SCALED, "", '<keyframe><key qpos="1"/></keyframe>'), "<key>: belongs to"),
    "stretched": (mjcf(f'<frame scale="1 2 3" scaling="geometry">{BALL}</frame>'), "along the axes"),
    "body out of a frame": (mjcf(SCALED + '<attach body="b" prefix="x"/>'), "stands in a scaled frame"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_scaled_is_refused(name):
    """... with its place; all but the first three are to come."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)
