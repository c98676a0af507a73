"""Loops that equality constraints close under SolverSemiImplicit, SolverFeatherstone and SolverXPBD: robots of other
projects against MuJoCo, and what sensors read of forces with each solver, against statics and MuJoCo."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import find_model, mujoco

NAMES = ("semi_implicit", "featherstone", "xpbd")
G = 9.81


def stiff(model, dt):
    """With equality constraints that hold as hard as MuJoCo's can at this step, as the loops of these solvers do."""
    model.opt.timestep, model.opt.tolerance, model.opt.iterations = dt, 1e-14, 200
    model.eq_solref[:] = 5 * dt, 1
    model.eq_solimp[:, :3] = 0.999, 0.9999, 0.001
    return model


def simulation(model, name, dt, qpos, ctrl, worlds=2):
    """Worlds of an MjModel, all alike, from qpos and at rest: their model, and what steps them."""
    scene = carom.ModelBuilder()
    scene.replicate(carom.from_mujoco(model), worlds)
    built = scene.finalize()
    # Armatures of many times what the links weigh take SolverXPBD many sweeps.
    solver = carom.SolverXPBD(built, iterations=16) if name == "xpbd" else name
    sim = carom.Simulation(built, solver, dt=dt)
    rows = np.tile(qpos, (worlds, 1))
    sim.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, rows).reshape(-1))
    sim.control.ctrl.assign(carom.mujoco.ctrl_from_mujoco(model, np.tile(ctrl, (worlds, 1))).reshape(-1))
    return built, sim


def qpos_of(model, sim):
    """Of the first world; the others have the same bits."""
    q = sim.state.joint_q.numpy().reshape(-1, model.nq)
    assert all(row.tobytes() == q[0].tobytes() for row in q)
    return carom.mujoco.joint_q_to_qpos(model, q[:1])[0]


