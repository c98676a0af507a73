"""eval_fk, eval_ik and eval_jacobian through Python."""

import numpy as np
import pytest


@pytest.fixture
def pendulum(carom):
    """Two worlds with a hinge about y whose body hangs one metre below it."""
    world = carom.ModelBuilder()
    body = world.add_link(mass=1, inertia=np.eye(3))
    joint = world.add_joint_revolute(-1, body, axis=(0, 1, 0), child_xform=(0, 0, 1, 0, 0, 0, 1))
    world.add_articulation([joint])
    builder = carom.ModelBuilder()
    builder.replicate(world, 2)
    return builder.finalize()


def test_fk_from_arrays(carom, pendulum):
    """A quarter turn about y moves the body from below the hinge to its side; the mask leaves world 0 alone."""
    state = pendulum.state()
    before = state.body_q[0].copy()
    state.joint_q[:] = np.pi / 2
    state.joint_qd[:] = 2
    carom.eval_fk(pendulum, state.joint_q, state.joint_qd, state, mask=[False, True])
    assert (state.body_q[0] == before).all()
    assert state.body_q[1, :3] == pytest.approx([-1, 0, 0], abs=1e-6)
    assert state.body_qd[1] == pytest.approx([0, 0, 2, 0, 2, 0], abs=1e-5)


def test_fk_from_numpy(carom, real, pendulum):
    """numpy arrays of the right type give the same as Arrays; others are refused with the argument's name."""
    a, b = pendulum.state(), pendulum.state()
    q, qd = np.array([0.3, -0.7], real), np.array([1, 2], real)
    a.joint_q[:], a.joint_qd[:] = q, qd
    carom.eval_fk(model=pendulum, joint_q=a.joint_q, joint_qd=a.joint_qd, state=a)
    carom.eval_fk(pendulum, q, qd, b)
    assert (a.body_q.numpy() == b.body_q.numpy()).all()
    q.flags.writeable = False
    carom.eval_fk(pendulum, q, qd, b)
    other = np.float64 if real == np.float32 else np.float32
    for bad in (q.astype(other), q.reshape(1, 2), [0.3, -0.7], np.zeros(4, real)[::2], pendulum.body_world):
        with pytest.raises(carom.Error, match="joint_q"):
            carom.eval_fk(pendulum, bad, qd, b)
    with pytest.raises(carom.Error):
        carom.eval_fk(pendulum, np.zeros(3, real), qd, b)


def test_ik_inverts_fk(carom, real, pendulum):
    """Coordinates come back from poses, into Arrays and into numpy arrays."""
    state = pendulum.state()
    q, qd = np.array([0.3, -0.7], real), np.array([1, 2], real)
    carom.eval_fk(pendulum, q, qd, state)
    carom.eval_ik(pendulum, state, state.joint_q, state.joint_qd)
    assert state.joint_q.numpy() == pytest.approx(q, abs=1e-6)
    out_q, out_qd = np.zeros(2, real), np.full(2, 9, real)
    carom.eval_ik(pendulum, state, out_q, out_qd, mask=[True, False])
    assert out_q == pytest.approx([0.3, 0], abs=1e-6)
    assert out_qd == pytest.approx([1, 9], abs=1e-5)


def test_ik_does_not_write_what_is_frozen(carom, real, pendulum):
    """A model's own coordinates and read-only numpy arrays are refused as results."""
    state = pendulum.state()
    frozen = np.zeros(2, real)
    frozen.flags.writeable = False
    for bad in (pendulum.joint_q, frozen):
        with pytest.raises(carom.Error):
            carom.eval_ik(pendulum, state, bad, state.joint_qd)
    with pendulum.edit():
        carom.eval_ik(pendulum, state, pendulum.joint_q, pendulum.joint_qd)


def test_jacobian_maps_velocities_to_twists(carom, pendulum):
    """J times joint_qd is the twist that forward kinematics gives."""
    state = pendulum.state()
    state.joint_q[:] = [0.3, -0.7]
    state.joint_qd[:] = [1, 2]
    carom.eval_fk(pendulum, state.joint_q, state.joint_qd, state)
    jacobian = carom.eval_jacobian(pendulum, state)
    for world in range(2):
        matrix = jacobian.world(world)
        assert matrix.shape == (6, 1)
        assert matrix.numpy() @ state.joint_qd[world : world + 1] == pytest.approx(state.body_qd[world], abs=1e-5)
    assert jacobian.world(-1).shape == (0, 0)
    with pytest.raises(carom.Error):
        jacobian.world(2)


def test_jacobian_is_reused(carom, pendulum):
    """A Jacobian that was made before is filled in place."""
    room = carom.make_jacobian(pendulum)
    view = room.values.numpy()
    carom.eval_jacobian(pendulum, pendulum.state(), jacobian=room)
    assert view.any()


def test_queue_does_not_change_the_answer(carom, pendulum):
    """The same bits with one thread, with one world at a time, and with every build of the kernels."""
    q = pendulum.state().joint_q
    q[:] = [0.3, -0.7]

    def poses(queue=None):
        state = pendulum.state()
        carom.eval_fk(pendulum, q, state.joint_qd, state, queue=queue)
        return state.body_q.numpy().tobytes()

    expected = poses()
    assert poses(carom.Queue(threads=1)) == expected
    assert poses(carom.Queue("cpu", threads=2, lanes=1)) == expected
    chosen = carom.cpu_tier()
    for tier in range(carom.cpu_tier_count()):
        if carom.cpu_tier_supported(tier):
            carom.set_cpu_tier(tier)
            assert poses() == expected, carom.cpu_tier_name(tier)
    carom.set_cpu_tier(chosen)
