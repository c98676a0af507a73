"""Runs one benchmark suite, prints its table and writes build/bench/SUITE.json.

usage: run.py SUITE [--rounds N] [--programs DIR] [--out DIR]

A suite is a module beside this file. Its runs(programs) names the processes of one round, carom's and the peers' in
turn; the runner repeats the round, so that whatever disturbs the machine disturbs all of them, and rows(results, names)
makes the table. The exit status is 1 when a figure stays below its bar; the files are written all the same.
"""

import argparse
import importlib
import json
import os
import pathlib
import subprocess
import sys

import machine
from suite import Results, Run, below_bar, number

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = ["worlds"]


def bench_requirements() -> list[str]:
    """The packages of the peers, as pyproject.toml states them."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        from pip._vendor import tomli as tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project.get("optional-dependencies", {}).get("bench", [])


def install_peers():
    """Peers are optional: without them the suite runs on, and its rows say what is missing."""
    requirements = bench_requirements()
    if not requirements or sys.prefix == sys.base_prefix:  # nothing is ever put outside a virtual environment
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    if subprocess.run(pip + requirements).returncode != 0:
        print(f"bench: could not install {', '.join(requirements)}; going on without", file=sys.stderr)


def execute(name: str, run: Run) -> dict:
    process = subprocess.run(run.command, env=os.environ | run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    if process.returncode != 0:
        raise SystemExit(f"bench: {name} failed: {' '.join(run.command)}\n{process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])


def measure(suite, programs: pathlib.Path, rounds: int) -> list[dict]:
    runs, results = suite.runs(programs), Results()
    for round in range(rounds):
        print(f"bench: round {round + 1} of {rounds}, {len(runs)} runs", file=sys.stderr, flush=True)
        for name, run in runs.items():
            results.add(name, execute(name, run))
    return suite.rows(results, list(runs))


def print_table(rows: list[dict]):
    head = ["case", "threads", "unit", "carom", "peer", "ratio", "at least", "", "against", "note"]
    table = [[row["case"], str(row["threads"]), row["unit"], number(row["carom"]), number(row["peer"]),
              number(row["ratio"]), number(row["at_least"]), "BELOW" if below_bar(row) else "", row["peer_name"] or "",
              row["note"]] for row in rows]
    widths = [max(len(line[i]) for line in [head] + table) for i in range(len(head))]
    right = {1, 3, 4, 5, 6}
    for line in [head] + table:
        cells = (cell.rjust(width) if i in right else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(line, widths)))
        print("  ".join(cells).rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES, metavar="SUITE", help=f"one of: {', '.join(SUITES)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/bench")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench")
    args = parser.parse_args()

    machine.warn_if_busy()
    install_peers()
    rows = measure(importlib.import_module(args.suite), args.programs, args.rounds)
    print_table(rows)
    (args.out / "machine").mkdir(parents=True, exist_ok=True)
    (args.out / f"{args.suite}.json").write_text(json.dumps(rows, indent=1) + "\n")
    (args.out / "machine" / f"{args.suite}.json").write_text(json.dumps(machine.describe(), indent=1) + "\n")
    low = sum(map(below_bar, rows))
    print(f"\n{low} of {len(rows)} figures below their bar; written to {args.out / args.suite}.json")
    return bool(low)


if __name__ == "__main__":
    sys.exit(main())
