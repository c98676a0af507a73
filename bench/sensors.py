"""The suite `sensors`: rays of lidars in many worlds, against MuJoCo's mj_multiRay; what contact sensors cost."""

import os
import pathlib
import sys

from suite import Results, Run, row

MUJOCO = pathlib.Path(__file__).resolve().parent / "peers" / "mujoco_rays.py"
PACKAGES = ["mujoco"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """Rays (`RayCaster`). A lidar stands in the middle of every world, among spheres, capsules, boxes, cylinders
and ellipsoids that are scattered over 8 m x 8 m of ground; the poses differ from world to world. carom casts the rays
of all worlds in one call, which checks the rays and places the shapes, too, in float; MuJoCo's time is that of
`mj_multiRay` alone, world by world, after `mj_kinematics`, in double. Both are on one core unless the table says
otherwise, and both must meet the same: the same number of rays, and the same mean distance.

Contact sensors. Humanoids of `carom demo` fall and move their joints at random; each of the sensors looks at all
contacts of a body, one after the other with every reduction, and tells found, force, pos, normal and tangent. The time
is that of a step with its sensors, ten of them in a call of `step()`, the time between two controls, unless the table says
otherwise; the peer is the same step without any. How the cost grows with contacts is shown by balls that rest on the
ground: each of the sensors looks at all of their contacts."""

WORLDS = 256 if QUICK else 4096
REPEATS, PEER_REPEATS = (3, 2) if QUICK else (30, 5)
SHAPES = [30] if QUICK else [10, 30, 100]
LIDARS = {"16 x 4": (16, 4), "1 x 64": (1, 64)}  # channels and steps
CASES = [(lidar, shapes) for lidar in LIDARS for shapes in SHAPES]
MAIN = 30  # shapes
THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
RAYS_BAR, THREADS_BAR = 5, 1.8
SENSORS = [0, 32] if QUICK else [0, 8, 32, 128]  # with room for 1 contact
CONTACT_CASES = [(sensors, 1, 10) for sensors in SENSORS] + [(32, 8, 10), (0, 1, 1), (32, 1, 1)]  # num, steps of a call
BALL_WORLDS = WORLDS // 16
BALLS = [1, 64] if QUICK else [1, 4, 16, 64]  # a contact each
BALL_SENSORS = 32
CONTACT_REPEATS = 2 if QUICK else 8
CONTACTS_BAR = 1 / 1.1  # 32 of them add less than 10 %
SAME = 2e-3  # relative; a ray that just touches may meet in float and not in double, and at a far end


def rays_name(lidar: str, shapes: int, threads: int) -> str:
    return f"rays {lidar} {shapes} {threads}t"


def peer_name(lidar: str, shapes: int) -> str:
    return f"mujoco {lidar} {shapes}"


def contacts_name(sensors: int, num: int, steps: int) -> str:
    return f"contacts {sensors} x {num}, {steps}"


def balls_name(balls: int, sensors: int) -> str:
    return f"contacts of {balls} balls, {sensors}"


def runs(programs: pathlib.Path) -> dict[str, Run]:
    result = {}
    for lidar, shapes in CASES:
        scene = [WORLDS, shapes, *LIDARS[lidar]]
        for threads in THREADS if shapes == MAIN else THREADS[:1]:
            command = [programs / "carom_bench_sensors_rays", *scene, threads, REPEATS]
            result[rays_name(lidar, shapes, threads)] = Run(list(map(str, command)))
        result[peer_name(lidar, shapes)] = Run(list(map(str, [sys.executable, MUJOCO, *scene, PEER_REPEATS])))
    for sensors, num, steps in CONTACT_CASES:
        command = [programs / "carom_bench_sensors_contacts", WORLDS, sensors, num, steps, 1, CONTACT_REPEATS]
        result[contacts_name(sensors, num, steps)] = Run(list(map(str, command)))
    for balls in BALLS:
        for sensors in (0, BALL_SENSORS):
            scene = [BALL_WORLDS, sensors, 1, 10, 1, CONTACT_REPEATS, balls]
            command = [programs / "carom_bench_sensors_contacts", *scene]
            result[balls_name(balls, sensors)] = Run(list(map(str, command)))
    return result


def rows_of_contacts(results: Results) -> list[dict]:
    table = []
    for sensors, num, steps in CONTACT_CASES:
        plain, name = contacts_name(0, 1, steps), contacts_name(sensors, num, steps)
        if sensors == 0 or not (results.has(plain) and results.has(name)):
            continue
        us, plain_us = results.best(name, "world_s") * 1e6, results.best(plain, "world_s") * 1e6
        bar = CONTACTS_BAR if (sensors, num, steps) == (32, 1, 10) else None
        note = (f"{100 * (us / plain_us - 1):.1f} % more; {results.one(name, 'contacts'):.1f} contacts in a world; "
                f"tier {results.one(name, 'tier')}")
        title = f"{WORLDS} humanoids, step of a world with {sensors} contact sensors of {num}"
        title += "" if steps == 10 else f", calls of {steps}"
        table.append(row(title, "us", us, plain_us, "carom without sensors", bar, note=note))
    return table + [row_of_balls(results, balls) for balls in BALLS
                    if results.has(balls_name(balls, 0)) and results.has(balls_name(balls, BALL_SENSORS))]


def row_of_balls(results: Results, balls: int) -> dict:
    name = balls_name(balls, BALL_SENSORS)
    us, plain_us = (results.best(one, "world_s") * 1e6 for one in (name, balls_name(balls, 0)))
    note = (f"{us - plain_us:.3f} us more; {results.one(name, 'contacts'):.0f} contacts in a world; "
            f"tier {results.one(name, 'tier')}")
    return row(f"{BALL_WORLDS} worlds of {balls} balls, step of a world with {BALL_SENSORS} sensors of all contacts",
               "us", us, plain_us, "carom without sensors", note=note)


def rows(results: Results, names: list[str]) -> list[dict]:
    table = []
    for lidar, shapes in CASES:
        table += rows_of_case(results, lidar, shapes)
    table += rows_of_contacts(results)
    ran = [name for name in names if name.startswith(("rays ", "contacts "))]
    if ran:
        allocations = sum(max(results.all(name, "allocations")) for name in ran)
        table.append(row("heap allocations after warm-up", "", allocations, 0, "limit", 1, max(THREADS)))
    return table


def rows_of_case(results: Results, lidar: str, shapes: int) -> list[dict]:
    title = f"{WORLDS} worlds x 64 rays, time of a world: {lidar} rays, {shapes} shapes"
    own, peer = rays_name(lidar, shapes, 1), peer_name(lidar, shapes)
    if not results.has(own):
        return []
    us = results.best(own, "world_s") * 1e6
    same = check_same_hits(results, own, peer)
    peer_us = results.best(peer, "world_s") * 1e6 if same else None
    version = f"MuJoCo {results.one(peer, 'version')}" if same else "MuJoCo"
    reason = f"{results.missing(peer)}; " if results.has(peer) and not same else ""
    with_normals = results.best(own, "world_with_normals_s") * 1e6
    bar = RAYS_BAR if shapes == MAIN and results.has(peer) else None
    note = (f"{reason}{results.one(own, 'met'):.1f} of 64 rays meet something; with normals {with_normals:.2f} us; "
            f"tier {results.one(own, 'tier')}")
    table = [row(title, "us", us, peer_us, f"{version} mj_multiRay", bar, note=note)]
    for threads in THREADS[1:]:
        several = rays_name(lidar, shapes, threads)
        if results.has(several):
            table.append(row(f"{title}, {threads} threads", "us", results.best(several, "world_s") * 1e6, us,
                             "carom, 1 thread", THREADS_BAR, threads=threads))
    return table


def check_same_hits(results: Results, own: str, peer: str) -> bool:
    """Both sides have the same scenes and rays. False when MuJoCo did not run."""
    if not results.has(peer) or not results.ran(peer):
        return False
    for key in ("met", "distance"):
        ours, theirs = results.one(own, key), results.one(peer, key)
        if abs(ours - theirs) > SAME * theirs:
            raise SystemExit(f"bench: MuJoCo's rays meet something else: {key} {theirs}, carom's {ours}")
    return True
