"""<compiler>: what it takes out of a model, and that each of its attributes does what it does in MuJoCo."""

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, BALL, BOX, CORNERS, FACES, FREE, SOCKET, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco


def check(text):
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def body(name, inside="", joint="", attributes=""):
    return f"""<body name="{name}" pos="1 .2 .3" euler="10 20 30" {attributes}>{joint}
    <geom name="g{name}" type="box" size=".1 .2 .3" pos=".1 .2 .4"/><site name="s{name}" pos=".3 .2 .1"/>{inside}
    </body>"""


HINGE = "<joint/>"
STATIC = {
    "in the world": (body("s"), "", ""),
    "in a body that moves": (body("a", body("s"), HINGE), "", ""),
    "with bodies that move": (
        body("a", body("s1", body("t", body("c0", "", HINGE)) + body("c1", "", HINGE)) + body("c2", "", HINGE), HINGE),
        "", "",
    ),
    "in the order of the file": (
        f'{BALL}{body("s1", body("c1", "", HINGE) + body("s3"))}{body("c2", "", HINGE)}{body("s2")}<geom size=".2"/>',
        "", "",
    ),
    "inertial above": (
        '<body><joint/><inertial pos="1 2 3" quat="1 2 3 4" mass="2" diaginertia="1 1.5 2"/>' + body("s") + "</body>",
        "", "",
    ),
    "inertial below": (
        body("a", '<body pos="0 1 0"><inertial pos="1 2 3" mass="2" fullinertia="3 2 2.5 .1 .2 .3"/></body>', HINGE),
        "", "",
    ),
    "without mass": (body("a", '<body pos="0 1 0"><site/></body>', HINGE), "", ""),
    "named by an equality": (body("a", body("s"), HINGE), "", '<equality><weld body1="s"/></equality>'),
    "named by an exclude": (body("a", body("s"), HINGE), "", '<contact><exclude body1="s" body2="a"/></contact>'),
    "named by an actuator": (
        body("a", body("s"), HINGE), "", '<actuator><adhesion body="s" ctrlrange="0 1"/></actuator>'
    ),
    "its site pulled": (
        body("a", body("s"), HINGE), "", '<actuator><motor site="ss" gear="1 2 3 4 5 6"/></actuator>'
    ),
    "kept by itself": (body("a", body("s", "", "", 'fuse="false"'), HINGE), "", ""),
    "mocap": (body("s", "", "", 'mocap="true"'), "", ""),
    "other gravcomp": (body("a", body("s", "", "", 'gravcomp="1"'), HINGE), "", ""),
    "same gravcomp": (body("a", body("s", "", "", 'gravcomp="1"'), HINGE, 'gravcomp="1"'), "", ""),
    "gravcomp in the world": (body("s", "", "", 'gravcomp="1"'), "", ""),
    "in a fluid": (body("a", body("s"), HINGE) + body("w"), '<option density="1"/>', ""),
    "massless in a fluid": (
        body("a", '''<body><geom size=".1" mass="0"/></body><body><geom size=".1" mass="0" fluidshape="ellipsoid"/>
             </body>''', HINGE), '<option viscosity="1"/>', "",
    ),
    "aligned": (body("a", body("s"), '<freejoint align="true"/>'), "", ""),
    "in a frame": (body("a", f'<frame pos="1 2 3" euler="40 50 60">{body("s")}</frame>', HINGE), "", ""),
}  # fmt: skip
RULES = ("", 'boundmass="90"', 'boundinertia="3"', 'inertiafromgeom="true"', 'inertiafromgeom="true" boundmass="90"',
         'settotalmass="7"', 'inertiagrouprange="0 3"')  # fmt: skip


@pytest.mark.parametrize("name", STATIC)
def test_static_bodies_are_fused(name):
    """... with the body around them, unless something would notice."""
    bodies, before, after = STATIC[name]
    check(mjcf(bodies, f'<compiler fusestatic="true"/>{before}', after))


@pytest.mark.parametrize("rules", RULES)
def test_masses_of_fused_bodies(rules):
    """... are those of both, by whatever rule they came about."""
    bodies = body("a", body("s", body("t") + body("c", "", HINGE)), HINGE) + body("w")
    check(mjcf(bodies, f'<compiler fusestatic="true" {rules}/>'))


