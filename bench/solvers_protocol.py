"""What both sides of the suite `solvers` have in common: how long worlds are warmed up and measured. Every repetition
measures the same steps from the same state, so that the best one is never one with less work."""

import os
import time
from collections.abc import Callable

import numpy as np

QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"  # run.py --quick
SECONDS = 0 if QUICK else 1.0  # repetitions go on until then ...
REPEATS = 1 if QUICK else 3    # ... and are no fewer than these


def warm(scene) -> int:
    return 4 if QUICK else scene.warm


def window(scene) -> int:
    return 2 if QUICK else scene.window  # even: Newton's two states change places in every step


def best_seconds(prepare: Callable[[], None], measured: Callable[[], None]) -> float:
    best, total, count = float("inf"), 0.0, 0
    while count < REPEATS or total < SECONDS:
        prepare()
        start = time.perf_counter()
        measured()
        seconds = time.perf_counter() - start
        best, total, count = min(best, seconds), total + seconds, count + 1
    return best


def by_world(values, worlds: int) -> np.ndarray:
    return np.array(values, float).reshape(worlds, -1)


def contacts(found, worlds: int) -> float:
    """Of a world, of shapes and of particles."""
    counts = (np.asarray(getattr(found, name).numpy())[0] for name in ("rigid_contact_count", "soft_contact_count"))
    return float(sum(counts)) / worlds
