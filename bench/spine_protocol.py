"""What both sides of the suite `spine` have in common: subjects, controls, how long is warmed up and measured.

A subject is a model file ("mujoco/humanoid", "gymnasium/ant") or a made scene ("chain:20", "bodies:8", see
spine_scenes.py). World w gets the same controls on both sides and in every batch, whatever the number of worlds:
uniform over their full range, new every HOLD steps. After the warm-up every repetition measures the same WINDOW of
steps from the same state, so that the best repetition is never one with less work.
"""

import dataclasses
import os
import pathlib
import time

import numpy as np

import spine_scenes

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"  # run.py --quick: tries everything, measures nothing well

HOLD = 4                       # steps with the same controls
WARM = 20 if QUICK else 200    # steps before any measurement, of model files: bodies fall, lie and move
WARM_SCENE = 8 if QUICK else 40  # of made scenes, whose bodies lie or hang from the start
WINDOW = 8 if QUICK else 20    # steps of one repetition
SAMPLE = 32 if QUICK else 256  # worlds that are measured at least; the peer measures exactly these
SECONDS = 0 if QUICK else 0.3  # repetitions go on until then ...
REPEATS = 1 if QUICK else 2    # ... and are no fewer than these
SEED = 20
AS_IT_IS = ", as it is"  # behind the name of a file: with its own integrator


class Missing(Exception):
    """Something that a run needs is not there; its rows say so."""


@dataclasses.dataclass(frozen=True)
class Drive:
    """The controls of a subject."""

    lower: np.ndarray
    upper: np.ndarray

    def block(self, number: int, worlds: int) -> np.ndarray:
        """Controls of the steps HOLD * number, ..., one row per world. Rows do not depend on how many there are."""
        rng = np.random.default_rng((SEED, number))
        return rng.uniform(self.lower, self.upper, (worlds, len(self.lower)))


def is_scene(subject: str) -> bool:
    return ":" in subject


def warm_steps(subject: str) -> int:
    return WARM_SCENE if is_scene(subject) else WARM


def window_blocks(subject: str) -> range:
    """Numbers of the blocks of controls that are measured."""
    first = warm_steps(subject) // HOLD
    return range(first, first + WINDOW // HOLD)


def find_model(subject: str) -> pathlib.Path:
    """Model files are data of other projects and no part of this one."""
    folders = [ROOT / "shared" / "models", ROOT.parent / "shared" / "models"]
    if "CAROM_MODELS" in os.environ:
        folders.insert(0, pathlib.Path(os.environ["CAROM_MODELS"]))
    for folder in folders:
        if (folder / f"{subject}.xml").is_file():
            return folder / f"{subject}.xml"
    raise Missing(f"the model {subject}.xml was not found; set CAROM_MODELS to the folder that has it")


def compile_model(subject: str):
    """(mujoco.MjModel, what was changed in it). Both sides simulate this."""
    try:
        import mujoco
    except ImportError as error:
        raise Missing(f"mujoco cannot be imported ({error}); install the extra bench") from error
    if is_scene(subject):
        return mujoco.MjModel.from_xml_string(spine_scenes.mjcf(subject)), []
    model, changed = mujoco.MjModel.from_xml_path(str(find_model(subject.removesuffix(AS_IT_IS)))), []
    if not subject.endswith(AS_IT_IS) and model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        changed.append("Euler for RK4")
    if model.opt.solver != mujoco.mjtSolver.mjSOL_NEWTON:  # carom has no other, and other solvers stop far from there
        changed.append(f"Newton for {mujoco.mjtSolver(model.opt.solver).name.split('_')[1]}")
        model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        model.opt.iterations = 100
    if model.nsensor > 0:  # carom has none: MuJoCo does not compute them either
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
        changed.append("no sensors")
    return model, changed


def drive_of(model) -> Drive:
    """Of a mujoco.MjModel."""
    if not model.actuator_ctrllimited.all():
        raise SystemExit("bench: an actuator without a range of controls cannot be driven over its full range")
    return Drive(*(np.array(bound) for bound in model.actuator_ctrlrange.T))


def best_seconds(parts) -> float:
    """The best time of several repetitions. parts: (prepare, window) pairs, run one after the other; what they prepare
    is not measured."""
    best, total, count = float("inf"), 0.0, 0
    while count < REPEATS or total < SECONDS:
        seconds = 0.0
        for prepare, window in parts:
            prepare()
            start = time.perf_counter()
            window()
            seconds += time.perf_counter() - start
        best, total, count = min(best, seconds), total + seconds, count + 1
    return best


class WarmStates:
    """Arrays with a row per world, as the warm-up leaves them. They are kept in a folder, when the suite names one: the
    rounds then warm up once."""

    def __init__(self, side: str, subject: str):
        folder = os.environ.get("CAROM_BENCH_WARM")
        name = f"{side} {subject}".replace("/", "-").replace(":", "-").replace(" ", "-")
        self._path = pathlib.Path(folder) / f"{name}.npz" if folder else None

    def get(self, worlds: int, make) -> dict[str, np.ndarray]:
        """The first rows of what is there; make(worlds) when that is too little."""
        arrays = self._read()
        if arrays is None or len(next(iter(arrays.values()))) < worlds:
            arrays = make(worlds)
            self._write(arrays)
        return {name: array[:worlds] for name, array in arrays.items()}

    def _read(self) -> dict[str, np.ndarray] | None:
        if self._path is None or not self._path.exists():
            return None
        with np.load(self._path) as file:
            return dict(file)

    def _write(self, arrays: dict[str, np.ndarray]):
        if self._path is not None:
            np.savez(self._path, **arrays)
