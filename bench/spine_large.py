"""Large worlds of the suite `spine`, on both sides: one world with hundreds of bodies, from the state in which carom
left it when it had settled.

usage: spine_large.py carom SUBJECT THREADS
       spine_large.py mujoco SUBJECT

A subject is a model file ("mujoco/100_humanoids") or bodies in a bin ("spheres:1000", "boxes:1000"). Prints the time
of a step, contacts and iterations; {"missing": reason} when something is not there.
"""

import json
import sys
import time

import numpy as np

import spine_protocol as protocol

SETTLE = 0.1 if protocol.QUICK else 3.0  # before the measurement, of bodies in a bin [s]
WARM_STEPS = 40     # of model files
SECONDS = 2.0       # repetitions go on until then
DT = 0.004          # of bins [s]
WALL = 4.0          # half the height of a bin's walls [m]


def bin_xml(kind: str, count: int) -> str:
    rng = np.random.default_rng(1)
    row, apart = (10, 0.115) if kind == "spheres" else (6, 0.19)
    geom = '<geom size=".05"/>' if kind == "spheres" else '<geom type="box" size=".05 .05 .05"/>'
    bodies = []
    for i in range(count):
        x, y = (apart * (place - (row - 1) / 2) for place in (i % row, i // row % row))
        x, y, z = np.array([x, y, apart * (i // row**2 + 0.6)]) + rng.uniform(-0.005, 0.005, 3)
        quat = " ".join(map(str, rng.normal(size=4))) if kind == "boxes" else "1 0 0 0"
        bodies.append(f'<body pos="{x} {y} {z}" quat="{quat}"><freejoint/>{geom}</body>')
    walls = "".join(f'<geom type="box" size="{hx} {hy} {WALL}" pos="{x} {y} {WALL}"/>'
                    for x, y, hx, hy in ((0.7, 0, 0.1, 0.8), (-0.7, 0, 0.1, 0.8), (0, 0.7, 0.8, 0.1),
                                         (0, -0.7, 0.8, 0.1)))
    return (f'<mujoco><option timestep="{DT}"/><size memory="4G"/><worldbody><geom type="plane" size="0 0 1"/>{walls}'
            f'{"".join(bodies)}</worldbody></mujoco>')


def compile_subject(mujoco, subject: str):
    if protocol.is_scene(subject):
        kind, count = subject.split(":")
        return mujoco.MjModel.from_xml_string(bin_xml(kind, int(count)))
    return protocol.compile_model(subject)[0]


def settled(carom, model, subject: str) -> dict[str, np.ndarray]:
    sim = carom.Simulation(carom.from_mujoco(model).finalize(), dt=model.opt.timestep)
    for _ in range(round(SETTLE / DT) if protocol.is_scene(subject) else WARM_STEPS):
        sim.step(1)
    q, qd = np.array(sim.state.joint_q.numpy(), float), np.array(sim.state.joint_qd.numpy(), float)
    return {"qpos": carom.mujoco.joint_q_to_qpos(model, q)[None], "qvel": carom.mujoco.joint_qd_to_qvel(model, q, qd)[None]}


def best_time(start, step) -> float:
    """Of one step; every repetition begins in the same state."""
    best, end = np.inf, time.perf_counter() + SECONDS
    repeats = 0
    while repeats < 2 or time.perf_counter() < end:
        start()
        begun = time.perf_counter()
        steps = 0
        while steps < 3 or (steps < 10 and time.perf_counter() - begun < SECONDS / 4):
            step()
            steps += 1
        best, repeats = min(best, (time.perf_counter() - begun) / steps), repeats + 1
    return best


def run_carom(subject: str, threads: int) -> dict:
    import carom
    import mujoco

    model = compile_subject(mujoco, subject)
    warm = protocol.WarmStates("large", subject).get(1, lambda _: settled(carom, model, subject))
    worlds = carom.from_mujoco(model).finalize()
    queue = carom.Queue("cpu", threads=threads)
    solver = carom.SolverMuJoCo(worlds, queue=queue)
    sim = carom.Simulation(worlds, solver, dt=model.opt.timestep)
    q = carom.mujoco.qpos_to_joint_q(model, warm["qpos"][0])
    sim.state.joint_q.assign(q)
    sim.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(model, warm["qpos"][0], warm["qvel"][0]))
    begin = sim.snapshot()
    seconds = best_time(lambda: sim.restore(begin), lambda: sim.step(1))
    reports = solver.reports()
    return {"world_step_s": seconds, "contacts": int(reports.contacts[0]), "rows": int(reports.rows[0]),
            "iterations": int(reports.iterations[0]), "status": int(np.asarray(sim.status)[0])}


def run_mujoco(subject: str) -> dict:
    import carom
    import mujoco

    model = compile_subject(mujoco, subject)
    warm = protocol.WarmStates("large", subject).get(1, lambda _: settled(carom, model, subject))
    data = mujoco.MjData(model)

    def start():
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = warm["qpos"][0], warm["qvel"][0]

    seconds = best_time(start, lambda: mujoco.mj_step(model, data))
    return {"world_step_s": seconds, "version": mujoco.__version__, "contacts": int(data.ncon), "rows": int(data.nefc),
            "iterations": int(data.solver_niter[:max(1, data.nisland)].max())}


def main(side: str, subject: str, threads: str = "1"):
    try:
        result = run_carom(subject, int(threads)) if side == "carom" else run_mujoco(subject)
    except protocol.Missing as missing:
        result = {"missing": str(missing)}
    except ImportError as error:
        result = {"missing": str(error)}
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
