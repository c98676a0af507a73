"""The suite `events`: sixteen billiard balls from event to event, against Drake's integrators with a variable step and what
is published of Modia3D, and many worlds at once against the same worlds one after the other."""

import os
import pathlib
import sys

from suite import Results, Run, row

HERE = pathlib.Path(__file__).resolve().parent
DRAKE = str(HERE / "peers" / "drake_billiards.py")
PACKAGES = ["drake"]  # of the extra bench; Modia3D is a Julia package
PARTIAL = True
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """Modia3D's `Billard16Balls`: a break, 5 s of play, tolerance 1e-8, on one core. It is published with 20 minutes for
a tolerance of 1e-5 (EOOLT 2019), on another machine.

Drake: the same balls, masses, friction and cushions in a continuous plant, with the integrator and accuracy that the row
names. Its points have a linear stiffness, that which gives the hardest hit the same depth as Hertz's, and it looks for no
events, so play differs after the break; the rows compare what the same seconds at the same tolerance take.

"One by one": the same worlds, each with a stepper of its own. The sixteen balls of one table fill the lanes of a core
already; a world of one ball does not."""

PUBLISHED = 20 * 60  # [s], of Modia3D
LIMIT = 10           # [s]
SECONDS = "0.5" if QUICK else "5"
CASES = [(method, response) for method in ("bdf", "rk45") for response in ("elastic", "impulse")]
# Integrator, accuracy and seconds of Drake; method of carom, with the elastic law.
DRAKES = [("runge_kutta5", "1e-8", "0.1" if QUICK else "0.5", "rk45"), ("cenic", "1e-6", SECONDS, "bdf"),
          ("cenic", "1e-3", SECONDS, "bdf")]
# Of one kind of world: how many, seconds, bar.
TOGETHER = {"tables": (8 if QUICK else 256, "0.05" if QUICK else "0.2", 6),
            "balls": (64 if QUICK else 1024, "3", None)}


def runs(programs: pathlib.Path) -> dict[str, Run]:
    program = str(programs / "carom_bench_events")
    found = {f"billiards {method} {response}": Run([program, "table", method, response, "1", SECONDS, "1e-8"])
             for method, response in CASES}
    for scheme, accuracy, seconds, method in DRAKES:
        found[f"carom {accuracy} {seconds}"] = Run([program, "table", method, "elastic", "1", seconds, accuracy])
        found[f"drake {scheme} {accuracy}"] = Run([sys.executable, "-W", "ignore", DRAKE, scheme, accuracy, seconds])
    for kind, (count, seconds, _) in TOGETHER.items():
        found[f"{kind} together"] = Run([program, kind.removesuffix("s"), "rk45", "impulse", str(count), seconds, "1e-8"])
    return found


def rows(results: Results, names: list[str]) -> list[dict]:
    table = []
    for method, response in CASES:
        name, case = f"billiards {method} {response}", f"16 balls, {SECONDS} s, {method}, {response}"
        if name not in names:
            continue
        if not results.ran(name):
            table.append(row(case, "s", None, note=results.missing(name)))
            continue
        note = ", ".join(f"{results.one(name, key):,} {key}" for key in ("steps", "evaluations", "events"))
        seconds = results.best(name, "seconds")
        if method == "bdf":
            table.append(row(case, "s", seconds, LIMIT, "limit", 1))
        table.append(row(case, "s", seconds, PUBLISHED, "Modia3D, published", None, 1, note))
    for scheme, accuracy, seconds, method in DRAKES:
        ours, theirs = f"carom {accuracy} {seconds}", f"drake {scheme} {accuracy}"
        if ours not in names or theirs not in names:
            continue
        case, took = f"16 balls, {seconds} s, {method}, tolerance {accuracy}", results.best(ours, "seconds")
        if not results.ran(ours):
            table.append(row(case, "s", None, note=results.missing(ours)))
        elif results.ran(theirs):
            note = f"{results.one(ours, 'steps'):,} steps of carom, {results.one(theirs, 'steps'):,} of Drake"
            table.append(row(case, "s", took, results.best(theirs, "seconds"), f"Drake, {scheme}", None, 1, note))
        else:
            table.append(row(case, "s", took, note=results.missing(theirs)))
    for kind, (count, seconds, bar) in TOGETHER.items():
        name = f"{kind} together"
        if name in names:
            table.append(row(f"{count:,} {kind} at once, {seconds} s", "s", results.best(name, "seconds"),
                             results.best(name, "one_by_one"), "one by one", bar, 1,
                             f"{results.one(name, 'evaluations'):,} evaluations"))
    return table
