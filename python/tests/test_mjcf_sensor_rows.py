"""Sensors of MJCF files as rows of a model: what they look at, and the sites that they name."""

import warnings

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, mjcf
from mujoco_states import find_model, mujoco
from test_mjcf_sensors import CAMERAS, MESH, REST, SENSORS, model

# By the numbers of SensorObject.
NONE, BODY, SUBTREE, SHAPE, SITE, FRAME, JOINT, TENDON, ACTUATOR = range(9)
KINDS, GEOMS, CONTACT = mujoco.mjtObj, mujoco.mjtGeom, int(mujoco.mjtSensor.mjSENS_CONTACT)
MUJOCO = {int(KINDS.mjOBJ_UNKNOWN): NONE, int(KINDS.mjOBJ_BODY): BODY, int(KINDS.mjOBJ_XBODY): SUBTREE,
          int(KINDS.mjOBJ_GEOM): SHAPE, int(KINDS.mjOBJ_SITE): SITE}  # fmt: skip
SHAPES = {int(getattr(GEOMS, f"mjGEOM_{name}")): name for name in ("SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX")}
SHAPES[int(GEOMS.mjGEOM_MESH)] = "CONVEX_HULL"


def built(text, **arguments):
    builder = carom.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.add_mjcf(text, **arguments)
    return builder


def world_frame(builder, row, side="sensor"):
    """Position and rotation (as a matrix) of a sensor's frame, at the start."""
    body = getattr(builder, f"{side}_body").numpy()[row]
    frame = getattr(builder, f"{side}_frame").numpy()[row]
    X = np.array([0, 0, 0, 0, 0, 0, 1.0]) if body < 0 else builder.body_q.numpy()[body]
    turn, own = matrix(X[3:]), matrix(frame[3:])
    return X[:3] + turn @ frame[:3], turn @ own


def matrix(xyzw):
    result = np.zeros(9)
    mujoco.mju_quat2Mat(result, np.roll(xyzw, 1))
    return result.reshape(3, 3)


FRAMES = {
    "body": lambda m, d, i: (d.xipos[i], d.ximat[i]), "xbody": lambda m, d, i: (d.xpos[i], d.xmat[i]),
    "geom": lambda m, d, i: (d.geom_xpos[i], d.geom_xmat[i]), "site": lambda m, d, i: (d.site_xpos[i], d.site_xmat[i]),
    "camera": lambda m, d, i: (d.cam_xpos[i], d.cam_xmat[i]),
}  # fmt: skip
OF_TYPE = {int(getattr(KINDS, f"mjOBJ_{kind.upper()}")): kind for kind in FRAMES}


@pytest.mark.parametrize("sensor", [s for s in SENSORS if s.split()[0] not in ("user", "tactile")])
def test_rows(sensor):
    """Frames are where MuJoCo has them at qpos0, everything else has MuJoCo's numbers."""
    text = model("clock", sensor)
    m, builder = mujoco.MjModel.from_xml_string(text), built(text)
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    assert builder.sensor_count == 2
    assert builder.sensor_type.numpy().tolist() == m.sensor_type.tolist()
    for side, kind, row in (("sensor", m.sensor_objtype[1], m.sensor_objid[1]),
                            ("sensor_reference", m.sensor_reftype[1], m.sensor_refid[1])):  # fmt: skip
        mine = getattr(builder, "sensor_object_type" if side == "sensor" else "sensor_reference_type").numpy()[1]
        if mine == FRAME:
            place, turn = FRAMES[OF_TYPE[kind]](m, data, row)
            position, rotation = world_frame(builder, 1, side)
            assert position == pytest.approx(place, abs=1e-12)
            assert rotation.ravel() == pytest.approx(turn, abs=1e-12)
        elif mine in (BODY, SUBTREE):
            assert getattr(builder, f"{side}_body").numpy()[1] == row - 1
        elif mine == SHAPE:
            assert getattr(builder, f"{side}_shape").numpy()[1] == row
        elif mine == SITE:
            shape = getattr(builder, f"{side}_shape").numpy()[1]
            assert shape >= m.ngeom and builder.shape_key[shape] == m.site(row).name
    for name, column in (("cutoff", "sensor_cutoff"), ("noise", "sensor_noise")):
        assert getattr(builder, column).numpy()[1] == getattr(m, f"sensor_{name}")[1]
    samples = m.sensor_history[1][0]
    assert builder.sensor_samples.numpy()[1] == samples
    if samples > 0:
        assert builder.sensor_delay.numpy()[1] == m.sensor_delay[1]
        assert builder.sensor_interval.numpy()[1].tolist() == m.sensor_interval[1].tolist()
        assert builder.sensor_interpolation.numpy()[1] == m.sensor_history[1][1]
    if m.sensor_type[1] == CONTACT:
        numbers = [getattr(builder, f"sensor_{name}").numpy()[1] for name in ("data", "reduce", "num")]
        assert numbers == m.sensor_intprm[1].tolist()
        assert builder.sensor_object_type.numpy()[1] == MUJOCO[m.sensor_objtype[1]]
        assert builder.sensor_reference_type.numpy()[1] == MUJOCO[m.sensor_reftype[1]]