def places(model, qpos):
    """Of all bodies, as MuJoCo finds them."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return np.array(data.xpos)


def turned(q, v):
    u, w = q[..., :3], q[..., 3:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def gaps(model, sim):
    """How far the anchors of connects are apart, in all worlds [m]."""
    X = sim.state.body_q.numpy()

    def ends(body, anchor):
        X_WB = X[getattr(model, body).numpy()]
        return X_WB[:, :3] + turned(X_WB[:, 3:], getattr(model, anchor).numpy())

    return np.linalg.norm(ends("equality_constraint_body1", "equality_constraint_anchor")
                          - ends("equality_constraint_body2", "equality_constraint_anchor2"), axis=1)


# -- Cassie: four connects, by rods on ball joints and hinges, through springs

CASSIE = "menagerie/agility_cassie/cassie.xml"


@pytest.fixture(scope="module")
def cassie():
    return mujoco.MjModel.from_xml_path(str(find_model(CASSIE)))


def closed_pose(path):
    """Of Cassie at home, with rods that fit to 2 micrometres: those of its keyframe are 2 mm off."""
    model = stiff(mujoco.MjModel.from_xml_path(path), 5e-4)
    model.opt.gravity[:] = 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_SPRING
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(400):
        data.qvel[:] = 0
        mujoco.mj_step(model, data)
    return np.array(data.qpos)


def motors(model, size):
    """A part of what they can do, each its own."""
    return size * model.actuator_ctrlrange[:, 1] * np.random.default_rng(3).uniform(-1, 1, model.nu)


# Of all bodies, from where MuJoCo brings them [m]; of coordinates [m], [rad]; anchors apart [m]. Joints of
# SolverSemiImplicit give way by a ten-thousandth of a metre each under the 165 N that the rods carry.
FALLS = {"featherstone": (5e-4, 3e-3, 1e-5), "semi_implicit": (3e-3, 0.015, 5e-4), "xpbd": (3e-3, 0.015, 5e-4)}


@pytest.mark.parametrize("name", NAMES)
def test_cassie_falls_as_under_mujoco(cassie, name):
    """With motors on, for 0.08 s, in which joints turn by up to 0.44 rad: the time until one comes to its limit. Two
    runs of MuJoCo with steps of 0.1 ms and of 0.01 ms are 0.1 mm and 3e-4 rad apart by then."""
    dt, steps = 1e-4, 800
    start, ctrl = closed_pose(str(find_model(CASSIE))), motors(cassie, 0.2)
    reference = stiff(mujoco.MjModel.from_xml_path(str(find_model(CASSIE))), dt)
    data = mujoco.MjData(reference)
    data.qpos[:], data.ctrl[:] = start, ctrl
    for _ in range(steps):
        mujoco.mj_step(reference, data)
        assert data.ncon == 0 and data.nefc == 12  # of the connects alone
    worlds, sim = simulation(cassie, name, dt, start, ctrl)
    away, angle, apart = FALLS[name]
    for _ in range(8):
        assert not sim.step(steps // 8).numpy().any()
        assert gaps(worlds, sim).max() < apart
    qpos = qpos_of(cassie, sim)
    assert np.abs(places(cassie, qpos) - places(cassie, data.qpos)).max() < away
    assert np.abs(places(cassie, qpos) - places(cassie, start)).max() > 0.05
    hinges = np.isin(cassie.jnt_type, (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE))
    at = cassie.jnt_qposadr[hinges]
    assert np.abs(qpos[at] - data.qpos[at]).max() < angle


@pytest.mark.parametrize("name, apart", [("featherstone", 1e-4), ("semi_implicit", 2e-3), ("xpbd", 2e-3)])
def test_the_loops_of_cassie_stay_closed(cassie, name, apart):
    """For half a second of steps of 1 ms, with limits: anchors that begin up to 2 mm apart come together, and stay
    within a tenth of a millimetre in joint coordinates, and 2 mm where joints give way, of a robot of 1 m and 33 kg."""
    worlds, sim = simulation(cassie, name, 0.001, cassie.key_qpos[0], motors(cassie, 0.3), worlds=1)
    assert 1.9e-3 < gaps(worlds, sim).max() < 2e-3
    for n in range(50):
        assert not (sim.step(10).numpy() & 3).any()  # all finite, and with room
        assert n < 10 or gaps(worlds, sim).max() < apart
    assert np.abs(sim.state.joint_qd.numpy()).max() < 100
    assert sim.state.joint_q.numpy()[2] < cassie.key_qpos[0][2] - 0.5


# -- ViperX 300 S: two fingers that are coupled, of which one has a motor

VIPER = "menagerie/trossen_vx300s/vx300s.xml"
POSE = np.array([0.3, -0.5, 0.6, 0.4, 0.5, -0.4, 0.045, -0.045])
TARGETS = np.array([-0.2, -0.9, 1.1, 0, 0.1, 0.3, 0.028])
# Of the arm [rad], of the fingers [m], the sum of the fingers [m].
REACHES = {"featherstone": (3e-3, 1e-4, 1e-6), "semi_implicit": (0.01, 2e-4, 1e-4), "xpbd": (0.02, 5e-4, 3e-4)}


@pytest.mark.parametrize("name", NAMES)
def test_coupled_fingers_close_as_under_mujoco(name):
    """The arm reaches for half of its way in 0.1 s, and a finger without a motor is drawn along by the other one.
    (Without dry friction, which MuJoCo has softly.) MuJoCo with this step and a tenth of it is 6e-4 rad apart."""
    path = str(find_model(VIPER))
    model = mujoco.MjModel.from_xml_path(path)
    model.dof_frictionloss[:] = 0
    reference = stiff(mujoco.MjModel.from_xml_path(path), 1e-4)
    reference.dof_frictionloss[:] = 0
    data = mujoco.MjData(reference)
    data.qpos[:], data.ctrl[:] = POSE, TARGETS
    for _ in range(1000):
        mujoco.mj_step(reference, data)
        assert data.ncon == 0 and data.nefc == 1
    assert np.abs(data.qpos - POSE)[:6].min() > 0.19 and np.abs(data.qpos - POSE)[6:].min() > 0.01
    _, sim = simulation(model, name, 5e-4, POSE, TARGETS)
    arm, finger, together = REACHES[name]
    for _ in range(20):
        assert not (sim.step(10).numpy() & 3).any()
        assert abs(qpos_of(model, sim)[6:].sum()) < together
    off = np.abs(qpos_of(model, sim) - data.qpos)
    assert off[:6].max() < arm and off[6:].max() < finger


@pytest.mark.parametrize("name", NAMES)
def test_fingers_that_are_let_go(name):
    """A coupling that is switched off by an edit holds nothing: the finger without a motor stays behind."""
    model = mujoco.MjModel.from_xml_path(str(find_model(VIPER)))
    worlds, sim = simulation(model, name, 1e-3, POSE, TARGETS, worlds=3)
    with worlds.edit():
        worlds.equality_constraint_enabled[1] = 0
    sim.step(200)
    fingers = sim.state.joint_q.numpy().reshape(3, -1)[:, 6:]
    assert np.abs(fingers[[0, 2]].sum(axis=1)).max() < 5e-4
    assert fingers[1, 0] < 0.035 and fingers[1, 1] < -0.044


# -- What sensors read of forces

LEG = """<body name="{0}" pos="0 {1} -.1"><joint name="{0}" axis="0 1 0" range="-60 60" damping="2" armature=".01"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02" mass=".5" contype="0" conaffinity="0"/>
  <geom type="box" size=".08 .04 .02" pos=".01 0 -.25" mass=".7" friction="0 0 0" condim="1"/>
  <site name="{0}_hip"/><site name="{0}_sole" type="box" size=".1 .06 .04" pos=".01 0 -.25"/></body>"""
# Without friction all forces follow from statics: the trunk is heavier in front, so the hips have to hold it.
STANDING = f"""<mujoco><option timestep=".002"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" friction="0 0 0" condim="1"/>
  <body name="trunk" pos="0 0 .37"><freejoint/>
    <geom type="box" size=".1 .15 .05" pos=".03 0 0" mass="4" contype="0" conaffinity="0"/>
    <site name="imu" pos="0 0 .05"/>
    {LEG.format("left", 0.12)}{LEG.format("right", -0.12)}</body></worldbody>
  <actuator><position name="left" joint="left" kp="80" kv="2" gear="2"/>
    <position name="right" joint="right" kp="80" kv="2" gear="2"/></actuator>
  <sensor><contact name="weight" body1="world" subtree2="trunk" data="found force" reduce="netforce"/>
    <touch name="touch" site="left_sole"/><force name="force" site="left_hip"/><torque name="torque" site="left_hip"/>
    <accelerometer name="acceleration" site="imu"/><gyro name="gyro" site="imu"/>
    <jointactuatorfrc name="effort" joint="left"/><actuatorfrc name="motor" actuator="left"/>
    <jointlimitfrc name="limit" joint="left"/></sensor></mujoco>"""
SENSORS = ("touch", "force", "torque", "acceleration", "gyro", "effort", "motor", "limit")


def mean_readings(sim, keys, steps=100):
    sums = {key: 0.0 for key in keys}
    for _ in range(steps):
        sim.step()
        for key in keys:
            sums[key] = sums[key] + np.array(sim.sensor(key).numpy(), np.float64)[0] / steps
    return sums


def made(model, name):
    """Four sweeps calm what a servo's feet press with in SolverXPBD."""
    return carom.SolverXPBD(model, iterations=4) if name == "xpbd" else name


