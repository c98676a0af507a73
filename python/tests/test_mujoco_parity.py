"""SolverMuJoCo against MuJoCo in double precision: every quantity on the way from a state to the next one, in 50 states
of each model, and a second of motion.

Velocities of SolverMuJoCo.forward() are joint_qd, with the linear velocity of a free joint taken at the joint frame's
origin. MuJoCo's differ by a rotation T of the angular velocities of free and ball joints into body axes:
v = T v_mujoco, M_mujoco = T^T M T, f_mujoco = T^T f.
"""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import HUMANOID, MODELS, SMALL, load_model, mujoco, sample_states

# The ball of point.xml rolls on a plane at a distance of 0 that nothing can change: whether it touches is rounding.
DEGENERATE = {"gymnasium/point.xml"}
# A cylinder stands on a plane: MuJoCo lists other points of its rim, so single forces are others, too.
OTHER_POINTS = {"gymnasium/pusher.xml", "gymnasium/pusher_v5.xml"}
IN_CONES = ["materials", "turning friction", "frictionloss", HUMANOID, "gymnasium/ant.xml"]
COMPARED = [name for name in [*SMALL, *MODELS] if name not in {*DEGENERATE, *OTHER_POINTS}]
COMPARED += [f"{name}, elliptic" for name in IN_CONES]


class Oracle:
    """What MuJoCo computes in one state, its solver run to the end."""

    def __init__(self, model, states, row):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = states.qpos[row], states.qvel[row]
        data.ctrl[:], data.qacc_warmstart[:] = states.ctrl[row], states.qacc_warmstart[row]
        mujoco.mj_forward(model, data)
        assert not any(warning.number for warning in data.warning)
        self.mass_matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, self.mass_matrix)
        self.xpos, self.xmat = data.xpos.copy(), data.xmat.copy().reshape(-1, 3, 3)
        self.bias = data.qfrc_bias - data.qfrc_gravcomp - data.qfrc_fluid
        self.qacc_smooth = data.qacc_smooth.copy()
        self.qacc, self.constraint_force = data.qacc.copy(), data.qfrc_constraint.copy()
        self.stiffness = np.sort(data.efc_D[: data.nefc])
        self.limit_count = int(np.isin(data.efc_type, LIMITS).sum())
        self.contacts = [self.contact(model, data, i) for i in range(data.ncon)]

    @staticmethod
    def contact(model, data, i):
        """Shapes in ascending order; the normal points from the first to the second, the force acts on the second."""
        contact, wrench = data.contact[i], np.zeros(6)
        mujoco.mj_contactForce(model, data, i, wrench)
        frame = contact.frame.reshape(3, 3)
        flip = -1 if contact.geom[0] > contact.geom[1] else 1
        return {
            "shapes": tuple(sorted(contact.geom.tolist())),
            "point": contact.pos.copy(),
            "normal": flip * frame[0],
            "distance": float(contact.dist),
            "force": flip * (frame.T @ wrench[:3]),
        }


LIMITS = [int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT), int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)]


def solve_to_the_end(model):
    """No tolerance worth the name; PGS and CG lead to the optimum of Newton, slowly."""
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance, model.opt.ls_tolerance = 1e-14, 1e-6
    model.opt.iterations, model.opt.ls_iterations = 200, 100


def make_solver(worlds):
    return carom.SolverMuJoCo(worlds, tolerance=1e-12, iterations=200, ls_iterations=100, ls_tolerance=1e-6)


def make_worlds(model, count):
    world, scene = carom.from_mujoco(model), carom.ModelBuilder()
    scene.gravity = world.gravity
    scene.replicate(world, count)
    return scene.finalize()


def write_state(model, states, state, control, ctrl=1.0):
    state.joint_q.numpy()[:] = carom.mujoco.qpos_to_joint_q(model, states.qpos).ravel()
    state.joint_qd.numpy()[:] = carom.mujoco.qvel_to_joint_qd(model, states.qpos, states.qvel).ravel()
    control.ctrl.numpy()[:] = ctrl * states.ctrl.ravel()


