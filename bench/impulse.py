"""The suite `impulse`: impulses of arrays of contacts, in millions per second, against a limit and against a loop over
the function for one contact; and on the contacts of many worlds."""

import os
import pathlib

from suite import Results, Run, row

PACKAGES: list[str] = []  # no peers
PARTIAL = True  # rows() copes with runs that were left out
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """`impulses_by_collision` on random contacts of two turned bodies, in float; every argument has a row per
contact. Times include the check of all rows. "One by one" is a plain loop over the function for one contact, without
checks, on one thread, compiled for the same instructions; its impulses have the same bits.

`resolve_impulses` on the contacts of 4,096 worlds with friction 0.3 and restitution 0.5: two spheres that meet, and a box that
lands on a plane with four corners and slips; millions of contacts per second, beside the same with one world at a time."""

SIZES = {"16,384 contacts": 16_384, "1,000,000 contacts": 1_000_000}  # in the cache, and from memory
FRICTIONS = {"": 0, ", friction": 0.4}
THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
LIMIT = 30  # million impulses per second on one core, without friction
SCENES = {"resolve, spheres": "spheres", "resolve, box on four corners": "box"}
WORLDS = 4096
CONTACTS = 500_000 if QUICK else 100_000_000  # to be computed by a process


def name(size: str, friction: str, threads: int) -> str:
    return f"{size}{friction} {threads}t"


def cases() -> list[tuple[str, str, int]]:
    return [(size, friction, threads) for friction in FRICTIONS for size in SIZES for threads in THREADS]


def runs(programs: pathlib.Path) -> dict[str, Run]:
    program = str(programs / "carom_bench_impulse")
    arrays = {name(size, friction, threads): Run([program, str(SIZES[size]), str(FRICTIONS[friction]), str(threads),
                                                  str(max(3, CONTACTS // 20 // SIZES[size]))])
              for size, friction, threads in cases()}
    worlds = {f"{scene} {threads}t": Run([program + "_worlds", SCENES[scene], str(WORLDS), str(threads),
                                          "3" if QUICK else "50"])
              for scene in SCENES for threads in THREADS}
    return arrays | worlds


def rows(results: Results, names: list[str]) -> list[dict]:
    table = []
    for size, friction, threads in cases():
        run = name(size, friction, threads)
        if run not in names:
            continue
        batch, loop = (SIZES[size] / results.best(run, key) / 1e6 for key in ("batch_s", "loop_s"))
        if not friction and threads == 1:
            table.append(row(size, "M/s", batch, LIMIT, "limit", 1, threads, more=True))
        table.append(row(size + friction, "M/s", batch, loop, "one by one", None, threads,
                         f"tier {results.one(run, 'tier')}", more=True))
    for scene in SCENES:
        for threads in THREADS:
            run = f"{scene} {threads}t"
            if run not in names:
                continue
            lanes, one = (results.one(run, "contacts") / results.best(run, key) / 1e6 for key in ("lanes_s", "one_s"))
            table.append(row(scene, "M/s", lanes, one, "one world at a time", None, threads,
                             f"tier {results.one(run, 'tier')}", more=True))
    return table
