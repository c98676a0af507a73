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
