"""Newton's side of the benchmark suite `worlds`, on its CPU device.

usage: newton_worlds.py WORLDS REPEATS

Builds the robot of scenes::walker (scenes/scenes.cpp) with newton.ModelBuilder, replicates and finalizes it, runs
eval_fk, and prints what carom_bench_worlds prints: times, peak memory, mean position. Prints {"missing": reason} when
Newton cannot be imported.
"""

import json
import pathlib
import re
import sys
import time


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def peak_memory() -> float:
    """Largest resident memory of this process so far [MB]."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024 / 1e6


def walker(newton, wp):
    def at(x, y, z):
        return wp.transform((x, y, z), wp.quat_identity())

    builder = newton.ModelBuilder()
    trunk = builder.add_link(xform=at(0, 0, 0.45), label="trunk")
    builder.add_shape_box(trunk, hx=0.3, hy=0.15, hz=0.05)
    builder.add_shape_sphere(trunk, radius=0.06, xform=at(0.3, 0, 0))
    joints = [builder.add_joint_free(trunk)]

    head = builder.add_link(xform=at(0.4, 0, 0.5), label="head")
    builder.add_shape_sphere(head, radius=0.05)
    joints.append(builder.add_joint_revolute(
        trunk, head, axis=(0, 1, 0), limit_lower=-0.8, limit_upper=0.8, parent_xform=at(0.36, 0, 0.05),
        child_xform=at(-0.04, 0, 0)))

    for leg in range(6):
        side, along = (1 if leg % 2 else -1), 0.25 * (leg // 2 - 1)
        hip = builder.add_link(label=f"hip_{leg}")
        builder.add_shape_sphere(hip, radius=0.03)
        joints.append(builder.add_joint_revolute(
            trunk, hip, axis=(0, 0, 1), limit_lower=-0.6, limit_upper=0.6, armature=0.01,
            parent_xform=at(along, side * 0.15, 0)))

        thigh = builder.add_link(label=f"thigh_{leg}")
        builder.add_shape_capsule(thigh, radius=0.02, half_height=0.08, xform=at(0, 0, -0.1))
        joints.append(builder.add_joint_revolute(
            hip, thigh, axis=(1, 0, 0), limit_lower=-1, limit_upper=1, armature=0.01,
            parent_xform=at(0, side * 0.05, 0)))

        shank = builder.add_link(label=f"shank_{leg}")
        builder.add_shape_capsule(shank, radius=0.015, half_height=0.1, xform=at(0, 0, -0.12))
        if leg < 4:
            builder.add_shape_sphere(shank, radius=0.02, xform=at(0, 0, -0.24))
        joints.append(builder.add_joint_revolute(
            thigh, shank, axis=(1, 0, 0), limit_lower=-2, limit_upper=0, armature=0.01,
            parent_xform=at(0, 0, -0.2)))
    builder.add_articulation(joints)
    return builder


def scatter(model, worlds: int):
    """The coordinates and velocities of carom_bench_worlds."""
    import numpy as np

    def scattered(count):
        i = np.arange(count, dtype=np.uint64)
        return ((i * 2654435761 % 2**32) / 2.0**32 - 0.5).astype(np.float32)

    q = scattered(model.joint_coord_count).reshape(worlds, -1)
    q[:, 3:7] = (0.5, -0.5, 0.5, 0.5)
    model.joint_q.assign(q.reshape(-1))
    model.joint_qd.assign(scattered(model.joint_dof_count))


def compile_kernels(newton, wp):
    """Compiles the kernels or loads them from warp's cache, so that no measured time contains that."""
    builder = newton.ModelBuilder()
    builder.replicate(walker(newton, wp), 1)
    model = builder.finalize(device="cpu")
    newton.eval_fk(model, model.joint_q, model.joint_qd, model.state())


def measure(newton, wp, worlds: int, repeats: int) -> dict:
    compile_kernels(newton, wp)
    builder = newton.ModelBuilder()
    replicate_s, _ = seconds(lambda: builder.replicate(walker(newton, wp), worlds))
    finalize_s, model = seconds(lambda: builder.finalize(device="cpu"))
    result = {"version": newton.__version__, "bodies": model.body_count, "shapes": model.shape_count,
              "joint_dofs": model.joint_dof_count, "replicate_s": replicate_s, "finalize_s": finalize_s,
              "peak_mb": peak_memory()}

    state = model.state()
    scatter(model, worlds)
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    times = [seconds(lambda: newton.eval_fk(model, model.joint_q, model.joint_qd, state))[0] for _ in range(repeats)]
    result["fk_s"] = min(times)
    result["mean_position"] = float(state.body_q.numpy()[:, :3].astype("float64").mean())
    return result


def main():
    worlds, repeats = int(sys.argv[1]), int(sys.argv[2])
    try:
        import newton
        import warp as wp
    except ImportError as error:
        print(json.dumps({"missing": f"newton cannot be imported ({error})"}))
        return
    print(json.dumps(measure(newton, wp, worlds, repeats)))


if __name__ == "__main__":
    main()