class Case:
    """One model: its states in as many worlds, and both answers."""

    def __init__(self, name):
        self.model = load_model(name)
        self.states = sample_states(self.model)
        solve_to_the_end(self.model)
        self.count = len(self.states.kind)
        self.oracles = [Oracle(self.model, self.states, row) for row in range(self.count)]

        self.worlds = make_worlds(self.model, self.count)
        self.state, control = self.worlds.state(), self.worlds.control()
        write_state(self.model, self.states, self.state, control)
        carom.eval_fk(self.worlds, self.state.joint_q, self.state.joint_qd, self.state)
        self.found = self.worlds.collide(self.state)
        self.forward = make_solver(self.worlds).forward(self.state, control, self.found, dt=self.model.opt.timestep)

    def per_dof(self, name):
        return np.asarray(getattr(self.forward, name)).reshape(self.count, self.model.nv)

    def to_mujoco(self, row, vector):
        return self.basis(row).T @ vector

    def basis(self, row):
        """T of this state."""
        T, model, matrix = np.eye(self.model.nv), self.model, np.zeros(9)
        for joint in range(model.njnt):
            kind, q, dof = model.jnt_type[joint], model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            if kind > 1:
                continue
            q, dof = (q + 3, dof + 3) if kind == 0 else (q, dof)
            mujoco.mju_quat2Mat(matrix, self.states.qpos[row, q : q + 4])
            T[dof : dof + 3, dof : dof + 3] = matrix.reshape(3, 3)
        return T

    def rows_of_contact(self, contact, stiffness):
        """MuJoCo's D for rows of a contact with friction. No shape of COMPARED that resists turning has priority."""
        shapes = [int(getattr(self.found, f"rigid_contact_shape{side}")[contact]) for side in (0, 1)]

        def most(column):
            return max(float(getattr(self.worlds, "shape_" + column)[shape]) for shape in shapes)

        condim = int(most("condim"))
        if self.model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL:
            return [stiffness] * {3: 4, 4: 6, 6: 10}[condim]
        spin, roll = (most(f"material_{name}_friction") / most("material_mu") for name in ("torsional", "rolling"))
        ratios = {3: [1, 1], 4: [1, 1, spin], 6: [1, 1, spin, roll, roll]}[condim]
        return [stiffness] + [stiffness * self.model.opt.impratio * ratio**2 for ratio in ratios]

    def contacts(self, row):
        found = self.found
        first_shape = int(self.worlds.shape_world_start[row])
        start = found.rigid_contact_world_start.numpy()
        rows = slice(start[row], start[row + 1])
        columns = [getattr(found, "rigid_contact_" + name).numpy()[rows] for name in CONTACT_COLUMNS]
        return [
            {
                "shapes": (int(shape0) - first_shape, int(shape1) - first_shape),
                "point": point,
                "normal": normal,
                "distance": -float(depth),
                "force": force,
            }
            for shape0, shape1, point, normal, depth, force in zip(*columns)
        ]


CONTACT_COLUMNS = ("shape0", "shape1", "point", "normal", "depth", "force")


@pytest.fixture(scope="module", params=COMPARED)
def case(request):
    return Case(request.param)


def assert_close(actual, expected, tolerance, what, scale=None):
    """Within `tolerance` of the largest expected number, or of 1 where all are smaller."""
    scale = max(1.0, np.abs(expected).max(initial=0)) if scale is None else scale
    worst = float(np.max(np.abs(actual - expected) / scale, initial=0))
    assert worst <= tolerance, f"{what}: {worst:.1e} exceeds {tolerance:.0e}"


def label(case, row):
    return f"world {row} ({case.states.kind[row]})"


def matched(mine, theirs):
    """Contacts of the same pair side by side, nearest points first."""
    pairs, left = [], list(mine)
    for contact in theirs:
        same = [other for other in left if other["shapes"] == contact["shapes"]]
        if not same:
            return None
        nearest = min(same, key=lambda other: np.linalg.norm(other["point"] - contact["point"]))
        left = [other for other in left if other is not nearest]
        pairs.append((nearest, contact))
    return None if left else pairs


