"""Model.to_mjcf(): MuJoCo reads back sensors that read the same, and load_mjcf() the same rows."""

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, mjcf
from mujoco_states import find_model, mujoco
from test_mjcf_sensor_rows import built, sensor_columns
from test_mjcf_sensors import CAMERAS, MESH, SENSORS, model

KEPT = [sensor for sensor in SENSORS if sensor.split()[0] not in ("user", "tactile")]
BY_KEY = ("sensor_shape", "sensor_reference_shape")  # rows of shapes: frames may have got sites of their own


def written(text):
    return built(text).finalize().to_mjcf()


def readings(m, qpos, qvel, ctrl):
    data = mujoco.MjData(m)
    data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
    mujoco.mj_forward(m, data)
    return data.sensordata.copy()


def assert_same_readings(m, other, tolerance):
    assert m.sensor_type.tolist() == other.sensor_type.tolist() and m.sensor_dim.tolist() == other.sensor_dim.tolist()
    rng = np.random.default_rng(4)
    for _ in range(3):
        qpos, qvel, ctrl = m.qpos0.copy(), rng.normal(size=m.nv), rng.normal(size=m.nu)
        mujoco.mj_integratePos(m, qpos, qvel, 0.3)
        mine, others = readings(m, qpos, qvel, ctrl), readings(other, qpos, qvel, ctrl)
        assert others == pytest.approx(mine, rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("sensor", KEPT)
def test_round_trip(sensor):
    """Numbers of cameras are in single precision in MuJoCo, and it searches for what juts out up to ccd_tolerance."""
    text = model("clock", sensor)
    again = written(text)
    tolerance = 1e-5 if "camera=" in sensor else 1e-6 if "enclosed" in sensor else 1e-9
    assert_same_readings(mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(again), tolerance)
    mine, other = built(text), built(again)
    others = sensor_columns(other)
    for name, column in sensor_columns(mine).items():
        if name not in BY_KEY:
            assert column == pytest.approx(others[name], abs=1e-9), name
    assert mine.sensor_key == other.sensor_key
    for column in BY_KEY:
        keys = [[b.shape_key[row] if row >= 0 else "" for row in getattr(b, column).numpy()] for b in (mine, other)]
        assert keys[0] == keys[1]


def test_all_at_once():
    """Sites and cameras that several sensors ask for are written once, and all names are there."""
    rows = "".join(f"<{sensor}/>" for sensor in KEPT if 'name="x"' not in sensor)
    text = mjcf(ARM + FREE + SOCKET + CAMERAS, MESH, model().split("</worldbody>")[1].replace(
        "<sensor></sensor></mujoco>", f"<sensor>{rows}</sensor>"))  # fmt: skip
    m = mujoco.MjModel.from_xml_string(text)
    assert m.nsensor > 80
    assert_same_readings(m, mujoco.MjModel.from_xml_string(written(text)), 1e-5)


def test_things_without_names():
    """Sensors refer to what nobody named: it gets a name."""
    builder = carom.ModelBuilder()
    body = builder.add_body(xform=(0, 0, 1, 0, 0, 0, 1))
    ball = builder.add_shape_sphere(body, radius=0.1)
    site = builder.add_site(body, (0, 0, 0.1, 0, 0, 0, 1))
    link = builder.add_link()
    builder.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1)
    joint = builder.add_joint_revolute(-1, link, axis=(0, 1, 0))
    builder.add_articulation([joint])
    tendon = builder.add_tendon_fixed([(joint, 2.0)])
    actuator = builder.add_actuator_tendon(tendon)
    builder.add_sensor("touch", site=site)
    builder.add_sensor("jointpos", joint=joint)
    builder.add_sensor("tendonpos", tendon=tendon)
    builder.add_sensor("actuatorfrc", actuator=actuator)
    builder.add_sensor("framepos", frame=(link, (1, 2, 3, 0, 0, 0, 1)), reference_shape=ball)
    builder.add_sensor_contact(geom1=ball, body2=-1)
    m = mujoco.MjModel.from_xml_string(builder.finalize().to_mjcf())
    assert m.nsensor == 6 and m.sensor_objid[5] == 0 and m.sensor_refid[5] == 0
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    assert data.sensordata[4:7] == pytest.approx([1, 2, 2])


@pytest.mark.parametrize("shape", ["PLANE", "CONE"])
def test_volumes_that_mjcf_has_not(shape):
    builder = carom.ModelBuilder()
    body = builder.add_body()
    builder.add_shape_sphere(body, radius=0.1)
    builder.add_sensor("touch", site=builder.add_site(body, type=carom.ShapeType[shape]), key="t")
    with pytest.raises(carom.Error, match="sensor 't': its site is a"):
        builder.finalize().to_mjcf()


@pytest.mark.parametrize("name", ["contact.xml", "contact_net.xml", "contact_sorted.xml"])
def test_files(name):
    path = find_model(f"mujoco_tests/{name}")
    other = mujoco.MjModel.from_xml_string(built(path).finalize().to_mjcf())
    m = mujoco.MjModel.from_xml_path(str(path))
    assert m.sensor_intprm.tolist() == other.sensor_intprm.tolist()
    assert_same_readings(m, other, 1e-6)
