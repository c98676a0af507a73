"""Runs one benchmark suite, prints its table and writes build/bench/SUITE.json.

usage: run.py SUITE [--rounds N] [--only REGEX] [--quick] [--list] [--programs DIR] [--out DIR]

A suite is a module beside this file. Its runs(programs) names the processes of one round, carom's and the peers' in
turn; the runner repeats the round, so that whatever disturbs the machine disturbs all of them, and rows(results, names)
makes the table. The exit status is 1 when a figure stays below its bar; the files are written all the same.

--only   the runs whose names match, for suites that can do with a part: --only 'mujoco/humanoid.*(x8192 )?1t'
--list   the names of the runs
--quick  few steps and one round, to try whether everything works; the figures mean little
With --only or --quick files are written only when --out says where to.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import machine
from suite import Results, Run, below_bar, number, titled

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = ["worlds", "spine", "mujoco", "collide", "impulse", "sensors", "solvers", "events", "cuda", "io"]
MODULES = {"mujoco": "mujoco_models", "io": "model_files"}  # of suites that are called otherwise


def bench_requirements(packages: list[str] | None) -> list[str]:
    """The packages of the peers, as pyproject.toml states them; of all suites, or those that are named."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        from pip._vendor import tomli as tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = project.get("optional-dependencies", {}).get("bench", [])
    return [line for line in stated if packages is None or re.match(r"[\w-]+", line).group() in packages]


def install_peers(packages: list[str] | None):
    """Peers are optional: without them the suite runs on, and its rows say what is missing."""
    requirements = bench_requirements(packages)
    if not requirements or sys.prefix == sys.base_prefix:  # nothing is ever put outside a virtual environment
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    if subprocess.run(pip + requirements).returncode != 0:
        print(f"bench: could not install {', '.join(requirements)}; going on without", file=sys.stderr)


def execute(name: str, run: Run) -> dict:
    try:
        process = subprocess.run(run.command, env=os.environ | run.env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise SystemExit(f"bench: {name} cannot be started: {error}") from error
    if process.returncode != 0:
        raise SystemExit(f"bench: {name} failed: {' '.join(run.command)}\n{process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])


def measure(suite, runs: dict[str, Run], rounds: int) -> list[dict]:
    results = Results()
    for round in range(rounds):
        print(f"bench: round {round + 1} of {rounds}, {len(runs)} runs", file=sys.stderr, flush=True)
        for name, run in runs.items():
            printed = execute(name, run)
            results.add(name, printed)
            if "missing" in printed and round == 0:
                print(f"bench: **** {name}: {printed['missing']} ****", file=sys.stderr, flush=True)
            if printed.get("without") and round == 0:  # Debian packages of peers
                print(f"bench: **** {name}: missing peers, to be had by apt-get install {printed['without']} ****",
                      file=sys.stderr, flush=True)
    return suite.rows(results, list(runs))


def print_tables(rows: list[dict]):
    for title, table in titled(rows):
        print(f"\n{title}" if title else "")
        print_table(table)


def print_table(rows: list[dict]):
    head = ["case", "threads", "unit", "carom", "peer", "ratio", "at least", "", "against", "note"]
    table = [[row["case"], str(row["threads"]), row["unit"], number(row["carom"]), number(row["peer"]),
              number(row["ratio"]), number(row["at_least"]), "BELOW" if below_bar(row) else "", row["peer_name"] or "",
              row["note"]] for row in rows]
    right = {1, 3, 4, 5, 6}
    shown = [i for i in range(len(head)) if head[i] == "carom" or any(line[i] for line in table)]
    width = {i: max(len(line[i]) for line in [head] + table) for i in shown}
    for line in [head] + table:
        cells = (line[i].rjust(width[i]) if i in right else line[i].ljust(width[i]) for i in shown)
        print("  ".join(cells).rstrip())


def write(folder: pathlib.Path, suite: str, rows: list[dict], about: str):
    (folder / "machine").mkdir(parents=True, exist_ok=True)
    (folder / f"{suite}.json").write_text(json.dumps(rows, indent=1) + "\n")
    facts = machine.describe() | {"about": about}
    (folder / "machine" / f"{suite}.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(f"written to {folder / suite}.json")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES, metavar="SUITE", help=f"one of: {', '.join(SUITES)}")
    parser.add_argument("--rounds", type=int, help="5; with --quick 1")
    parser.add_argument("--only", metavar="REGEX", type=re.compile)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the names of the runs, and run nothing")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/bench")
    parser.add_argument("--out", type=pathlib.Path, help="build/bench")
    args = parser.parse_args()

    if args.quick:
        os.environ["CAROM_BENCH_QUICK"] = "1"  # read by the suites and their programs
    suite = importlib.import_module(MODULES.get(args.suite, args.suite))
    if args.only and not getattr(suite, "PARTIAL", False):
        parser.error(f"the suite {args.suite} cannot run in part")
    if not args.list:
        machine.warn_if_busy()
        install_peers(getattr(suite, "PACKAGES", None))
    runs = {name: run for name, run in suite.runs(args.programs).items() if not args.only or args.only.search(name)}
    if args.list:
        print("\n".join(runs))
        return 0
    rows = measure(suite, runs, args.rounds or (1 if args.quick else 5)) if runs else []
    print_tables(rows)
    low = sum(map(below_bar, rows))
    print(f"\n{low} of {len(rows)} figures below their bar")
    if rows and (args.out or not (args.only or args.quick)):  # a part never replaces the whole
        write(args.out or ROOT / "build/bench", args.suite, rows, getattr(suite, "ABOUT", ""))
    return bool(low)


if __name__ == "__main__":
    sys.exit(main())