def test_the_states_exercise_what_is_compared(case):
    """States push into limits where there are any; models that can leave the ground stand, lie and fly. This guards the
    other tests."""

    def share(kinds, condition):
        return np.mean([condition(case.oracles[row]) for row in case.states.of_kind(*kinds)])

    if any(case.model.jnt_limited):
        assert share(["limits"], lambda oracle: oracle.limit_count > 0) > 0.8
    if case.model.jnt_type[0] == int(mujoco.mjtJoint.mjJNT_FREE):
        assert share(["standing", "lying"], lambda oracle: len(oracle.contacts) > 0) > 0.9
        assert share(["flight"], lambda oracle: len(oracle.contacts) == 0) > 0.8


def test_poses(case):
    """Poses of all bodies."""
    X = case.state.body_q.numpy().reshape(case.count, -1, 7)
    matrix = np.zeros(9)
    for row, oracle in enumerate(case.oracles):
        assert_close(X[row, : case.model.nbody - 1, :3], oracle.xpos[1:], 1e-9, f"{label(case, row)} positions")
        for body in range(1, case.model.nbody):
            mujoco.mju_quat2Mat(matrix, X[row, body - 1, [6, 3, 4, 5]])
            assert_close(matrix.reshape(3, 3), oracle.xmat[body], 1e-9, f"{label(case, row)} rotation {body}")


def test_mass_matrices(case):
    """M, relative to the masses that an entry couples."""
    for row, oracle in enumerate(case.oracles):
        T = case.basis(row)
        M = T.T @ np.asarray(case.forward.mass_matrix(row)) @ T
        diagonal = np.sqrt(np.diag(oracle.mass_matrix))
        assert_close(M, oracle.mass_matrix, 1e-9, f"{label(case, row)} M", scale=np.outer(diagonal, diagonal))


def test_bias_forces(case):
    """Coriolis, centrifugal and gravity forces, less what is carried of gravity and what a fluid does."""
    bias = case.per_dof("bias")
    for row, oracle in enumerate(case.oracles):
        assert_close(case.to_mujoco(row, bias[row]), oracle.bias, 1e-9, f"{label(case, row)} bias")


def test_unconstrained_accelerations(case):
    """With springs, dampers and actuators, before constraints."""
    acceleration = case.per_dof("qacc_smooth")
    for row, oracle in enumerate(case.oracles):
        actual = case.to_mujoco(row, acceleration[row])
        assert_close(actual, oracle.qacc_smooth, 1e-8, f"{label(case, row)} qacc_smooth")


def test_contacts(case):
    """The same pairs touch, as often, at the same points, with the same normals and distances."""
    for row, oracle in enumerate(case.oracles):
        mine = case.contacts(row)
        pairs = matched(mine, oracle.contacts)
        shapes = [sorted(contact["shapes"] for contact in contacts) for contacts in (mine, oracle.contacts)]
        assert pairs is not None, f"{label(case, row)}: contacts {shapes[0]} instead of {shapes[1]}"
        for contact, expected in pairs:
            for name in ("point", "normal", "distance"):
                what = f"{label(case, row)} shapes {contact['shapes']} {name}"
                assert_close(np.array(contact[name]), np.array(expected[name]), 1e-7, what)


def test_rows(case):
    """One by one with their stiffness D; the edges of a pyramid share one."""
    rows, dof_world = case.forward.rows, np.repeat(np.arange(case.count), case.model.nv)
    start = case.found.rigid_contact_world_start.numpy()

    def world_of(kind, i):
        if "contact" in kind:
            return np.searchsorted(start, i, side="right") - 1
        if kind == "equality":
            return i // case.model.neq
        return i // case.model.ntendon if "tendon" in kind else dof_world[i]

    found = [[] for _ in range(case.count)]
    for i in range(len(rows)):
        kind, source, stiffness = rows.kind_name(i), int(rows.source[i]), float(rows.D[i])
        of_row = case.rows_of_contact(source, stiffness) if "with" in kind and "friction" in kind else [stiffness]
        found[world_of(kind, source)] += of_row
    for row, oracle in enumerate(case.oracles):
        assert len(found[row]) == len(oracle.stiffness), label(case, row)
        assert np.allclose(np.sort(found[row]), oracle.stiffness, rtol=1e-7), label(case, row)


