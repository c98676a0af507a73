"""Drives of joints (target_ke, target_kd, targets in Control): closed forms, and the actuators that do the same."""

import numpy as np
import pytest

import carom.f64 as carom

KE, KD, TARGET, SPEED = 30.0, 4.0, 0.4, -0.7


def arm(driven, effort=1e6, integrator="euler"):
    """Two hinged rods, each with a drive, or with the actuator that does the same."""
    world = carom.ModelBuilder()
    parent, joints = -1, []
    numbers = dict(target_ke=KE, target_kd=KD, target_pos=TARGET, target_vel=SPEED) if driven else {}
    for _ in range(2):
        link = world.add_link(mass=1, inertia=np.eye(3) * 0.01, com=(0.2, 0, 0))
        joints.append(world.add_joint_revolute(
            parent, link, axis=(0, 1, 0), parent_xform=(0.4 if parent >= 0 else 0, 0, 0, 0, 0, 0, 1),
            effort_lower=-effort, effort_upper=effort, damping=0.1, **numbers,
        ))
        if not driven:
            world.add_actuator(joints[-1], gain=KE, bias=(KD * SPEED, -KE, -KD))
        parent = link
    world.add_articulation(joints)
    world.options.integrator, world.options.timestep = integrator, 0.002
    scene = carom.ModelBuilder()
    scene.replicate(world, 5)
    return carom.Simulation(scene.finalize())


@pytest.mark.parametrize("integrator", ["euler", "implicitfast", "implicit", "rk4", "discrete"])
@pytest.mark.parametrize("effort", [1e6, 3.0])
def test_a_drive_is_a_servo(integrator, effort):
    driven, servo = arm(True, effort, integrator), arm(False, effort, integrator)
    servo.control.ctrl.assign(np.full(10, TARGET))
    for simulation in (driven, servo):
        simulation.step(200)
    np.testing.assert_allclose(driven.state.joint_q.numpy(), servo.state.joint_q.numpy(), atol=1e-12)


def slider(**numbers):
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    link = world.add_link(mass=2, inertia=np.eye(3))
    world.add_articulation([world.add_joint_prismatic(-1, link, axis=(1, 0, 0), **numbers)])
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    model = scene.finalize()
    return model, carom.Simulation(model, dt=0.001)


def test_a_drive_reaches_its_target():
    """A different one in each world."""
    _, simulation = slider(target_ke=50, target_kd=20)
    simulation.control.joint_target_pos.assign([0.1, -0.2, 0.3])
    simulation.step(4000)
    np.testing.assert_allclose(simulation.state.joint_q.numpy(), [0.1, -0.2, 0.3], atol=1e-9)


def test_a_drive_of_speed_alone():
    """v(t) = target (1 - exp(-kd t / m)), by Euler's steps."""
    _, simulation = slider(target_kd=20)
    simulation.control.joint_target_vel.assign([1, 2, -3])
    simulation.step(100)
    expected = np.array([1, 2, -3]) * (1 - (1 - 20 * 0.001 / 2) ** 100)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy(), expected, rtol=1e-12)


def test_an_edit_switches_a_drive_on():
    model, simulation = slider()
    simulation.control.joint_target_pos.assign([1, 1, 1])
    simulation.step(10)
    assert not np.any(simulation.state.joint_q.numpy())
    with model.edit():
        model.joint_target_ke[1] = 10
    simulation.step(10)
    q = np.array(simulation.state.joint_q.numpy())
    assert q[1] > 0 and q[0] == q[2] == 0


# -- Ball joints: targets are a rotation vector and a rate, in the axes of the parent.

TURN, RATE = np.array([0.5, -0.9, 0.7]), np.array([0.3, 0.2, -0.1])
INTEGRATORS = ["euler", "implicitfast", "implicit", "rk4", "discrete"]
FRAME = (0.1, 0, 0.2, 0.1, 0.2, 0.3, 0.9273618495495703)


def shoulder(integrator, numbers, orientation=False, worlds=5, **queue):
    """A rod that hangs from a hinge and a ball joint."""
    world = carom.ModelBuilder()
    upper, lower = (world.add_link(mass=1, inertia=np.diag([0.02, 0.03, 0.01]), com=(0.1, 0, -0.2)) for _ in range(2))
    hinge = world.add_joint_revolute(-1, upper, axis=(0, 1, 0), damping=0.3)
    ball = world.add_joint_ball(upper, lower, parent_xform=FRAME, damping=0.05, **numbers)
    world.add_articulation([hinge, ball])
    if orientation:
        world.add_actuator(ball, law="orientation", gain=KE, bias=(0, 0, -KD))
    world.options.integrator, world.options.timestep = integrator, 0.002
    scene = carom.ModelBuilder()
    scene.replicate(world, worlds)
    model = scene.finalize()
    simulation = carom.Simulation(model, carom.SolverMuJoCo(model, queue=carom.Queue("cpu", **queue)))
    simulation.state.joint_qd.assign(np.random.default_rng(4).uniform(-2, 2, 4 * worlds))
    return simulation


def targets(turn, worlds=5):
    return np.concatenate([np.r_[0, turn * (1 - 0.1 * k)] for k in range(worlds)])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_drive_of_a_ball_joint_is_an_orientation(integrator):
    """The actuator that does the same, but for a rate."""
    driven = shoulder(integrator, dict(target_ke=KE, target_kd=KD))
    driven.control.joint_target_pos.assign(targets(TURN))
    told = shoulder(integrator, {}, orientation=True)
    told.control.ctrl.assign(targets(TURN).reshape(5, 4)[:, 1:].reshape(-1))
    for simulation in (driven, told):
        simulation.step(200)
    np.testing.assert_allclose(driven.state.joint_q.numpy(), told.state.joint_q.numpy(), atol=1e-10)


