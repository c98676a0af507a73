"""Model.to_urdf(): robots of other projects go from MJCF to URDF and back, with the same masses, joints and motion as far
as URDF has words; the rest is listed."""

import re

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_files import COMPLETE
from mujoco_states import find_model

# Rods on ball joints, which are fixed in URDF.
OTHER_JOINTS = {"agility_cassie/cassie.xml", "agility_cassie/scene.xml"}
ROBOTS = [name for name in COMPLETE if name.startswith("menagerie/")]


def comparable(model):
    """Without what URDF has no word for, and is listed as lost."""
    with model.edit():
        for name in ("joint_armature", "joint_stiffness", "joint_stiffness_poly", "joint_damping_poly"):
            getattr(model, name)[:] = 0
    return model


def placed(model, joint_q):
    state = model.state()
    state.joint_q.numpy()[:] = joint_q
    carom.eval_fk(model, state.joint_q, state.joint_qd, state)
    return state


def turning(model):
    """1 for the coordinates of hinges and slides, 0 for those of free joints."""
    counts = {carom.JointType.FREE: 7, carom.JointType.BALL: 4}
    flags = []
    for kind, (linear, angular) in zip(model.joint_type.numpy(), model.joint_dof_dim.numpy()):
        whole = counts.get(carom.JointType(int(kind)))
        flags += [0] * whole if whole else [1] * int(linear + angular)
    return np.array(flags)


def turned(xyzw, v):
    u, w = xyzw[:3], xyzw[3]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def centres(model, state):
    return {key: state.body_q.numpy()[i][:3] + turned(state.body_q.numpy()[i][3:], model.body_com.numpy()[i])
            for i, key in enumerate(model.body_key)}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_round_trips(name, tmp_path):
    """Masses, degrees of freedom, places of all bodies, mass matrix and weights, in a state that is not the first."""
    model = comparable(carom.load_mjcf(find_model(name)))
    text, lost = model.to_urdf(tmp_path / "robot.urdf")
    assert (tmp_path / "robot.urdf").read_text() == text
    assert lost and all(re.match(r"\w", line) for line in lost)
    again = comparable(carom.load_urdf(tmp_path / "robot.urdf"))
    masses = {key: mass for key, mass in zip(again.body_key, again.body_mass.numpy())}
    for key, mass in zip(model.body_key, model.body_mass.numpy()):
        assert masses[key] == pytest.approx(mass, rel=1e-12)
    if name.removeprefix("menagerie/") in OTHER_JOINTS:
        assert any(line.startswith("ball joints, which are fixed") for line in lost)
        return
    assert again.joint_dof_count == model.joint_dof_count
    assert np.array_equal(again.joint_limit_upper.numpy(), model.joint_limit_upper.numpy())
    q = model.joint_q.numpy() + np.random.default_rng(1).uniform(-0.3, 0.3, model.joint_coord_count) * turning(model)
    mine, other = placed(model, q), placed(again, q)
    found = centres(again, other)
    for key, p in centres(model, mine).items():
        assert np.abs(found[key] - p).max() < 1e-9, key
    M, N = (carom.eval_mass_matrix(m, s).values.numpy() for m, s in ((model, mine), (again, other)))
    assert np.abs(M - N).max() < 1e-9 * np.abs(M).max()
    zero = np.zeros(model.joint_dof_count)
    f, g = (carom.eval_inverse_dynamics(m, s, zero).numpy() for m, s in ((model, mine), (again, other)))
    assert np.abs(f - g).max() < 1e-8 * max(np.abs(f).max(), 1)


def test_what_is_lost(carom):
    """By kind and name; the text is there without a file, too."""
    builder = carom.ModelBuilder()
    body = builder.add_body(mass=1, key="egg")
    builder.add_shape_ellipsoid(body=body, key="shell")
    builder.add_ground_plane(key="floor")
    text, lost = builder.finalize().to_urdf()
    assert '<link name="egg">' in text
    assert "shapes of type ellipsoid: 'shell'" in lost and "shapes of type plane: 'floor'" in lost
    scene = carom.ModelBuilder()
    scene.replicate(builder, 2)
    with pytest.raises(carom.Error, match="to_urdf: the model has 2 worlds, URDF has one; say which: world=0"):
        scene.finalize().to_urdf()
    assert "the other 1 worlds" in scene.finalize().to_urdf(world=1)[1]
