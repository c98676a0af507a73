"""MuJoCo's side of whole worlds in the benchmark suite `collide`.

usage: mujoco_collide.py WORLDS REPEATS

Humanoids in the random states of bench/collide_worlds.cpp. Of every state mj_kinematics is called first; what is timed
is mj_collision alone, one world after the other, each with an MjData of its own, in groups that stay in the cache. The
time that Python needs for a call is measured with contacts switched off, when mj_collision returns at once, and taken
away. Prints the time of a world, its contacts and their depth; {"missing": reason} when something is not there.
"""

import json
import pathlib
import sys
import time

import numpy as np

from scattered import scattered

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import spine_protocol as protocol  # noqa: E402

SUBJECT = "mujoco/humanoid"
LOWEST, HIGHEST = 0.4, 1.4  # of the torso's centre above the ground [m]
GROUP = 64  # worlds


def states(model, worlds: int) -> np.ndarray:
    """One row per world, as in collide_worlds.cpp."""
    coords = model.nq
    number = scattered(np.arange(worlds * coords)).reshape(worlds, coords)
    q = np.zeros((worlds, coords))
    q[:, 2] = LOWEST + (HIGHEST - LOWEST) * number[:, 2]
    turn = number[:, 3:7] - 0.5
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    q[:, 3:7] = turn[:, [3, 0, 1, 2]]  # carom's quaternions are x, y, z, w
    lower, upper = model.jnt_range[1:].T
    q[:, 7:] = lower + (upper - lower) * number[:, 7:]
    return q


def seconds_of(collide, model, group: list, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for data in group:
            collide(model, data)
        best = min(best, time.perf_counter() - start)
    return best


def measure(worlds: int, repeats: int) -> dict:
    model, _ = protocol.compile_model(SUBJECT)
    import mujoco

    group = [mujoco.MjData(model) for _ in range(GROUP)]
    seconds, contacts, depth = 0.0, 0, 0.0
    rows = states(model, worlds)
    for first in range(0, worlds, GROUP):
        part = group[:worlds - first]
        for data, q in zip(part, rows[first:first + GROUP]):
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
        seconds += seconds_of(mujoco.mj_collision, model, part, repeats)
        contacts += sum(data.ncon for data in part)
        depth -= sum(data.contact.dist.sum() for data in part)
        model.opt.disableflags ^= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        seconds -= seconds_of(mujoco.mj_collision, model, part, repeats)
        model.opt.disableflags ^= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return {"version": mujoco.__version__, "world_s": seconds / worlds, "contacts": contacts / worlds,
            "depth": depth / contacts}


def main():
    try:
        result = measure(*map(int, sys.argv[1:]))
    except protocol.Missing as missing:
        result = {"missing": str(missing)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
