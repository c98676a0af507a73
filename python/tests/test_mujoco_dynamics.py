"""Inverse and forward dynamics and the mass matrix against MuJoCo's, in double precision."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import HUMANOID, load_model, mujoco

WORLDS = 4
TREES = [
    HUMANOID,
    "gymnasium/ant.xml",
    "gymnasium/walker2d.xml",
    "menagerie/unitree_go1/go1.xml",
    "ball joints",
    "springs and servos",
]


class Motions:
    """As many worlds of a model, each in a state and with an acceleration of its own, on both sides."""

    def __init__(self, model):
        self.mj = model
        rng = np.random.default_rng(3)
        scene = carom.ModelBuilder()
        scene.replicate(carom.from_mujoco(model), WORLDS)
        self.model = scene.finalize()
        self.qvel, self.qacc = rng.uniform(-2, 2, (2, WORLDS, model.nv))
        self.qpos = np.tile(model.qpos0, (WORLDS, 1))
        for qpos in self.qpos:
            mujoco.mj_integratePos(model, qpos, rng.uniform(-1, 1, model.nv), 1)
        self.state = self.model.state()
        self.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, self.qpos).reshape(-1))
        self.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(model, self.qpos, self.qvel).reshape(-1))

    def joint_qdd(self, h=1e-5):
        """How joint_qd changes, by finite differences: its axes turn with the bodies."""

        def velocities(h):
            qpos = self.qpos.copy()
            for row, qvel in zip(qpos, self.qvel):
                mujoco.mj_integratePos(self.mj, row, qvel, h)
            return carom.mujoco.qvel_to_joint_qd(self.mj, qpos, self.qvel + h * self.qacc)

        return ((velocities(h) - velocities(-h)) / (2 * h)).reshape(-1)

    def to_own(self, world):
        """joint_qd per qvel."""
        return carom.mujoco.qvel_to_joint_qd(self.mj, self.qpos[world], np.eye(self.mj.nv)).T

    def of_mujoco(self, world):
        """The mass matrix, and the forces that qacc needs."""
        data = mujoco.MjData(self.mj)
        data.qpos[:], data.qvel[:] = self.qpos[world], self.qvel[world]
        mujoco.mj_forward(self.mj, data)
        matrix = np.zeros((self.mj.nv, self.mj.nv))
        mujoco.mj_fullM(self.mj, data, matrix)
        return matrix, matrix @ self.qacc[world] + data.qfrc_bias


def near(value, expected, relative):
    np.testing.assert_allclose(value, expected, rtol=0, atol=relative * np.abs(expected).max())


@pytest.mark.parametrize("name", TREES + ["equalities"])
def test_mass_matrix_and_inverse_dynamics(name):
    """The forces are MuJoCo's, once they act on its velocities; equality constraints are no part of them."""
    motions = Motions(load_model(name))
    force = carom.eval_inverse_dynamics(motions.model, motions.state, motions.joint_qdd()).numpy()
    matrices = carom.eval_mass_matrix(motions.model, motions.state)
    for world, own_force in enumerate(np.split(np.array(force), WORLDS)):
        matrix, expected = motions.of_mujoco(world)
        to_own = motions.to_own(world)
        near(to_own.T @ matrices.world(world).numpy() @ to_own, matrix, 1e-10)
        near(to_own.T @ own_force, expected, 1e-8)


@pytest.mark.parametrize("name", TREES)
def test_forward_dynamics(name):
    """MuJoCo's forces lead to its accelerations."""
    motions = Motions(load_model(name))
    force = [np.linalg.solve(motions.to_own(w).T, motions.of_mujoco(w)[1]) for w in range(WORLDS)]
    qdd = carom.eval_forward_dynamics(motions.model, motions.state, np.concatenate(force)).numpy()
    near(qdd, motions.joint_qdd(), 1e-7)


def test_equality_constraints_are_refused():
    """What would be left out is named."""
    motions = Motions(load_model("equalities"))
    with pytest.raises(carom.Error, match="equality constraint"):
        carom.eval_forward_dynamics(motions.model, motions.state, np.zeros(motions.model.joint_dof_count))
