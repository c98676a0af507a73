"""carom's side of the benchmark suite `spine`. Every run measures one thing and prints it as a JSON object.

usage: spine_carom.py step SUBJECT PRECISION WORLDS THREADS LANES [stages]
       spine_carom.py coverage MODEL...
       spine_carom.py startup MODEL [WORLDS DEVICE]

step: the time of a world's step in a batch of WORLDS, and what the solver did. LANES 0 = as many as the CPU holds.
coverage: which model files can be simulated. startup: from the start of a process to the end of its first step.
Prints {"missing": reason} when something is not there.
"""

import functools
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import spine_protocol as protocol
import spine_scenes

STATE = ("joint_q", "joint_qd", "joint_qdd", "act")  # all that the next step depends on


def carom_of(precision: str):
    return importlib.import_module({"f32": "carom", "f64": "carom.f64"}[precision])


class Subject:
    """One world, not yet replicated, and how it is driven."""

    def __init__(self, carom, name: str):
        self.name, self.changed = name, []
        if protocol.is_scene(name):
            self.builder, self.dt = spine_scenes.builder(carom, name), spine_scenes.DT
            self.drive = protocol.Drive(np.zeros(0), np.zeros(0))
            return
        model, self.changed = protocol.compile_model(name)
        self.builder, self.dt = carom.from_mujoco(model), float(model.opt.timestep)
        self.drive = protocol.drive_of(model)


