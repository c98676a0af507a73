"""Single against double precision: how far accelerations and contact forces of the same states are apart."""

import numpy as np
import pytest

import carom
import carom.f64 as carom64

from mujoco_states import load_model

WORLDS, LOOKS, HOLD = 64, 10, 20
# Of all worlds and looks: median, 99 % and the worst, relative to the largest entry of the world (at least 1). About
# twice what was found.
BOUNDS = {
    "mujoco/humanoid.xml": ((3e-6, 3e-5, 2e-4), (4e-6, 6e-5, 1e-3)),
    "gymnasium/ant.xml": ((4e-6, 3e-5, 2e-4), (2e-6, 3e-4, 2e-3)),
    "gymnasium/half_cheetah.xml": ((3e-6, 6e-5, 4e-4), (4e-6, 2e-4, 2e-3)),
    "gymnasium/walker2d.xml": ((2e-6, 2e-5, 1e-4), (2e-6, 6e-5, 2e-3)),
}


def make_worlds(module, model):
    builder = module.ModelBuilder()
    builder.replicate(module.from_mujoco(model), WORLDS)
    return builder.finalize()


def relative(found, exact):
    return np.abs(found - exact).max() / max(np.abs(exact).max(), 1)


class Pair:
    """A simulation in single precision, and a strict solver in double precision that looks at its states."""

    def __init__(self, model):
        self.dt = model.opt.timestep
        self.worlds, self.worlds64 = make_worlds(carom, model), make_worlds(carom64, model)
        self.sim = carom.Simulation(self.worlds, "mujoco", dt=self.dt)
        self.solver, self.strict = carom.SolverMuJoCo(self.worlds), carom64.SolverMuJoCo(self.worlds64, tolerance=1e-18)
        self.state64, self.control64 = self.worlds64.state(), self.worlds64.control()

    def look(self):
        """Errors of qacc and of contact forces, world by world, where both find as many contacts."""
        state, control = self.sim.state, self.sim.control
        for name in ("joint_q", "joint_qd", "joint_qdd", "body_q", "body_qd"):
            getattr(self.state64, name).numpy()[:] = getattr(state, name).numpy()
        self.control64.ctrl.numpy()[:] = control.ctrl.numpy()
        found, exact = self.worlds.collide(state), self.worlds64.collide(self.state64)
        forward = self.solver.forward(state, control, found, dt=self.dt)
        forward64 = self.strict.forward(self.state64, self.control64, exact, dt=self.dt)
        qacc, qacc64 = (np.asarray(f.qacc).reshape(WORLDS, -1) for f in (forward, forward64))
        start, start64 = found.rigid_contact_world_start.numpy(), exact.rigid_contact_world_start.numpy()
        force, force64 = found.rigid_contact_force.numpy(), exact.rigid_contact_force.numpy()
        same = [w for w in range(WORLDS) if start[w + 1] - start[w] == start64[w + 1] - start64[w]]
        of_qacc = [relative(qacc[w], qacc64[w]) for w in same]
        of_force = [relative(force[start[w]:start[w + 1]], force64[start64[w]:start64[w + 1]])
                    for w in same if start[w] < start[w + 1]]
        return of_qacc, of_force


@pytest.mark.parametrize("name", BOUNDS)
def test_single_against_double(name):
    pair, rng = Pair(load_model(name)), np.random.default_rng(1)
    ctrl = pair.sim.control.ctrl.numpy()
    errors = [], []
    for look in range(15 + LOOKS):
        ctrl[:] = rng.uniform(-1, 1, ctrl.shape)
        pair.sim.step(HOLD)
        if look >= 15:  # bodies lie and move
            for all_of, some in zip(errors, pair.look()):
                all_of += some
    assert len(errors[1]) > 100
    for what, found, bounds in zip(("qacc", "force"), errors, BOUNDS[name]):
        found = np.percentile(found, (50, 99, 100))
        assert (found < bounds).all(), f"{what}: {found} exceeds {bounds}"
