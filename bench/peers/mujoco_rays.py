"""MuJoCo's rays in the benchmark suite `sensors`.

usage: mujoco_rays.py WORLDS SHAPES CHANNELS STEPS REPEATS

The scenes, poses and lidars of bench/sensors_rays.cpp, one world after the other, each with an MjData of its own, in
groups that stay in the cache. What is timed is mj_multiRay alone, after mj_kinematics. The time that Python needs for a
call is measured with a model without geoms, where there is nothing to meet, and taken away. Prints the best time of a
world and what was met; {"missing": reason} when something is not there.
"""

import json
import math
import sys
import time

import numpy as np

from scattered import scattered

SIZES = {1: ("capsule", "0.2 0.3"), 2: ("box", "0.3 0.2 0.4"), 3: ("cylinder", "0.25 0.3"),
         4: ("ellipsoid", "0.2 0.3 0.4"), 0: ("sphere", "0.3")}  # by the number of the shape
NUMBERS = 7  # of a pose
LOWEST, HIGHEST = -math.pi / 12, math.pi / 12  # of the channels [rad]
GROUP = 64  # worlds


def model_file(shapes: int) -> str:
    bodies = "".join(f'<body><freejoint/><geom type="{kind}" size="{size}"/></body>'
                     for kind, size in (SIZES[k % 5] for k in range(1, shapes)))
    plane = '<geom type="plane" size="0 0 1"/>' if shapes else ""
    return f"<mujoco><worldbody>{plane}{bodies}</worldbody></mujoco>"


def states(worlds: int, shapes: int) -> np.ndarray:
    number = scattered(np.arange(worlds * shapes * NUMBERS)).reshape(worlds, shapes, NUMBERS)[:, 1:]
    q = np.empty((worlds, shapes - 1, 7))
    q[:, :, :2] = 8 * number[:, :, :2] - 4
    q[:, :, 2] = 0.3 + 2 * number[:, :, 2]
    q[:, :, 3] = number[:, :, 6] + 1
    q[:, :, 4:] = number[:, :, 3:6] - 0.5
    return q.reshape(worlds, -1)


def lidar(channels: int, steps: int) -> np.ndarray:
    azimuth = -math.pi + 2 * math.pi * np.arange(steps) / steps
    elevation = np.linspace(LOWEST, HIGHEST, channels) if channels > 1 else np.array([(LOWEST + HIGHEST) / 2])
    a, e = (grid.ravel() for grid in np.meshgrid(azimuth, elevation, indexing="ij"))
    return np.stack((np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)), axis=1)


def measure(worlds: int, shapes: int, channels: int, steps: int, repeats: int) -> dict:
    import mujoco

    model, empty = (mujoco.MjModel.from_xml_string(model_file(count)) for count in (shapes, 0))
    group, nothing = [mujoco.MjData(model) for _ in range(GROUP)], mujoco.MjData(empty)
    mujoco.mj_kinematics(empty, nothing)
    count, origin = channels * steps, np.array((0.0, 0, 1))
    direction = lidar(channels, steps).ravel()
    geom, distance = np.zeros(count, np.int32), np.zeros(count)

    def cast(of_model, data):
        mujoco.mj_multiRay(of_model, data, origin, direction, None, True, -1, geom, distance, None, count, 1e10)

    def seconds_of(of_model, part: list) -> float:
        best = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            for data in part:
                cast(of_model, data)
            best = min(best, time.perf_counter() - start)
        return best

    seconds, met, total = 0.0, 0, 0.0
    rows = states(worlds, shapes)
    for first in range(0, worlds, GROUP):
        part = group[:worlds - first]
        for data, q in zip(part, rows[first:first + GROUP]):
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            cast(model, data)
            met += (distance >= 0).sum()
            total += distance[distance >= 0].sum()
        seconds += seconds_of(model, part) - seconds_of(empty, [nothing] * len(part))
    return {"version": mujoco.__version__, "world_s": seconds / worlds, "met": float(met / worlds),
            "distance": float(total / met)}


def main():
    try:
        result = measure(*map(int, sys.argv[1:]))
    except ImportError as error:
        result = {"missing": str(error)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