def test_worlds_side_by_side_and_one_by_one_have_the_same_bits():
    ends = []
    for lanes in ({}, {"lanes": 1}):
        simulation = shoulder("implicitfast", dict(target_ke=KE, target_kd=KD), **lanes)
        simulation.control.joint_target_pos.assign(targets(TURN))
        simulation.control.joint_target_vel.assign(targets(RATE))
        simulation.step(100)
        ends.append(np.array(simulation.state.joint_q.numpy()))
    assert ends[0].tobytes() == ends[1].tobytes() and np.abs(ends[0][:5] - ends[0][5:10]).max() > 1e-3


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("axis", range(3))
def test_a_ball_joint_driven_about_one_axis_is_a_hinge(integrator, axis):
    """A body whose moments of inertia lie along the axes."""
    direction, ends = np.eye(3)[axis], []
    for kind in ("ball", "revolute"):
        world = carom.ModelBuilder(gravity=(0, 0, 0))
        link = world.add_link(mass=1, inertia=np.diag([0.2, 0.3, 0.4]))
        numbers = dict(target_ke=KE, target_kd=KD, damping=0.1)
        joint = (world.add_joint_ball(-1, link, **numbers) if kind == "ball"
                 else world.add_joint_revolute(-1, link, axis=direction, **numbers))
        world.add_articulation([joint])
        world.options.integrator, world.options.timestep = integrator, 0.002
        scene = carom.ModelBuilder()
        scene.add_world(world)
        simulation = carom.Simulation(scene.finalize())
        control, unit = simulation.control, direction if kind == "ball" else np.ones(1)
        control.joint_target_pos.assign(TARGET * unit)
        control.joint_target_vel.assign(SPEED * unit)
        simulation.state.joint_qd.assign(0.9 * unit)
        simulation.step(150)
        q = np.array(simulation.state.joint_q.numpy())
        ends.append(2 * np.arctan2(q[:3] @ direction, q[3]) if kind == "ball" else q[0])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


def hanging(ke, integrator="implicitfast", dt=0.002):
    """2 kg, 0.3 m below a ball joint."""
    world = carom.ModelBuilder(gravity=(0, 0, -9.81))
    link = world.add_link(mass=2, inertia=np.eye(3) * 0.05, com=(0, 0, -0.3))
    world.add_articulation([world.add_joint_ball(-1, link, target_ke=ke, target_kd=5)])
    world.options.integrator, world.options.timestep = integrator, dt
    scene = carom.ModelBuilder()
    scene.add_world(world)
    model = scene.finalize()
    return model, carom.Simulation(model)


def rotation_vector(q):
    q = np.asarray(q) * (1 if q[3] >= 0 else -1)
    return q[:3] / np.linalg.norm(q[:3]) * 2 * np.arctan2(np.linalg.norm(q[:3]), q[3])


def test_a_ball_joint_comes_to_rest_where_its_drive_carries_the_weight():
    """m g l sin(angle) = ke (target - angle), about a level axis."""
    _, simulation = hanging(KE)
    axis = np.array([0.6, 0.8, 0])
    simulation.control.joint_target_pos.assign(1.2 * axis)
    simulation.step(5000)
    turned = rotation_vector(simulation.state.joint_q.numpy())
    angle = turned @ axis
    np.testing.assert_allclose(turned, angle * axis, atol=1e-9)
    np.testing.assert_allclose(2 * 9.81 * 0.3 * np.sin(angle), KE * (1.2 - angle), atol=1e-9)


def test_a_ball_joint_goes_the_shorter_way():
    """A target of nearly a whole turn is a small one the other way round."""
    _, simulation = hanging(1000.0)
    simulation.control.joint_target_pos.assign([0, 0, 2 * np.pi - 0.3])
    simulation.step(1)
    assert simulation.state.joint_qd.numpy()[2] < 0
    simulation.step(4000)
    np.testing.assert_allclose(rotation_vector(simulation.state.joint_q.numpy()), [0, 0, -0.3], atol=1e-9)


def test_a_stiff_drive_of_a_ball_joint_is_stable():
    """The step is thirty times longer than what the stiffness would allow otherwise."""
    _, simulation = hanging(1e6, "discrete", dt=0.01)
    simulation.control.joint_target_pos.assign([0.4, 0.2, -0.9])
    assert not np.asarray(simulation.step(400)).any()
    np.testing.assert_allclose(rotation_vector(simulation.state.joint_q.numpy()), [0.4, 0.2, -0.9], atol=1e-4)


def test_edits_and_files_of_drives_of_ball_joints(tmp_path):
    """One axis alone is held after the edit."""
    model, simulation = hanging(0.0)
    with model.edit():
        model.joint_target_ke[2] = 40
    simulation.control.joint_target_pos.assign([0.5, 0.5, 0.5])
    model.save(tmp_path / "ball.carom")
    again = carom.Simulation(carom.load(tmp_path / "ball.carom"))
    again.control.joint_target_pos.assign([0.5, 0.5, 0.5])
    for one in (simulation, again):
        one.step(1)
    qd = np.array(simulation.state.joint_qd.numpy())
    assert qd[2] > 0.1 and np.abs(qd[:2]).max() < 1e-9
    assert qd.tobytes() == np.array(again.state.joint_qd.numpy()).tobytes()


def test_free_joints_have_no_drives():
    world = carom.ModelBuilder()
    world.add_articulation([world.add_joint_free(world.add_link(mass=1, inertia=np.eye(3)), key="f", target_ke=3)])
    scene = carom.ModelBuilder()
    scene.add_world(world)
    with pytest.raises(carom.Error, match="drives of free and distance joints .*add_actuator.*joint 'f'"):
        carom.Simulation(scene.finalize())
