"""eval_inverse_dynamics, eval_forward_dynamics and eval_mass_matrix through Python."""

import numpy as np
import pytest

LENGTH, MASS, ARMATURE = 0.7, 2.0, 0.1
INERTIA = 1 + MASS * LENGTH**2 + ARMATURE


@pytest.fixture
def pendulum(carom):
    """Three worlds with a hinge about -y: the angle is that from hanging."""
    world = carom.ModelBuilder()
    bob = world.add_link(mass=MASS, com=(0, 0, -LENGTH), inertia=np.eye(3))
    world.add_joint_revolute(-1, bob, axis=(0, -1, 0), armature=ARMATURE)
    builder = carom.ModelBuilder()
    builder.replicate(world, 3)
    return builder.finalize()


ANGLES = np.array([0.1, 0.5, -1.2])
WEIGHTS = MASS * 9.81 * LENGTH * np.sin(ANGLES)


@pytest.fixture
def state(pendulum):
    state = pendulum.state()
    state.joint_q.assign(ANGLES)
    return state


def test_forces_and_accelerations(carom, real, pendulum, state):
    """Of Arrays and of numpy arrays; the array that is given is filled and returned, otherwise a new one."""
    qdd = np.array([1, -2, 3], real)
    expected = INERTIA * qdd + WEIGHTS
    force = carom.eval_inverse_dynamics(pendulum, state, qdd)
    assert force.numpy() == pytest.approx(expected, rel=1e-5)
    state.joint_qdd.assign(qdd)
    control = pendulum.control()
    carom.eval_inverse_dynamics(pendulum, state, state.joint_qdd, joint_f=control.joint_f)
    assert (control.joint_f.numpy() == force.numpy()).all()
    assert carom.eval_forward_dynamics(pendulum, state, control.joint_f).numpy() == pytest.approx(qdd, abs=1e-4)
    falling = carom.eval_forward_dynamics(pendulum, state, np.zeros(3, real))
    assert falling.numpy() == pytest.approx(-WEIGHTS / INERTIA, rel=1e-5)


def test_mass_matrix(carom, pendulum, state):
    """One matrix a world; a MassMatrix that is given is filled in place."""
    matrix = carom.make_mass_matrix(pendulum)
    view = matrix.values.numpy()
    carom.eval_mass_matrix(pendulum, state, mass_matrix=matrix)
    assert view == pytest.approx([INERTIA] * 3, rel=1e-6)
    assert matrix.rows == [1, 1, 1, 0] and matrix.start == [0, 1, 2, 3, 3]
    assert matrix.world(2).shape == (1, 1) and matrix.world(-1).shape == (0, 0)
    assert (carom.eval_mass_matrix(pendulum, state).values.numpy() == view).all()
    with pytest.raises(carom.Error, match="world 3 does not exist"):
        matrix.world(3)


def test_dynamics_are_kept(carom, real, pendulum, state):
    """What make_dynamics() makes serves all functions and follows edits."""
    dynamics = carom.make_dynamics(pendulum)
    zero = np.zeros(3, real)
    assert carom.eval_inverse_dynamics(pendulum, state, zero, dynamics=dynamics).numpy() == pytest.approx(WEIGHTS, 1e-5)
    with pendulum.edit():
        pendulum.gravity[1] = (0, 0, 0)
    force = carom.eval_inverse_dynamics(pendulum, state, zero, dynamics=dynamics).numpy()
    assert force == pytest.approx(WEIGHTS * [1, 0, 1], rel=1e-5)
    carom.eval_mass_matrix(pendulum, state, dynamics=dynamics, queue=carom.Queue(threads=1))
    other = carom.ModelBuilder().finalize()
    with pytest.raises(carom.Error, match="dynamics belongs to another model"):
        carom.eval_mass_matrix(other, other.state(), dynamics=dynamics)


def test_forces_on_bodies_count(carom, real, pendulum, state):
    """state.body_f helps the joints."""
    state.body_f[:] = (3, 0, 0, 0, 0, 0)
    force = carom.eval_inverse_dynamics(pendulum, state, np.zeros(3, real))
    assert force.numpy() == pytest.approx(WEIGHTS - 3 * LENGTH * np.cos(ANGLES), rel=1e-5)


def test_wrong_arrays_are_refused(carom, real, pendulum, state):
    """Wrong types, sizes and frozen arrays are named."""
    for bad in ([0, 0, 0], np.zeros(3, int), np.zeros((1, 3), real), pendulum.body_world):
        with pytest.raises(carom.Error, match="joint_qdd"):
            carom.eval_inverse_dynamics(pendulum, state, bad)
    with pytest.raises(carom.Error, match="joint_qdd has 2 entries; the model needs 3"):
        carom.eval_inverse_dynamics(pendulum, state, np.zeros(2, real))
    with pytest.raises(carom.Error, match="joint_f"):
        carom.eval_forward_dynamics(pendulum, state, np.zeros(4, real))
    with pytest.raises(carom.Error):
        carom.eval_inverse_dynamics(pendulum, state, np.zeros(3, real), joint_f=pendulum.joint_armature)
    with pytest.raises(carom.Error, match="state belongs to another model"):
        carom.eval_mass_matrix(pendulum, carom.ModelBuilder().finalize().state())