SEEN = 'contype="0" conaffinity="0"'
MESHES = f"""<asset><mesh name="m" {CORNERS} {FACES}/><mesh name="unused" {CORNERS} {FACES}/>
<mesh name="of a site" {CORNERS} {FACES}/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>"""
VISUAL = {
    "beside others": (f'<geom size="1" {SEEN}/><body>{HINGE}{BOX}<geom size=".1" {SEEN} pos="1 0 0"/></body>', ""),
    "alone": (f'<body pos="1 2 3">{HINGE}<geom type="mesh" mesh="m" {SEEN} pos="1 0 0"/></body>', ""),
    "fitted": (f'<body>{HINGE}<geom type="box" mesh="m" {SEEN} pos="1 0 0"/></body>', ""),
    "fitted and kept": (f'<body>{HINGE}<geom type="box" mesh="m" pos="1 0 0"/></body>', ""),
    "in a pair": (f'<body>{HINGE}<geom name="v" size=".1" {SEEN}/></body><geom name="w" size=".1"/>',
                  '<contact><pair geom1="v" geom2="w"/></contact>'),
    "in a fluid": (f'<body>{HINGE}<geom name="v" size=".1" {SEEN} fluidshape="ellipsoid"/></body>', ""),
    "heightfield": (f'<geom type="hfield" hfield="h" {SEEN}/>', ""),
    "massless": (f'<body>{HINGE}{BOX}<geom size=".1" {SEEN} mass="0"/></body>', ""),
    "inertial": (f"""<body>{HINGE}<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>{BOX}
                 <geom size=".1" {SEEN}/></body>""", ""),
    "site": ('<site type="mesh" mesh="of a site"/>', ""),
    "aligned": (f"""<body euler="10 20 30"><freejoint align="true"/>{BOX}<geom size=".1" {SEEN} pos="1 0 0"/>
                </body>""", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", VISUAL)
@pytest.mark.parametrize("rules", ("", 'fusestatic="true"', 'boundmass="50"', 'settotalmass="7"'))
def test_what_is_only_seen_is_discarded(name, rules):
    """... but its mass stays."""
    bodies, after = VISUAL[name]
    static = f'<body pos="1 0 0">{BALL}<geom size=".2" {SEEN} pos="1 0 0"/></body>'
    check(mjcf(bodies + static, f'<compiler discardvisual="true" {rules}/>{MESHES}', after))


def test_masses_that_geoms_must_give_cannot_be_kept():
    text = mjcf(f'<body>{HINGE}<geom size=".1" {SEEN}/></body>',
                '<compiler discardvisual="true" inertiafromgeom="true"/>')  # fmt: skip
    with pytest.raises(carom.Error, match="<body>: discardvisual.*inertiafromgeom"):
        our_fields(text)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


# The attributes of <compiler>; those that say how MuJoCo works or saves leave the numbers alone.
COMPILER = (
    'autolimits="true"', 'boundmass=".5"', 'boundinertia=".1"', 'settotalmass="3"', 'balanceinertia="true"',
    'strippath="true"', 'coordinate="local"', 'angle="radian"', 'fitaabb="true"', 'eulerseq="ZYX"', 'meshdir="x"',
    'texturedir="x"', 'assetdir="x"', 'discardvisual="true"', 'usethread="false"', 'fusestatic="true"',
    'inertiafromgeom="true"', 'alignfree="true"', 'inertiagrouprange="0 3"', 'saveinertial="true"',
    'savecompiled="false"', 'savecanonical="false"', 'conflict="merge"', 'passthrough="textures"',
)  # fmt: skip


@pytest.mark.parametrize("attribute", COMPILER)
def test_every_attribute(attribute):
    """One model, with one attribute at a time."""
    fitted = '<body pos="1 2 3"><freejoint/><geom type="box" mesh="m"/><geom size=".1" group="4"/></body>'
    check(mjcf(ARM + FREE + SOCKET + fitted, f"<compiler {attribute}/>{MESHES}"))


def test_inertia_must_be_said_without_geoms():
    """inertiafromgeom="false": a body that moves needs an inertial."""
    text = mjcf(f"<body>{HINGE}{BALL}</body>", '<compiler inertiafromgeom="false"/>')
    with pytest.raises(carom.Error, match="mass"):
        our_fields(text)
    check(mjcf(f'<body>{HINGE}{BALL}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>',
               '<compiler inertiafromgeom="false"/>'))  # fmt: skip