class Batch:
    """Worlds of one subject on a device."""

    def __init__(self, carom, subject: Subject, worlds: int, threads: int = 0, lanes: int = 0, device: str = "cpu"):
        scene = carom.ModelBuilder()
        scene.gravity = subject.builder.gravity
        scene.replicate(subject.builder, worlds)
        self.carom, self.subject, self.worlds = carom, subject, worlds
        self.model = scene.finalize(device=device)
        self.queue = carom.Queue(device, threads=threads, lanes=lanes)
        self.solver = carom.SolverMuJoCo(self.model, queue=self.queue)
        self.sim = carom.Simulation(self.model, self.solver, dt=subject.dt)
        self.state = self.sim.state

    def put(self, values: dict[str, np.ndarray]):
        for name, rows in values.items():
            getattr(self.state, name).assign(rows.reshape(-1))

    def get(self) -> dict[str, np.ndarray]:
        return {name: np.array(getattr(self.state, name).numpy()).reshape(self.worlds, -1) for name in STATE}

    def control(self, block: int, first: int = 0):
        """A block of controls on the device, for the worlds from `first` on."""
        control = self.model.control()
        control.ctrl.assign(self.subject.drive.block(block, first + self.worlds)[first:].reshape(-1))
        return control

    def step(self, control):
        self.sim.control.ctrl.assign(control.ctrl)
        self.sim.step(protocol.HOLD)

    def warm_up(self) -> dict[str, np.ndarray]:
        """The states after the warm-up."""
        if protocol.is_scene(self.subject.name):
            q, qd = spine_scenes.start(self.subject.name, self.worlds)
            self.put({name: rows for name, rows in (("joint_q", q), ("joint_qd", qd)) if rows is not None})
        for block in range(protocol.warm_steps(self.subject.name) // protocol.HOLD):
            self.step(self.control(block))
        self.queue.finish()
        return self.get()


class Measurement:
    """Repeats the measured window of a batch. Batches smaller than the sample simulate its worlds group by group, so
    that all of them meet the same mix of states."""

    def __init__(self, batch: Batch, states: dict[str, np.ndarray]):
        self.batch, worlds = batch, batch.worlds
        self.groups = []
        for first in range(0, len(states["joint_q"]), worlds):
            blocks = protocol.window_blocks(batch.subject.name)
            self.groups.append(({name: rows[first:first + worlds] for name, rows in states.items()},
                                [batch.control(block, first) for block in blocks]))

    def world_step(self) -> float:
        """The best time of a step of one world [s]."""
        def run(controls):
            for control in controls:
                self.batch.step(control)
            self.batch.queue.finish()

        parts = [(functools.partial(self.batch.put, state), functools.partial(run, controls))
                 for state, controls in self.groups]
        return protocol.best_seconds(parts) / (len(self.groups) * protocol.WINDOW * self.batch.worlds)

    def reports(self) -> dict:
        """What the solver did in the window; also warms up memory and caches."""
        columns: dict[str, list] = {}
        for state, controls in self.groups:
            self.batch.put(state)
            for control in controls:
                self.batch.step(control)
                reports = self.batch.solver.reports()
                for name in ("status", "contacts", "rows", "iterations", "padded", "residual"):
                    columns.setdefault(name, []).append(np.array(getattr(reports, name).numpy()))
        all_of = {name: np.concatenate(parts) for name, parts in columns.items()}
        mean = {name: float(all_of[name].mean()) for name in ("contacts", "rows", "iterations", "padded")}
        return mean | {"residual_max": float(all_of["residual"].max()),
                       "residual_median": float(np.median(all_of["residual"])),
                       "status": int(np.bitwise_or.reduce(all_of["status"]))}

    def stages(self, world_step: float) -> dict[str, float]:
        """The time of a world's step by stages [s]. The solver's ticks say how the time divides that contacts and poses of
        bodies leave, which are timed alone."""
        self.batch.solver.time_stages(True)
        for state, controls in self.groups:
            self.batch.put(state)
            for control in controls:
                self.batch.step(control)
        ticks = np.array(self.batch.solver.stage_ticks(), float)
        self.batch.solver.time_stages(False)
        batch, state = self.batch, self.batch.state
        pipeline = batch.carom.CollisionPipeline(batch.model, queue=batch.queue)
        collide = self._alone(lambda: pipeline.collide(state))
        poses = self._alone(
            lambda: batch.carom.eval_fk(batch.model, state.joint_q, state.joint_qd, state, queue=batch.queue))
        shares = ticks / ticks.sum() * (world_step - collide - poses)
        solved = dict(zip(batch.solver.stage_names(), shares.tolist()))
        return {"collide": collide} | solved | {"poses of bodies": poses}

    def _alone(self, work) -> float:
        """The best time of some work on all worlds, for one of them [s]."""
        batch, repeats = self.batch, len(self.groups)

        def window():
            for _ in range(repeats):
                work()
            batch.queue.finish()

        return protocol.best_seconds([(lambda: None, window)]) / (repeats * batch.worlds)


def measure(subject_name: str, precision: str, worlds: int, threads: int, lanes: int, stages: bool,
            device: str = "cpu") -> dict:
    carom = carom_of(precision)
    subject = Subject(carom, subject_name)
    warm = protocol.WarmStates(f"carom {precision} {device}", subject_name)
    sampled = max(worlds, protocol.SAMPLE)
    states = warm.get(sampled, lambda count: Batch(carom, subject, count, device=device).warm_up())
    batch = Batch(carom, subject, worlds, threads, lanes, device)
    measurement = Measurement(batch, states)
    result = measurement.reports()
    result |= {"world_step_s": measurement.world_step(), "tier": carom.cpu_tier_name(carom.cpu_tier()),
               "changed": subject.changed, "mean_speed": spine_scenes.mean_speed(subject_name, states["joint_qd"])}
    if stages:
        result["stages"] = measurement.stages(result["world_step_s"])
    return result


def coverage(names: list[str]) -> dict:
    """Per model file: "" when it can be simulated, otherwise what it asks for."""
    import carom

    found = {}
    for name in names:
        try:
            batch = Batch(carom, Subject(carom, name), 1)
            batch.step(batch.control(0))
            found[name] = ""
        except carom.Error as error:
            found[name] = str(error).splitlines()[-1].strip()
    return {"models": found}


FIRST_STEP = """
import sys
import carom
model = carom.load(sys.argv[1], device=sys.argv[3])
carom.Simulation(model, "mujoco", dt=float(sys.argv[2])).step()
"""


def startup(name: str, worlds: str = "1", device: str = "cpu") -> dict:
    import carom

    subject = Subject(carom, name)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.carom"
        Batch(carom, subject, int(worlds)).model.save(path)
        programs = {"first_step_s": [FIRST_STEP, str(path), str(subject.dt), device], "interpreter_s": ["pass"],
                    "numpy_s": ["import numpy"], "import_s": ["import carom"]}
        best = dict.fromkeys(programs, float("inf"))
        for _ in range(1 if protocol.QUICK else 3):
            for key, arguments in programs.items():
                start = time.perf_counter()
                subprocess.run([sys.executable, "-c", *arguments], check=True)
                best[key] = min(best[key], time.perf_counter() - start)
        return best | {"model_kb": path.stat().st_size / 1e3}


def main():
    what, *args = sys.argv[1:]
    try:
        if what == "step":
            result = measure(args[0], args[1], int(args[2]), int(args[3]), int(args[4]), "stages" in args[5:])
        elif what == "coverage":
            result = coverage(args)
        else:
            result = startup(*args)
    except protocol.Missing as missing:
        result = {"missing": str(missing)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