def test_joints_are_axes():
    """Consecutive slides and hinges of a body are one joint of several axes."""
    sensors = "".join(f'<jointpos joint="j{i}"/>' for i in range(4))
    inner = '<body><joint name="j3"/><geom size=".1"/></body>'
    text = mjcf('<body><joint name="j0" type="slide" axis="1 0 0"/><joint name="j1" type="slide" axis="0 1 0"/>'
                f'<joint name="j2" axis="0 0 1"/><geom size=".1"/>{inner}</body>', "",
                f"<sensor>{sensors}</sensor>")  # fmt: skip
    builder = built(text)
    assert builder.sensor_joint.numpy().tolist() == [0, 0, 0, 1]
    assert builder.sensor_axis.numpy().tolist() == [0, 1, 2, 0]


def test_sites_are_behind_geoms():
    """Those that sensors name, with their size; a name that a geom has, too, is made another one."""
    kinds = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
    sites = "".join(f'<site name="{kind}" type="{kind}" size=".1 .2 .3" pos="1 2 3"/>' for kind in kinds)
    geoms = '<geom name="box" size=".1"/><geom name="other" size=".1"/>'
    sensors = "".join(f'<touch name="t{kind}" site="{kind}"/>' for kind in (*kinds, "hull"))
    hull = '<site name="hull" type="mesh" mesh="m" pos="3 2 1"/>'
    bodies = f"<body>{sites}<site name='no sensor names it'/>{hull}{geoms}</body>"
    text = mjcf(bodies, MESH, f"<sensor>{sensors}</sensor>")
    m, builder = mujoco.MjModel.from_xml_string(text), built(text)
    assert builder.shape_key == ["box", "other", *kinds[:-1], "box_2", "hull"]
    assert builder.sensor_shape.numpy().tolist() == [2, 3, 4, 5, 6, 7]
    for shape, site in zip(range(2, 8), (0, 1, 2, 3, 4, 6)):
        assert carom.ShapeType(builder.shape_type.numpy()[shape]).name == SHAPES[m.site_type[site]]
        assert builder.shape_transform.numpy()[shape][:3] == pytest.approx(m.site_pos[site])
        assert not builder.shape_flags.numpy()[shape] & int(carom.ShapeFlag.COLLIDES_SHAPES)
    scale = builder.shape_scale.numpy()
    assert scale[2][0] == 0.1 and scale[3][:2].tolist() == [0.1, 0.2] and scale[6].tolist() == [0.1, 0.2, 0.3]
    assert builder.body_mass.numpy()[0] == m.body_mass[1]
    builder.finalize()


LENSES = {
    'fovy="60" resolution="10 20"': (10 / np.tan(np.pi / 6), 10 / np.tan(np.pi / 6), 5, 10),
    'sensorsize=".3 .2" focal=".1 .5" resolution="30 20"': (10, 50, 0, 0),
    'sensorsize=".3 .2" focalpixel="7 11" principalpixel="2 3" resolution="30 20"': (7, 11, 2, 3),
}


@pytest.mark.parametrize("lens", LENSES)
def test_cameras(lens):
    """Rays start from the camera's own principal point, projections from the middle, as in MuJoCo."""
    fx, fy, cx, cy = LENSES[lens]
    text = mjcf(f'<site name="s" pos=".3 .2 -1"/><camera name="c" pos="0 0 3" {lens}/>', "",
                '<sensor><rangefinder camera="c"/><camprojection site="s" camera="c"/></sensor>')  # fmt: skip
    builder, m = built(text), mujoco.MjModel.from_xml_string(text)
    across, down = m.cam_resolution[0]
    camera = builder.sensor_camera.numpy()
    assert camera[0] == pytest.approx([fx, fy, cx, cy], rel=1e-6)
    assert camera[1] == pytest.approx([fx, fy, across / 2, down / 2], rel=1e-6)
    assert builder.sensor_resolution.numpy().tolist() == [[across, down]] * 2
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    seen = [across / 2 + camera[1][0] * 0.3 / 4, down / 2 - camera[1][1] * 0.2 / 4]  # 4 below the camera
    assert data.sensordata[-2:] == pytest.approx(seen, rel=1e-6)


