"""Sensors of MJCF files: every field of the compiled model is MuJoCo's, and what it refuses is refused."""

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, default, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco

CAMERAS = """<camera name="c2" class="main"/><light name="l"/>
<body name="k"><camera name="c" resolution="10 20"/><geom size=".1"/></body>
<body name="empty"/><geom name="floor" type="plane" size="0 0 1" pos="0 0 -20"/>"""
REST = """<tendon><fixed name="t" range="-1 1"><joint joint="ja" coef="2"/></fixed>
<fixed name="tn"><joint joint="ja" coef="2"/></fixed></tendon>
<actuator><motor name="m1" joint="jb"/><orientation name="o1" joint="jo"/></actuator>"""
MESH = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>'


def model(*sensors, before=""):
    elements = "".join(f"<{sensor}/>" for sensor in sensors)
    return mjcf(ARM + FREE + SOCKET + CAMERAS, MESH + before, f"{REST}<sensor>{elements}</sensor>")


LINE = model().count("\n") + 1  # of the sensors
FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
ALL_DATA = "found force torque dist pos normal tangent linvel angvel"
SENSORS = [
    *(f'{kind} site="sa"' for kind in (
        "touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "rangefinder")),
    'touch site="sa" cutoff="3" noise=".1" name="x"', 'rangefinder camera="c"', 'rangefinder camera="c2"',
    'rangefinder site="sa" data="dist dir origin point normal depth"', 'rangefinder camera="c" data="dist dir"',
    'rangefinder site="sa" data=""', 'camprojection site="sa" camera="c"',
    *(f'{kind} joint="ja"' for kind in (
        "jointpos", "jointvel", "jointactuatorfrc", "jointlimitpos", "jointlimitvel", "jointlimitfrc")),
    *(f'{kind} joint="jo"' for kind in ("ballquat", "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc")),
    *(f'{kind} tendon="t"' for kind in (
        "tendonpos", "tendonvel", "tendonactuatorfrc", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc")),
    *(f'{kind} actuator="{name}"' for kind in ("actuatorpos", "actuatorvel", "actuatorfrc") for name in ("m1", "o1")),
    *(f'framepos objtype="{kind}" objname="{name}"' for kind, name in (
        ("body", "a"), ("xbody", "b"), ("geom", "gb"), ("site", "sb"), ("camera", "c"))),
    *(f'{kind} objtype="site" objname="sa"' for kind in (*FRAMES, "framelinacc", "frameangacc")),
    *(f'{kind} objtype="site" objname="sa" reftype="body" refname="b"' for kind in FRAMES),
    *(f'{kind} body="a"' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")), 'subtreecom body="world"',
    'insidesite site="sa" objtype="body" objname="a"',
    *(f'insidesite site="sa" objtype="{kind}" objname="{name}" enclosed="true"' for kind, name in (
        ("geom", "ga"), ("site", "sb"), ("body", "a"), ("xbody", "b"))),
    *(f'{kind} {ends}' for kind in ("distance", "normal", "fromto") for ends in (
        'geom1="ga" geom2="gb"', 'body1="a" body2="b" cutoff="3"', 'geom1="ga" body2="f"')),
    "contact", 'contact geom1="ga"', 'contact body1="a" num="3"', 'contact geom2="gb"',
    'contact site="sa" data="force"',
    f'contact subtree1="a" subtree2="f" data="{ALL_DATA}" num="2" reduce="maxforce"', 'contact data="linvel"',
    'contact data="pos" reduce="netforce"', 'contact data="pos" reduce="mindist" cutoff="3"', 'contact data=""',
    "e_potential", "e_kinetic", 'clock cutoff="2"', 'tactile geom="ga" mesh="m"',
    'user dim="3"', 'user dim="3" objtype="body" objname="a" datatype="positive" needstage="vel" cutoff="2" noise=".1"',
    'user dim="0"', 'user dim="4" datatype="quaternion"', 'user dim="3" datatype="axis" needstage="pos"',
    'user dim="2" needstage="none"',
    *(f'user dim="2" objtype="{kind}" objname="{name}"' for kind, name in (
        ("xbody", "a"), ("joint", "jb"), ("geom", "gb"), ("site", "sb"), ("camera", "c"), ("light", "l"), ("mesh", "m"),
        ("tendon", "tn"), ("actuator", "o1"))),
    *(f'jointpos joint="ja" {more}' for more in (
        'nsample="3"', 'nsample="3" delay=".1" interp="linear"', 'interval=".1"', 'interval=".1 -.05"',
        'nsample="3" interval=".1" delay=".2" interp="cubic"', 'user="1 2"')),
]  # fmt: skip

UNKNOWN = 'jointposition joint="ja"'
REFUSED = [
    "touch", 'touch site="x"', 'touch site="sa" cutoff="-1"', 'touch site="sa" noise="-1"',
    'touch site="sa" sight="sa"',
    'rangefinder camera="c" site="sa"', 'rangefinder', 'rangefinder site="sa" data="dir dist"',
    'rangefinder site="sa" data="foo"', 'camprojection site="sa"', 'camprojection camera="c"',
    'camprojection site="sa" camera="x"',
    *(f'{kind} joint="{name}"' for kind in ("jointpos", "jointvel", "jointactuatorfrc") for name in ("jf", "jo")),
    *(f'{kind} joint="ja"' for kind in ("ballquat", "ballangvel")), 'jointlimitpos joint="jf"',
    'tendonlimitpos tendon="tn"',
    'framepos objtype="joint" objname="ja"', 'framepos objname="a"', 'framepos objtype="site"',
    'framepos objtype="site" objname="sa" reftype="site"', 'framepos objtype="site" objname="sa" refname="sb"',
    'framelinacc objtype="site" objname="sa" reftype="body" refname="b"',
    'framequat objtype="body" objname="a" cutoff="2"',
    'framexaxis objtype="body" objname="a" cutoff="2"', 'insidesite site="sa"', 'distance geom1="ga"',
    'distance geom1="ga" body1="a" geom2="gb"', 'distance geom1="ga" geom2="ga"', 'distance body1="a" body2="a"',
    'contact geom1="ga" body1="a"', 'contact data="dist found"', 'contact data="found found"', 'contact data="x"',
    'contact data="linvel" reduce="netforce"', 'contact num="0"', 'contact reduce="x"', 'tactile geom="ga"',
    'tactile geom="x" mesh="m"', "user", 'user dim="3" datatype="quaternion"', 'user dim="2" datatype="axis"',
    'user dim="3" objtype="body"', 'user dim="3" objname="a"', 'user dim="3" objtype="body" objname="x"',
    'user dim="-1"',
    'jointpos joint="ja" delay=".1"', 'jointpos joint="ja" interval=".1 .05"', 'jointpos joint="ja" interval="-1"',
    'actuatorpos actuator="x"', 'subtreecom body="x"', UNKNOWN,
    *(f'insidesite site="sa" objtype="{kind}" objname="{name}" enclosed="true"' for kind, name in (
        ("camera", "c"), ("body", "empty"), ("xbody", "empty"), ("geom", "floor"), ("xbody", "world"))),
    'contact geom2="gb" body2="a"', 'contact subtree1="a" site="sa"', 'contact num="-1"', 'contact num="1.5"',
    'contact geom1="x"', 'contact body1="x"', 'contact subtree2="x"', 'contact site="x"', 'contact cutoff="-1"',
]  # fmt: skip


@pytest.mark.parametrize("sensor", SENSORS)
def test_sensors(sensor):
    """One sensor of each kind behind another one, so that its address counts."""
    text = model('framequat objtype="body" objname="a"', sensor, "clock")
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


@pytest.mark.parametrize("name", ["near foot", ""])
@pytest.mark.parametrize("sensor", REFUSED)
def test_sensors_that_cannot_be(sensor, name):
    """MuJoCo refuses them, and so does the reader, with the line, and the name where there is one."""
    text = model(f'{sensor} name="{name}"' if name else sensor)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match=f"MJCF:{LINE}: <{sensor.split()[0]}>") as caught:
        our_fields(text)
    assert ("(sensor 'near foot')" in str(caught.value)) == (name != "" and sensor != UNKNOWN)


def test_names_twice():
    with pytest.raises(carom.Error, match="'x' is given twice"):
        our_fields(model('clock name="x"', 'clock name="x"'))


CHILD = """<mujoco model="ch"><worldbody><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/>
<camera name="c"/></body><body name="o"><joint name="jo"/><geom size=".1"/></body></worldbody>
<actuator><motor name="m" joint="j"/></actuator><sensor><jointpos name="p" joint="j"/><touch site="s"/>
<actuatorpos actuator="m"/><jointpos joint="jo"/><clock/><contact geom1="g"/><contact/><user dim="2"/>
<framepos objtype="site" objname="s" reftype="body" refname="o"/><framepos objtype="camera" objname="c"/></sensor>
<custom><numeric name="n" data="1 2"/><text name="t" data="x"/></custom></mujoco>"""


def test_sensors_of_attached_bodies(tmp_path):
    """Those that measure nothing outside of the body come along, and so does <custom>."""
    (tmp_path / "child.xml").write_text(CHILD)
    path = tmp_path / "parent.xml"
    path.write_text("""<mujoco><asset><model name="ch" file="child.xml"/></asset><worldbody>
        <attach model="ch" body="b" prefix="x_"/></worldbody><sensor><clock name="own"/></sensor></mujoco>""")
    assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []
    assert carom.load_custom(path) == {"numeric": {"x_n": [1, 2]}, "text": {"x_t": "x"}, "tuple": {}}


def test_sensors_of_copies():
    """A sensor of what is in a replicate is copied with it."""
    text = mjcf(
        """<replicate count="3"><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/>
        <camera name="c"/></body></replicate>""", "",
        """<sensor><jointpos name="p" joint="j"/><touch site="s"/><contact geom1="g" num="2"/>
        <framepos objtype="camera" objname="c" reftype="body" refname="b"/></sensor>""",
    )
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_classes_of_cameras():
    """A resolution that a class gives counts for rangefinders."""
    text = model('rangefinder camera="c2"', before=default('<camera resolution="3 4"/>'))
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


BAD_CAMERAS = ['fovy="180"', 'fovy="20" sensorsize="1 1"', 'focal="1 1"', 'sensorsize="0 1" principal="1 1"',
               'sensorsize="1 1" focal="1 1" resolution="0 2"', 'focalpixel="1 1" resolution="2 2"',
               'mode="targetbody" target="x"', 'mode="free"']  # fmt: skip


@pytest.mark.parametrize("camera", BAD_CAMERAS)
def test_cameras_that_cannot_be(camera):
    text = mjcf(f"\n<camera {camera}/>")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match="MJCF:2: <camera>"):
        our_fields(text)


@pytest.mark.parametrize("site", ['size="0"', 'size="-1"', 'type="box" size="1 0 1"', 'type="mesh" mesh="x"'])
def test_sites_that_cannot_be(site):
    text = mjcf(f"\n<site {site}/>")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match="MJCF:2: <site>"):
        our_fields(text)