@pytest.mark.parametrize("name", ("mujoco", *NAMES))
def test_a_robot_that_stands_feels_its_weight(name):
    """The mean over 100 steps: the floor carries all of it within 0.5 %, a foot half of it, a hip half of the trunk,
    and the servos what holds the trunk's heavy front; as MuJoCo reads it within 1 %."""
    model = carom.load_mjcf(STANDING)
    with model.edit():  # a floor that does not lean with the robot
        model.shape_material_ke.numpy()[:], model.shape_material_kd.numpy()[:] = 1e5, 2e3
    sim = carom.Simulation(model, made(model, name))
    sim.control.ctrl.numpy()[:] = 0.05
    assert not (sim.step(2500).numpy() & 3).any()
    read = mean_readings(sim, ("weight", *SENSORS))
    weight, trunk = (4 + 2 * 1.2) * G, 4 * G
    assert abs(read["weight"][0] - 1) < 1e-9 and abs(read["weight"][3] - weight) < 0.005 * weight
    assert np.abs(read["weight"][1:3]).max() < 0.001 * weight
    assert abs(read["touch"][0] - weight / 2) < 0.005 * weight
    assert abs(read["force"][2] + trunk / 2) < 0.005 * weight
    assert abs(read["acceleration"][2] - G) < 0.005 * G
    assert abs(read["effort"][0] - 2 * read["motor"][0]) < 1e-3 * abs(read["effort"][0])  # the gear
    q = sim.state.joint_q.numpy()[7]
    assert abs(read["motor"][0] - 80 * (0.05 - 2 * q)) < 0.02 * abs(read["motor"][0])
    reference = mujoco.MjModel.from_xml_string(STANDING)
    data = mujoco.MjData(reference)
    data.ctrl[:] = 0.05
    mujoco.mj_step(reference, data, 2500)
    for key in SENSORS:
        expected = data.sensor(key).data
        np.testing.assert_allclose(read[key], expected, atol=0.01 * max(np.abs(expected).max(), 0.5), err_msg=key)