def test_constraint_forces(case):
    """J^T f of contacts, limits and friction together."""
    force = case.per_dof("constraint_force")
    for row, oracle in enumerate(case.oracles):
        actual = case.to_mujoco(row, force[row])
        assert_close(actual, oracle.constraint_force, 1e-6, f"{label(case, row)} constraint force")


def test_accelerations(case):
    """qacc, the solution."""
    acceleration = case.per_dof("qacc")
    for row, oracle in enumerate(case.oracles):
        assert_close(case.to_mujoco(row, acceleration[row]), oracle.qacc, 1e-6, f"{label(case, row)} qacc")


def test_contact_forces(case):
    """The force of every contact on its second shape, in world axes. Constraints are soft, so it is unique."""
    for row, oracle in enumerate(case.oracles):
        pairs = matched(case.contacts(row), oracle.contacts)
        assert pairs is not None, f"{label(case, row)}: other contacts than in MuJoCo"
        scale = max([1.0, *(np.abs(expected["force"]).max() for _, expected in pairs)])
        for contact, expected in pairs:
            what = f"{label(case, row)} force between {contact['shapes']}"
            assert_close(contact["force"], expected["force"], 1e-6, what, scale=scale)


# -- A second of motion

CTRL = 0.3  # of the states' controls


def motion(model, states, row, steps, disturbance=0.0):
    """qpos after each step of MuJoCo, from a state that is moved a little in a random direction."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = states.qpos[row], states.qvel[row], CTRL * states.ctrl[row]
    direction = np.random.default_rng(row).normal(size=model.nv)
    mujoco.mj_integratePos(model, data.qpos, disturbance * direction, 1.0)
    result = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        result.append(data.qpos.copy())
    return np.array(result)


def test_motion(case):
    """A second of motion from flight and standing, to 1e-6. A state counts up to the step where MuJoCo itself, started
    1e-11 beside it, is 1e-7 away: what follows is chaos. Nearly all states last to the end."""
    model, dt = case.model, case.model.opt.timestep
    steps = round(1 / dt)
    rows = case.states.of_kind("flight", "standing")
    expected = {row: motion(model, case.states, row, steps) for row in rows}
    horizon = {}
    for row in rows:
        beside = motion(model, case.states, row, steps, disturbance=1e-11)
        apart = np.flatnonzero(np.abs(beside - expected[row]).max(axis=1) > 1e-7)
        horizon[row] = int(apart[0]) if len(apart) else steps
    assert np.mean([horizon[row] == steps for row in rows]) > 0.9

    sim = carom.Simulation(case.worlds, solver=make_solver(case.worlds), dt=dt)
    write_state(model, case.states, sim.state, sim.control, ctrl=CTRL)
    for step in range(steps):
        status = np.asarray(sim.step(1))
        assert not status.any(), f"step {step}: status {status}"
        qpos = carom.mujoco.joint_q_to_qpos(model, sim.state.joint_q.numpy().reshape(case.count, -1))
        for row in rows:
            if step < horizon[row]:
                what = f"{label(case, row)} qpos after step {step + 1} of {steps}"
                assert_close(same_sign(model, qpos[row], expected[row][step]), expected[row][step], 1e-6, what)


def same_sign(model, qpos, like):
    """q and -q are one rotation."""
    qpos = qpos.copy()
    for joint in np.flatnonzero(model.jnt_type <= 1):
        start = model.jnt_qposadr[joint] + (3 if model.jnt_type[joint] == 0 else 0)
        quat = slice(start, start + 4)
        if qpos[quat] @ like[quat] < 0:
            qpos[quat] *= -1
    return qpos
