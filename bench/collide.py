"""The suite `collide`: the collision pipeline and its parts. All pairs of many boxes against Embree, Bullet and CGAL;
pairs of shapes against Bullet, libccd and FCL; worlds of humanoids against MuJoCo's collision stage; what it saves to keep
contacts; and by how much the modes of the broad phase differ."""

import os
import pathlib
import sys

from suite import Results, Run, number, row

MUJOCO = pathlib.Path(__file__).resolve().parent / "peers" / "mujoco_collide.py"
PACKAGES = ["mujoco"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """The collision pipeline (`CollisionPipeline`) and its parts, each on one thread unless the table says
otherwise. Peers run in the same process as carom, in turn, on the same input, and must find the same: the same pairs of
boxes, the same depths of shapes. carom and Bullet compute in float, libccd, FCL and MuJoCo in double, as their packages
are built. Pairs of shapes are 2,000 random pairs of poses of two shapes that overlap; carom gets round ones all at once,
as in its pipeline, and once more one by one. For hulls carom finds the least depth; MPR finds one that is greater in
every third pair or so, and libccd's EPA stops early in every fourth. MuJoCo's time is that of `mj_collision` alone,
after `mj_kinematics`; carom's is a whole `collide()`."""

BOXES = {10_000: 10, 100_000: 4} if QUICK else {10_000: 20, 100_000: 5, 1_000_000: 2}  # number: repeats in a process
BOXES_BAR = 1.5

PAIRS = "pairs"
PAIR_REPEATS = 2 if QUICK else 40
BOX_BAR, DEPTH_BAR, ROUND_BAR = 1.2, 1.5, 2
COHERENT_BARS = {"box-box": 3, "hull-hull": 20}
ROUND = ["sphere-sphere", "sphere-capsule", "capsule-capsule", "plane-sphere", "plane-capsule"]

WORLDS = 256 if QUICK else 4096
WORLD_REPEATS = 2 if QUICK else 30
THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
MUJOCO_BAR, THREADS_BAR = 4, 1.8
SAME_CONTACTS = 1e-3  # relative; a pair that just touches may be one in float and none in double

PILES = {"box": "boxes", "hull": "hulls of 32 vertices", "cylinder": "cylinders"}
PILE_BODIES = 125 if QUICK else 1000

MODE_SHAPES = [8, 16, 32, 64] if QUICK else [8, 16, 32, 64, 128, 256, 1024, 4096]
MODE_WORLDS = [1, 256]
MODE_MOST = 300_000  # shapes in all
MODE_REPEATS = 3 if QUICK else 10


# -- Runs

def boxes_name(count: int) -> str:
    return f"boxes {count}"


def humanoids_name(threads: int) -> str:
    return f"humanoids {threads}t"


def modes_name(shapes: int, worlds: int) -> str:
    return f"modes {shapes} x{worlds}"


def pile_name(shape: str) -> str:
    return f"pile {shape}"


def mode_cases() -> list[tuple[int, int]]:
    return [(shapes, worlds) for worlds in MODE_WORLDS for shapes in MODE_SHAPES if shapes * worlds <= MODE_MOST]


def runs(programs: pathlib.Path) -> dict[str, Run]:
    def program(name: str, *args) -> Run:
        return Run([str(programs / f"carom_bench_collide_{name}"), *map(str, args)])

    result = {boxes_name(count): program("broad", count, repeats) for count, repeats in BOXES.items()}
    result[PAIRS] = program("pairs", PAIR_REPEATS)
    for threads in THREADS:
        result[humanoids_name(threads)] = program("worlds", "humanoids", WORLDS, threads, WORLD_REPEATS)
    result["mujoco"] = Run([sys.executable, str(MUJOCO), str(WORLDS), "3"])
    for shape in PILES:
        result[pile_name(shape)] = program("worlds", "pile", shape, PILE_BODIES, WORLD_REPEATS)
    for shapes, worlds in mode_cases():
        result[modes_name(shapes, worlds)] = program("worlds", "modes", shapes, worlds, MODE_REPEATS)
    return result


# -- Rows

def rows(results: Results, names: list[str]) -> list[dict]:
    return (boxes_rows(results) + pair_rows(results) + humanoid_rows(results) + pile_rows(results)
            + mode_rows(results))


def best_of(times: dict[str, float]) -> tuple[float | None, str | None]:
    """The least time and whose it is; nothing when there are no peers."""
    name = min(times, key=times.get, default=None)
    return (times[name], name) if name else (None, None)


def listed(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {number(time)}" for name, time in times.items())


def missing_note(results: Results, run: str) -> str:
    packages = results.one(run, "without")
    return f"missing: {packages}; " if packages else ""


def boxes_rows(results: Results) -> list[dict]:
    table = []
    for count in filter(lambda count: results.has(boxes_name(count)), BOXES):
        run = boxes_name(count)
        printed = {name: min(total(times) for times in results.all(run, "contenders", name))
                   for name in results.last(run, "contenders")}
        own = {name: ms for name, ms in printed.items() if name.startswith("carom")}
        peers = {name: ms for name, ms in printed.items() if name not in own}
        peer, name = best_of(peers)
        table.append(row(f"all pairs among random unit boxes, tree and pairs: {count:,}", "ms", own.pop("carom"), peer,
                         name or "Embree, Bullet, CGAL", BOXES_BAR,
                         note=f"{missing_note(results, run)}{results.one(run, 'pairs'):,} pairs; "
                              + listed(own | peers)))
    return table


def total(times: dict) -> float:
    return (times["build_s"] + times["pairs_s"]) * 1e3  # [ms]


def pair_rows(results: Results) -> list[dict]:
    if not results.has(PAIRS):
        return []
    title, reason = "pairs of shapes, time of a pair", results.missing(PAIRS)
    if reason:
        return [row(f"{title}: all", "ns", None, note=reason)]

    def times(case: str) -> dict[str, float]:
        return {name: results.best(PAIRS, "cases", case, name, "ns") for name in results.last(PAIRS, "cases", case)}

    def other_depths(case: str) -> str:
        shares = {name: results.one(PAIRS, "cases", case, name, "other_depths") for name in times(case)}
        shares = [f"{name} in {share:.0%}" for name, share in shares.items() if share > 0]
        return f"; other depths than carom: {', '.join(shares)} of the pairs" if shares else ""

    def against_peers(case: str, words: str, expected: str, bar: float) -> dict:
        printed = times(case)
        own = {name: ns for name, ns in printed.items() if name.startswith("carom")}
        peers = {name: ns for name, ns in printed.items() if name not in own}
        peer, name = best_of(peers)
        return row(f"{title}: {words}", "ns", own.pop("carom"), peer, name or expected, bar,
                   note=missing_note(results, PAIRS) + listed(own | peers) + other_depths(case))

    def coherent(shapes: str, words: str, bar: float) -> dict:
        return row(f"{title}: {words}, coherent motion", "ns", times(f"{shapes} coherent")["carom"],
                   times(f"{shapes} shuffled")["carom"], "carom, the same poses shuffled", bar,
                   note="the functions know nothing of the step before; `keep_distance` below does")

    return ([against_peers("box-box manifold", "box-box manifold, cold", "Bullet", BOX_BAR),
             row(f"{title}: hull-hull manifold, 32 vertices each, cold", "ns", times("hull-hull manifold")["carom"]),
             against_peers("hull-hull depth", "hull-hull depth, 32 vertices each, cold", "libccd, FCL", DEPTH_BAR)]
            + [coherent(shapes, f"{shapes} manifold", bar) for shapes, bar in COHERENT_BARS.items()]
            + [against_peers(case, case, "Bullet, FCL", ROUND_BAR) for case in ROUND])


def humanoid_rows(results: Results) -> list[dict]:
    title, one = f"{WORLDS} worlds of the humanoid in random states, time of a world", humanoids_name(1)
    threads = [count for count in THREADS if results.has(humanoids_name(count))]
    if not threads:
        return []
    us = {count: results.best(humanoids_name(count), "world_s") * 1e6 for count in threads}
    table = []
    if 1 in us:
        peer = results.best("mujoco", "world_s") * 1e6 if check_same_contacts(results, one) else None
        found = (f"pairs {results.one(one, 'pairs'):.2f}, contacts {results.one(one, 'contacts'):.2f} a world; tier "
                 f"{results.one(one, 'tier')}, mode {results.one(one, 'mode')}")
        reason = f"{results.missing('mujoco')}; " if results.has("mujoco") and peer is None else ""
        version = f"MuJoCo {results.one('mujoco', 'version')}" if peer else "MuJoCo"
        table.append(row(f"{title}: collide()", "us", us[1], peer, f"{version} mj_collision",
                         MUJOCO_BAR if results.has("mujoco") else None, note=reason + found))
    for count in filter(lambda count: count > 1 and 1 in us, us):
        table.append(row(f"{title}: collide(), {count} threads", "us", us[count], us[1], "carom, 1 thread", THREADS_BAR,
                         threads=count))
    allocations = sum(max(results.all(humanoids_name(count), "allocations")) for count in threads)
    table.append(row(f"{title}: heap allocations after warm-up", "", allocations, 0, "limit", 1, max(threads)))
    return table


def check_same_contacts(results: Results, run: str) -> bool:
    """Both sides have the same robot in the same states. False when MuJoCo did not run."""
    if not results.ran("mujoco"):
        return False
    for key in ("contacts", "depth"):
        own, theirs = results.one(run, key), results.one("mujoco", key)
        if abs(own - theirs) > SAME_CONTACTS * theirs:
            raise SystemExit(f"bench: MuJoCo's humanoids touch differently: {key} {theirs}, carom's {own}")
    return True


def pile_rows(results: Results) -> list[dict]:
    """What keep_distance saves where nothing moves."""
    table = []
    for shape, words in PILES.items():
        run = pile_name(shape)
        if results.has(run):
            kept, found = (results.best(run, key) * 1e3 for key in ("kept_s", "found_s"))
            note = f"{results.one(run, 'pairs'):,} pairs that are near, {results.one(run, 'contacts'):,} contacts"
            table.append(row(f"pile of {PILE_BODIES:,} {words} at rest: collide() with contacts that are kept", "ms",
                             kept, found, "carom, contacts found anew", note=note))
    return table


def mode_rows(results: Results) -> list[dict]:
    """The mode that AUTO takes beside the best one."""
    table = []
    for shapes, worlds in mode_cases():
        run = modes_name(shapes, worlds)
        if not results.has(run):
            continue
        times = {mode: results.best(run, "world_s", mode) * 1e6 for mode in results.last(run, "world_s")}
        peer, name = best_of(times)
        taken = results.one(run, "auto")
        table.append(row(f"modes of the broad phase, time of collide() in a world of spheres: {shapes} spheres, worlds "
                         f"{worlds}, auto = {taken}", "us", times[taken], peer, f"carom, {name}", note=listed(times)))
    return table
