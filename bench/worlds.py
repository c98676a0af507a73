"""The suite `worlds`: how long it takes, and how much memory, to finalize thousands of robots with 20 links and 25
shapes each, and to move all of them by forward kinematics; in lanes against one world at a time, and against Newton."""

import json
import os
import pathlib
import subprocess
import sys

from suite import Results, Run, row

PEER = pathlib.Path(__file__).resolve().parent / "peers" / "newton_worlds.py"

PACKAGES = ["newton"]  # of the extra bench

SIZES = [1024, 4096, 16384, 65536]  # worlds
MAIN_SIZE = 16384
LANES = {"baseline": 4, "avx2": 8, "avx512": 16}  # of floats; tiers that are not named here are for tests
THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
REPEATS = 20  # of eval_fk in a process

FINALIZE_LIMIT_MS = 1000
MEMORY_LIMIT_MB = 600
LANES_BAR = 0.7     # of the ideal speed-up, which is the number of lanes
LINEAR_BAR = 0.67   # time per world may grow by half from the smallest to the largest size


def runs(programs: pathlib.Path) -> dict[str, Run]:
    program = str(programs / "carom_bench_worlds")
    printed = json.loads(subprocess.run([program, "tiers"], check=True, capture_output=True, text=True).stdout)
    result = {f"finalize {size}": Run([program, "finalize", str(size)]) for size in SIZES}
    for tier in (tier for tier in printed["tiers"] if tier in LANES):
        for threads in THREADS:
            result[f"fk {tier} {threads}"] = Run([program, "fk", str(MAIN_SIZE), str(threads), str(REPEATS)],
                                                 {"CAROM_TIER": tier})
    result["newton"] = Run([sys.executable, str(PEER), str(MAIN_SIZE), str(REPEATS)])
    return result


def rows(results: Results, names: list[str]) -> list[dict]:
    fk = [tuple(name.split()[1:]) for name in names if name.startswith("fk ")]
    check_same_bits(results, names)
    return (limit_rows(results) + linear_rows(results) + lanes_rows(results, fk) + allocation_rows(results, fk)
            + newton_rows(results, fk))


def check_same_bits(results: Results, names: list[str]):
    fk = [name for name in names if name.startswith("fk ")]
    bits = {f"{name} {way}": results.one(name, way, "bits") for name in fk for way in ("one", "lanes")}
    if len(set(bits.values())) != 1:
        raise SystemExit(f"bench: eval_fk gives different bits: {bits}")


def limit_rows(results: Results) -> list[dict]:
    run = f"finalize {MAIN_SIZE}"
    return [
        row(f"finalize {MAIN_SIZE} worlds", "ms", results.best(run, "finalize_s") * 1e3, FINALIZE_LIMIT_MS, "limit", 1),
        row(f"peak memory of {MAIN_SIZE} worlds", "MB", max(results.all(run, "peak_mb")), MEMORY_LIMIT_MB, "limit", 1,
            note="of the whole process: builder, model and program"),
    ]


def linear_rows(results: Results) -> list[dict]:
    def per_world(size: int, key: str) -> float:
        return results.best(f"finalize {size}", key) * 1e9 / size

    table = []
    for size in SIZES:
        run = f"finalize {size}"
        total, memory = results.best(run, "finalize_s") * 1e3, max(results.all(run, "peak_mb"))
        table.append(row(f"finalize, per world of {size}", "ns", per_world(size, "finalize_s"),
                         per_world(SIZES[0], "finalize_s"), f"carom, {SIZES[0]} worlds", LINEAR_BAR,
                         note=f"{total:.1f} ms, peak {memory:.0f} MB"))
    for size in SIZES:
        table.append(row(f"replicate, per world of {size}", "ns", per_world(size, "replicate_s"),
                         per_world(SIZES[0], "replicate_s"), f"carom, {SIZES[0]} worlds", LINEAR_BAR,
                         note=f"{results.best(f'finalize {size}', 'replicate_s') * 1e3:.1f} ms"))
    return table


def lanes_rows(results: Results, fk: list[tuple[str, str]]) -> list[dict]:
    table = []
    for tier, threads in fk:
        run, lanes = f"fk {tier} {threads}", LANES[tier]
        table.append(row(f"eval_fk of {MAIN_SIZE} worlds, {lanes} lanes ({tier})", "ms",
                         results.best(run, "lanes", "seconds") * 1e3, results.best(run, "one", "seconds") * 1e3,
                         "carom, one world at a time", LANES_BAR * lanes if threads == "1" else None, int(threads),
                         "same bits " + results.one(run, "lanes", "bits")))
    return table


def allocation_rows(results: Results, fk: list[tuple[str, str]]) -> list[dict]:
    count = sum(max(results.all(f"fk {tier} {threads}", way, "allocations"))
                for tier, threads in fk for way in ("one", "lanes"))
    return [row("heap allocations in eval_fk after warm-up", "", count, 0, "limit", 1,
                max(int(threads) for _, threads in fk), "all tiers and numbers of threads together")]


def newton_rows(results: Results, fk: list[tuple[str, str]]) -> list[dict]:
    missing = results.missing("newton")
    version = "newton" if missing else f"newton {results.one('newton', 'version')}, CPU"
    if not missing:
        check_same_robot(results, fk)

    def against(case: str, unit: str, carom: float, key: str, scale: float, threads: int, note: str) -> dict:
        peer = None if missing else results.best("newton", key) * scale
        return row(case, unit, carom, peer, version, threads=threads, note=missing or note)

    run = f"finalize {MAIN_SIZE}"
    table = [
        against(f"replicate {MAIN_SIZE} worlds", "ms", results.best(run, "replicate_s") * 1e3, "replicate_s", 1e3, 1, ""),
        against(f"finalize {MAIN_SIZE} worlds", "ms", results.best(run, "finalize_s") * 1e3, "finalize_s", 1e3, 1,
                "Newton's kernels are compiled before"),
        against(f"peak memory of {MAIN_SIZE} worlds", "MB", max(results.all(run, "peak_mb")), "peak_mb", 1, 1,
                "of the whole process; Newton's has Python and warp in it"),
    ]
    tier = fk[-1][0]  # the widest
    for threads in THREADS:
        table.append(against(f"eval_fk of {MAIN_SIZE} worlds ({tier})", "ms",
                             results.best(f"fk {tier} {threads}", "lanes", "seconds") * 1e3, "fk_s", 1e3, threads,
                             "Newton uses one thread on the CPU; its kernels are warm"))
    return table


def check_same_robot(results: Results, fk: list[tuple[str, str]]):
    for count in ("bodies", "shapes", "joint_dofs"):
        if results.one("newton", count) != results.one(f"finalize {MAIN_SIZE}", count):
            raise SystemExit(f"bench: Newton's robot has another number of {count}")
    own, theirs = (results.one(name, "mean_position") for name in (" ".join(("fk", *fk[-1])), "newton"))
    if abs(own - theirs) > 1e-5:
        raise SystemExit(f"bench: Newton's robot stands elsewhere: mean position {theirs}, carom's {own}")
