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


SCALED = '<frame scale="2"><body name="b"><joint name="j"/><geom name="g" size=".1"/></body></frame>'
REFUSED = {
    "negative": (mjcf('<frame scale="-1"/>'), "'scale': must be positive"),
    "two numbers": (mjcf('<frame scale="1 2"/>'), "1 or 3 numbers"),
    "negative mass": (mjcf('<frame massscale="-1"/>'), "'massscale': must not be negative"),
    "actuator": (mjcf(SCALED, "", '<actuator><motor joint="j"/></actuator>'), "<actuator>: what refers to"),
    "pair": (mjcf(SCALED + '<geom name="w" size=".1"/>', "", '<contact><pair geom1="g" geom2="w"/></contact>'),
             "<pair>"),
    "stretched": (mjcf(f'<frame scale="1 2 3" scaling="geometry">{BALL}</frame>'), "along the axes"),
    "body out of a frame": (mjcf(SCALED + '<attach body="b" prefix="x"/>'), "stands in a scaled frame"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_scaled_is_refused(name):
    """... with its place; the last four are to come."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)