# A bar on a hinge whose other end a connect holds: each carries half of it.
BAR = """<mujoco><option timestep=".002"/><worldbody>
  <body name="bar" pos="0 0 1"><joint name="hinge" axis="0 1 0" damping=".5"/>
    <geom type="box" size=".5 .02 .02" pos=".5 0 0" mass="3" contype="0" conaffinity="0"/>
    <site name="at_hinge"/><site name="end" pos="1 0 0"/></body></worldbody>
  <equality>{0}</equality>
  <sensor><force name="force" site="at_hinge"/><torque name="torque" site="at_hinge"/>
    <accelerometer name="acceleration" site="end"/></sensor></mujoco>"""
HELD = {"connect": '<connect name="pin" body1="bar" anchor="1 0 0" solref=".005 1"/>',
        "connect from the world": '<connect name="pin" body1="world" body2="bar" anchor="1 0 1" solref=".005 1"/>'}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("name", ("mujoco", *NAMES))
def test_what_a_connect_carries_a_hinge_does_not(name, held):
    weight = 3 * G
    model = carom.load_mjcf(BAR.format(HELD[held]))
    sim = carom.Simulation(model, made(model, name))
    assert not sim.step(2000).numpy().any()
    read = mean_readings(sim, ("force", "torque", "acceleration"))
    np.testing.assert_allclose(read["force"], [0, 0, weight / 2], atol=0.005 * weight)
    np.testing.assert_allclose(read["torque"], 0, atol=0.005 * weight)
    np.testing.assert_allclose(read["acceleration"], [0, 0, G], atol=0.005 * G)
    with model.edit():
        model.equality_constraint_enabled[0] = 0
    sim.step(6)  # lets go: the hinge carries a quarter of a bar that begins to fall
    np.testing.assert_allclose(sim.sensor("force").numpy()[0, 2], weight / 4, atol=0.01 * weight)


@pytest.mark.parametrize("name", ("mujoco", *NAMES))
def test_an_accelerometer_in_free_fall(name):
    """It feels no gravity, and beside the axis what turns it: -w^2 r."""
    model = carom.load_mjcf("""<mujoco><worldbody><body pos="0 0 3"><freejoint/>
      <geom type="box" size=".1 .1 .1" mass="2"/><site name="imu" pos=".2 0 0"/></body></worldbody>
      <sensor><accelerometer name="acceleration" site="imu"/><gyro name="gyro" site="imu"/></sensor></mujoco>""")
    sim = carom.Simulation(model, name, dt=0.001)
    sim.state.joint_qd.assign([0.5, 0, 0, 0, 0, 3])
    sim.step(200)
    np.testing.assert_allclose(sim.sensor("acceleration").numpy()[0], [-9 * 0.2, 0, 0], atol=0.02)
    np.testing.assert_allclose(sim.sensor("gyro").numpy()[0], [0, 0, 3], atol=0.003)