@pytest.mark.parametrize("sensor, said", [
    ('framepos objtype="camera" objname="moves"', "camera that follows something: sensor 'x'"),
    ('camprojection site="sa" camera="moves"', "against a camera that follows something: sensor 'x'"),
    ('framepos objtype="site" objname="sa" reftype="camera" refname="moves"', "against a camera"),
    ('rangefinder camera="flat"', "orthographic"), ('rangefinder camera="blind"', "without a positive focal length"),
])  # fmt: skip
def test_what_cannot_be_expressed(sensor, said):
    """It is refused by name, and can be left out."""
    cameras = '<camera name="moves" mode="track"/><camera name="flat" projection="orthographic"/>' \
              '<camera name="blind" sensorsize="1 1"/>'
    text = mjcf(ARM + FREE + SOCKET + CAMERAS + cameras, "", f'<sensor><{sensor} name="x"/><clock/></sensor>')
    with pytest.raises(carom.Error, match=said) as caught:
        built(text)
    assert "ignore=['sensor']" in str(caught.value)
    with pytest.warns(UserWarning, match="left out"):
        builder = carom.from_mujoco(mujoco.MjModel.from_xml_string(text), ignore=["sensor"])
    assert builder.sensor_count == 0


def test_flag():
    """Sensors that a flag disables are not there, and are told of."""
    text = mjcf(ARM, '<option><flag sensor="disable"/></option>', '<sensor><jointpos name="q" joint="ja"/></sensor>')
    builder = carom.ModelBuilder()
    with pytest.warns(UserWarning, match="sensors that a flag disables: sensor 'q'"):
        builder.add_mjcf(text)
    assert builder.sensor_count == 0 and builder.shape_count == 3


def sensor_columns(model):
    names = [name for name in dir(model) if name.startswith("sensor_") and hasattr(getattr(model, name), "numpy")]
    return {name: getattr(model, name).numpy() for name in names}


def test_both_doors():
    """An mjModel and its file give the same rows."""
    kept = [s for s in SENSORS if s.split()[0] not in ("user", "tactile") and 'name="x"' not in s]
    text = mjcf(ARM + FREE + SOCKET + CAMERAS, MESH,
                f"{REST}<sensor>{''.join(f'<{s}/>' for s in kept)}</sensor>")  # fmt: skip
    mine, other = built(text), carom.from_mujoco(mujoco.MjModel.from_xml_string(text))
    assert mine.sensor_count == other.sensor_count == len(kept)
    others = sensor_columns(other)
    for name, column in sensor_columns(mine).items():
        assert column == pytest.approx(others[name], abs=1e-12), name
    assert mine.options.magnetic == other.options.magnetic == pytest.approx((0, -0.5, 0))


def test_magnetic():
    assert built(mjcf(ARM, '<option magnetic="1 2 3"/>')).options.magnetic == (1, 2, 3)


FILES = {"contact.xml": 12, "contact_net.xml": 2, "contact_sorted.xml": 5, "contact_subtree.xml": 9,
         "contact_subtree_partial.xml": 7}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_conformance_files(name):
    """MuJoCo's own tests of contact sensors: every sensor is a row, with its criteria, data and size."""
    path = find_model(f"mujoco_tests/{name}")
    m = mujoco.MjModel.from_xml_path(str(path))
    builder = carom.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # options of attached models
        builder.add_mjcf(path)
    assert builder.sensor_count == m.nsensor == FILES[name]
    assert builder.sensor_key == [m.sensor(i).name for i in range(m.nsensor)]
    sizes = np.array([1, 3, 3, 1, 3, 3, 3, 3, 3])
    for i in range(m.nsensor):
        assert builder.sensor_type.numpy()[i] == m.sensor_type[i] == CONTACT
        data, reduce, num = (getattr(builder, f"sensor_{column}").numpy()[i] for column in ("data", "reduce", "num"))
        assert [data, reduce, num] == m.sensor_intprm[i].tolist()
        assert num * sizes[(data >> np.arange(9) & 1) == 1].sum() == m.sensor_dim[i]
        for side, kind, row in (("sensor", m.sensor_objtype[i], m.sensor_objid[i]),
                                ("sensor_reference", m.sensor_reftype[i], m.sensor_refid[i])):  # fmt: skip
            mine = getattr(builder, "sensor_object_type" if side == "sensor" else "sensor_reference_type").numpy()[i]
            assert mine == MUJOCO[kind]
            if mine in (BODY, SUBTREE):
                assert getattr(builder, f"{side}_body").numpy()[i] == row - 1
            if mine == SHAPE:
                assert getattr(builder, f"{side}_shape").numpy()[i] == row
            if mine == SITE:
                assert builder.shape_key[getattr(builder, f"{side}_shape").numpy()[i]] == m.site(row).name
