"""MuJoCo's side of the benchmark suite `spine`.

usage: mujoco_spine.py rollout SUBJECT THREADS
       mujoco_spine.py step SUBJECT

rollout: mujoco.rollout, which steps many worlds on several threads. step: mj_step, one world at a time. Prints what
spine_carom.py prints: the time of a world's step, contacts, rows and iterations; {"missing": reason} when something is
not there.
"""

import functools
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import spine_protocol as protocol  # noqa: E402
import spine_scenes  # noqa: E402

STATED = 64  # worlds of which contacts, rows and iterations are told


class Worlds:
    """The sampled worlds of a subject after their warm-up."""

    def __init__(self, mujoco, subject: str):
        self.mujoco, self.subject, self.count = mujoco, subject, protocol.SAMPLE
        self.model, self.changed = protocol.compile_model(subject)
        self.data = mujoco.MjData(self.model)
        drive = protocol.drive_of(self.model)
        # One row per world, then the blocks.
        self.controls = np.stack([drive.block(b, self.count) for b in protocol.window_blocks(subject)], axis=1)
        warm = protocol.WarmStates("mujoco", subject).get(self.count, lambda count: self.warm_up(drive, count))
        self.state, self.warmstart, self.velocity = warm["state"], warm["warmstart"], warm["velocity"]

    def warm_up(self, drive: protocol.Drive, count: int) -> dict[str, np.ndarray]:
        mujoco, model, data = self.mujoco, self.model, self.data
        blocks = protocol.warm_steps(self.subject) // protocol.HOLD
        controls = np.stack([drive.block(block, count) for block in range(blocks)], axis=1)
        q, qd = spine_scenes.start(self.subject, count) if protocol.is_scene(self.subject) else (None, None)
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        states = np.zeros((count, mujoco.mj_stateSize(model, spec)))
        warmstarts, velocities = np.zeros((count, model.nv)), np.zeros((count, model.nv))
        for world in range(count):
            mujoco.mj_resetData(model, data)
            if q is not None:
                data.qpos[:] = q[world]
            if qd is not None:
                data.qvel[:] = qd[world]
            for control in controls[world]:
                data.ctrl[:] = control
                mujoco.mj_step(model, data, protocol.HOLD)
            mujoco.mj_getState(model, data, states[world], spec)
            warmstarts[world], velocities[world] = data.qacc_warmstart, data.qvel
        return {"state": states, "warmstart": warmstarts, "velocity": velocities}

    def put(self, world: int):
        self.mujoco.mj_resetData(self.model, self.data)
        self.mujoco.mj_setState(self.model, self.data, self.state[world], self.mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.data.qacc_warmstart[:] = self.warmstart[world]

    def reports(self) -> dict:
        seen = []
        for world in range(min(STATED, self.count)):
            self.put(world)
            for control in self.controls[world]:
                self.data.ctrl[:] = control
                self.mujoco.mj_step(self.model, self.data, protocol.HOLD)
                seen.append((self.data.ncon, self.data.nefc, self.data.solver_niter.max()))
        return dict(zip(("contacts", "rows", "iterations"), np.mean(seen, axis=0).tolist()))

    def rollout(self, threads: int) -> float:
        """The time of a world's step [s]."""
        from mujoco import rollout

        controls = np.repeat(self.controls, protocol.HOLD, axis=1)
        datas = [self.mujoco.MjData(self.model) for _ in range(threads)]
        models = [self.model] * self.count
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
            def window():
                pool.rollout(models, datas, self.state, controls, initial_warmstart=self.warmstart)

            seconds = protocol.best_seconds([(lambda: None, window)])
        return seconds / (self.count * protocol.WINDOW)

    def step(self) -> float:
        """As rollout(), one world at a time."""
        def run(controls):
            for control in controls:
                self.data.ctrl[:] = control
                self.mujoco.mj_step(self.model, self.data, protocol.HOLD)

        parts = [(functools.partial(self.put, world), functools.partial(run, list(self.controls[world])))
                 for world in range(self.count)]
        return protocol.best_seconds(parts) / (self.count * protocol.WINDOW)


def measure(what: str, subject: str, threads: int = 1) -> dict:
    try:
        import mujoco
    except ImportError as error:
        raise protocol.Missing(f"mujoco cannot be imported ({error}); install the extra bench") from error
    worlds = Worlds(mujoco, subject)
    result = {"version": mujoco.__version__, "changed": worlds.changed,
              "mean_speed": spine_scenes.mean_speed(subject, worlds.velocity)} | worlds.reports()
    return result | {"world_step_s": worlds.rollout(threads) if what == "rollout" else worlds.step()}


def main():
    what, subject, *threads = sys.argv[1:]
    try:
        result = measure(what, subject, *map(int, threads))
    except protocol.Missing as missing:
        result = {"missing": str(missing)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
