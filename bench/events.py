"""The suite `events`: sixteen billiard balls from event to event, against what is published of Modia3D, and many tables at
once against the same tables one after the other."""

import os
import pathlib

from suite import Results, Run, row

PACKAGES: list[str] = []  # no peers to be had: Modia3D is a Julia package
PARTIAL = True
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """Modia3D's `Billard16Balls`: a break, 5 s of play, tolerance 1e-8, on one core. It is published with 20 minutes for
a tolerance of 1e-5 (EOOLT 2019), on another machine. "One by one": the same tables, each with a stepper of its own."""

PUBLISHED = 20 * 60  # [s], of Modia3D
LIMIT = 10           # [s]
SECONDS = "0.5" if QUICK else "5"
TABLES = 8 if QUICK else 256
TABLE_SECONDS = "0.05" if QUICK else "0.2"
CASES = [(method, response) for method in ("bdf", "rk45") for response in ("elastic", "impulse")]


def runs(programs: pathlib.Path) -> dict[str, Run]:
    program = str(programs / "carom_bench_events")
    found = {f"billiards {method} {response}": Run([program, method, response, "1", SECONDS, "1e-8"])
             for method, response in CASES}
    found["tables rk45 impulse"] = Run([program, "rk45", "impulse", str(TABLES), TABLE_SECONDS, "1e-8"])
    return found


def rows(results: Results, names: list[str]) -> list[dict]:
    table = []
    for method, response in CASES:
        name = f"billiards {method} {response}"
        if name not in names:
            continue
        if not results.ran(name):
            table.append(row(f"16 balls, {method}, {response}", "s", None, note=results.missing(name)))
            continue
        note = ", ".join(f"{results.one(name, key):,} {key}" for key in ("steps", "evaluations", "events"))
        seconds = results.best(name, "seconds")
        if method == "bdf":
            table.append(row(f"16 balls, {method}, {response}", "s", seconds, LIMIT, "limit", 1))
        table.append(row(f"16 balls, {method}, {response}", "s", seconds, PUBLISHED, "Modia3D, published", None, 1, note))
    name = "tables rk45 impulse"
    if name in names:
        table.append(row(f"{TABLES} tables at once, {TABLE_SECONDS} s", "s", results.best(name, "seconds"),
                         results.best(name, "one_by_one"), "one by one", 6, 1,
                         f"{results.one(name, 'evaluations'):,} evaluations"))
    return table
