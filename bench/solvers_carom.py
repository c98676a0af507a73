"""carom's side of the benchmark suite `solvers` in many worlds.

usage: solvers_carom.py SCENE SOLVER WORLDS THREADS [DEVICE [EVERY]]

Prints the best time of a world's step and how the worlds are then; {"missing": reason} when carom has no such solver.
With EVERY the other worlds are left out of what is measured, and share the time with those that take part.
"""

import json
import sys

import numpy as np

import solvers_protocol as protocol
import solvers_scenes as scenes


def make_solver(carom, name: str, model, options: dict, queue):
    classes = {"mujoco": "SolverMuJoCo", "semi_implicit": "SolverSemiImplicit", "featherstone": "SolverFeatherstone",
               "xpbd": "SolverXPBD"}
    own = {"substeps": 1} if name == "xpbd" else {}  # Newton's steps have none
    return getattr(carom, classes[name])(model, **options, **own, queue=queue)


def measure(scene_name: str, solver: str, worlds: int, threads: int, device: str, every: int) -> dict:
    import carom

    if solver not in carom.solver_names():
        return {"missing": f"carom has no solver {solver}"}
    scene = scenes.SCENES[scene_name]
    model = scene.build(scenes.carom_dialect(carom), worlds).finalize(device=device)
    queue = carom.Queue(device, threads=threads)
    sim = carom.Simulation(model, make_solver(carom, solver, model, scene.options.get(solver, {}), queue), dt=scene.dt)
    if scene.start:
        sim.state.joint_q.assign(scene.start(worlds).reshape(-1))
    sim.step(protocol.warm(scene))
    sim.set_active([world % every == 0 for world in range(worlds)])
    begin = sim.snapshot()

    def window():
        sim.step(protocol.window(scene))
        queue.finish()

    seconds = protocol.best_seconds(lambda: sim.restore(begin), window)
    columns = {name: protocol.by_world(getattr(sim.state, name).numpy(), worlds) for name in scenes.COLUMNS}
    return {"world_step_s": seconds / protocol.window(scene) / worlds, "tier": carom.cpu_tier_name(carom.cpu_tier()),
            "contacts": protocol.contacts(sim.contacts, worlds),
            "iterations": float(np.mean(sim.solver.reports().iterations.numpy())),
            "status": int(np.bitwise_or.reduce(sim.status.numpy())), "summary": scene.summary(columns)}


def main(scene: str, solver: str, worlds: str, threads: str, device: str = "cpu", every: str = "1"):
    print(json.dumps(measure(scene, solver, int(worlds), int(threads), device, int(every))))


if __name__ == "__main__":
    main(*sys.argv[1:])
