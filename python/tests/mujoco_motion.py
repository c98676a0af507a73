"""For the tests of motions against MuJoCo in double precision: the same scene, in several worlds, on both sides."""

import numpy as np

import carom.f64 as carom

from mujoco_states import mujoco

WORLDS = 5
INTEGRATORS = {
    "Euler": "",
    "implicitfast": 'integrator="implicitfast"',
    "implicit": 'integrator="implicit"',
    "RK4": 'integrator="RK4"',
    "discrete": 'integrator="discrete"',
}
STRICT = 1e-18  # tolerance of both solvers: costs of cones are curved, and forces feel what is left of them


def make_simulation(model, velocities, start=None, contacts="carom", **queue):
    """A simulation of as many worlds as there are rows of velocities (MuJoCo's qvel), at start, or qpos0. start: one for
    all of them, or a row for each."""
    scene = carom.ModelBuilder()
    scene.replicate(carom.from_mujoco(model), len(velocities))
    worlds = scene.finalize()
    solver = carom.SolverMuJoCo(worlds, tolerance=STRICT, iterations=200, queue=carom.Queue("cpu", **queue))
    simulation = carom.Simulation(worlds, solver, contacts=contacts)
    qpos = np.broadcast_to(model.qpos0 if start is None else start, (len(velocities), model.nq))
    if start is not None:
        simulation.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, qpos).reshape(-1))
    simulation.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(model, qpos, velocities).reshape(-1))
    return simulation


def simulate(world, ctrl, steps, dt=0.001):
    """So many steps of one world under a constant control."""
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=dt)
    simulation.control.ctrl.assign(ctrl)
    simulation.step(steps)
    return simulation


def solve_strictly(model):
    model.opt.tolerance, model.opt.iterations = STRICT, 200


def check_motion(model, steps, speed, ctrl_size, atol=1e-9, start=None):
    """As MuJoCo moves under random controls, in every world; one world at a time has the same bits as all of them side
    by side. speed [rad/s], [m/s]: of the start, at most; start: qpos, otherwise qpos0."""
    solve_strictly(model)
    rng = np.random.default_rng(7)
    velocities = rng.uniform(-speed, speed, (WORLDS, model.nv))
    simulation, alone = (make_simulation(model, velocities, start, **queue) for queue in ({}, {"lanes": 1}))
    assert simulation.dt == model.opt.timestep
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for data, velocity in zip(datas, velocities):
        data.qvel[:] = velocity
        data.qpos[:] = model.qpos0 if start is None else start
    for _ in range(steps):
        ctrl = rng.uniform(-ctrl_size, ctrl_size, (WORLDS, model.nu))
        for one in (simulation, alone):
            one.control.ctrl.assign(carom.mujoco.ctrl_from_mujoco(model, ctrl).reshape(-1))
            assert not np.asarray(one.step()).any()
        for data, row in zip(datas, ctrl):
            data.ctrl[:] = row
            mujoco.mj_step(model, data)
    q = np.array(simulation.state.joint_q.numpy())
    assert q.tobytes() == np.array(alone.state.joint_q.numpy()).tobytes()
    qpos = carom.mujoco.joint_q_to_qpos(model, q.reshape(WORLDS, -1))
    np.testing.assert_allclose(qpos, [data.qpos for data in datas], atol=atol)
    act = carom.mujoco.act_to_mujoco(model, np.array(simulation.state.act.numpy()).reshape(WORLDS, -1))
    np.testing.assert_allclose(act, [data.act for data in datas], atol=1e-9)
    assert not any(warning.number for data in datas for warning in data.warning)
