"""Newton's side of the benchmark suite `solvers`, on its CPU device, which has one thread.

usage: newton_solvers.py SCENE SOLVER WORLDS

A window of steps, each with its search for contacts, is captured as a graph and replayed, which leaves out what Python
costs; kernels are compiled without adjoints. Prints what solvers_carom.py prints; {"missing": reason} when Newton
cannot be imported.
"""

import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import solvers_protocol as protocol
import solvers_scenes as scenes

SOLVERS = {"xpbd": "SolverXPBD", "semi_implicit": "SolverSemiImplicit", "featherstone": "SolverFeatherstone"}
STATE = ("joint_q", "joint_qd", "body_q", "body_qd", "particle_q", "particle_qd")


class Batch:
    def __init__(self, newton, wp, scene, solver: str, worlds: int):
        builder = scene.build(scenes.newton_dialect(newton, wp), worlds)
        self.wp, self.dt, self.model = wp, scene.dt, builder.finalize(device="cpu")
        if scene.start:
            self.model.joint_q.assign(scene.start(worlds).reshape(-1))
        self.model.particle_max_radius = 0.0  # carom's particles meet each other when asked to
        self.model.particle_grid = None
        options = scene.options[solver]
        self.solver = getattr(newton.solvers, SOLVERS[solver])(self.model, **options)
        self.states, self.control = (self.model.state(), self.model.state()), self.model.control()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.states[0])
        self.pipeline = newton.CollisionPipeline(self.model, broad_phase="explicit")
        self.contacts = self.pipeline.contacts()

    def step(self, count: int):
        """An even number of steps ends in the state where it began."""
        before, after = self.states
        for _ in range(count):
            before.clear_forces()
            self.pipeline.collide(before, self.contacts)
            self.solver.step(before, after, self.control, self.contacts, self.dt)
            before, after = after, before

    def capture(self, count: int):
        with self.wp.ScopedCapture(device="cpu") as capture:
            self.step(count)
        return capture.graph

    def read(self) -> dict:
        state = self.states[0]
        return {name: getattr(state, name).numpy().copy() for name in STATE if getattr(state, name) is not None}

    def write(self, values: dict):
        for name, array in values.items():
            getattr(self.states[0], name).assign(array)


def measure(newton, wp, scene_name: str, solver: str, worlds: int) -> dict:
    wp.config.quiet = True
    wp.config.enable_backward = False
    scene = scenes.SCENES[scene_name]
    batch = Batch(newton, wp, scene, solver, worlds)
    batch.step(protocol.warm(scene))
    begin, steps = batch.read(), protocol.window(scene)
    graph = batch.capture(steps)
    seconds = protocol.best_seconds(lambda: batch.write(begin), lambda: wp.capture_launch(graph))
    state = batch.read()
    columns = {name: protocol.by_world(state[name], worlds) if name in state else None for name in scenes.COLUMNS}
    return {"version": newton.__version__, "world_step_s": seconds / steps / worlds,
            "contacts": protocol.contacts(batch.contacts, worlds), "summary": scene.summary(columns)}


def main(scene: str, solver: str, worlds: str):
    try:
        import newton
        import warp as wp
    except ImportError as error:
        print(json.dumps({"missing": f"newton cannot be imported ({error})"}))
        return
    print(json.dumps(measure(newton, wp, scene, solver, int(worlds))))


if __name__ == "__main__":
    main(*sys.argv[1:])
