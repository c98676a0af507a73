"""Runs as stages with time samples: Model.to_usd() and Recorder."""

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom._error import Error
from carom.usd._write import put, write


class Recorder:
    """Writes a model and what its bodies do, sample by sample:

        with carom.usd.Recorder(model, "run.usda") as recorder:
            for step in range(600):
                sim.step()
                recorder.add(sim.state, (step + 1) * dt)

    lost: what USD cannot say of the model."""

    def __init__(self, model: Any, path: str | os.PathLike[str], *, fps: float = 60.0) -> None:
        if not (np.isfinite(fps) and fps > 0):
            raise Error(f"Recorder: fps must be positive, is {fps}")
        self._writer = write(model, os.fspath(path))
        self._fps = float(fps)
        self._times: list[float] = []
        self._writer.stage.SetTimeCodesPerSecond(self._fps)
        self._writer.stage.SetFramesPerSecond(self._fps)

    @property
    def lost(self) -> list[str]:
        return list(self._writer.lost)

    def add(self, state: Any, time: float | None = None) -> None:
        """Poses of the bodies, at a time [s], which grows; None: one frame after the last."""
        now = float(time) if time is not None else (self._times[-1] + 1 / self._fps if self._times else 0.0)
        if not np.isfinite(now) or (self._times and now <= self._times[-1]):
            raise Error(f"Recorder: time must be finite and grow, is {now} after {self._times[-1:]}")
        self.add_poses(np.asarray(state.body_q.numpy(), np.float64), now)

    def add_poses(self, body_q: Any, time: float) -> None:
        """As add(), of poses of all bodies, seven numbers each."""
        if np.shape(body_q) != (len(self._writer.body_prims), 7):
            raise Error(f"Recorder: poses of {len(self._writer.body_prims)} bodies are expected, the shape is "
                        f"{np.shape(body_q)}")
        if not self._times and time > 0:  # until then they are where the run begins
            for _, translate, orient in self._writer.body_prims:
                translate.Set(translate.Get(), 0.0)
                orient.Set(orient.Get(), 0.0)
        code = time * self._fps
        code = round(code) if abs(code - round(code)) < 1e-6 else code
        for (_, translate, orient), pose in zip(self._writer.body_prims, body_q):
            put(translate, orient, pose, code)
        self._times.append(time)

    def close(self) -> None:
        if self._times:
            self._writer.stage.SetStartTimeCode(min(self._times[0], 0.0) * self._fps)
            self._writer.stage.SetEndTimeCode(round(self._times[-1] * self._fps, 6))
        self._writer.stage.Save()

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, exception: object, value: object, traceback: object) -> None:
        if exception is None:
            self.close()


def to_usd(model: Any, path: str | os.PathLike[str], states: Iterable[Any] | None = None, *, times: Any = None,
           fps: float = 60.0) -> list[str]:
    """Model.to_usd()."""
    with Recorder(model, path, fps=fps) as recorder:
        for number, state in enumerate(states if states is not None else ()):
            if times is not None and number >= len(times):
                raise Error(f"to_usd: there are {len(times)} times and more states")
            recorder.add(state, times[number] if times is not None else None)
    return recorder.lost
