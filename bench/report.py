"""Writes docs/performance.md from what the suites left in build/bench.

usage: report.py [--results DIR] [--page FILE]
"""

import argparse
import json
import pathlib
import sys

from suite import below_bar, number

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEAD = """# Performance

Written by `bench/report.py` from the results of `make bench SUITE=name`; not to be edited by hand.

Runs of carom and of its peers take turns, and the best of several counts. A ratio above 1 means that carom is better by
that factor; "at least" is the bar that the project sets itself, and a figure below it is marked. A peer called "limit"
is a bar given in the figure's own unit.
"""


def table(rows: list[dict]) -> str:
    lines = ["| case | threads | carom | peer | ratio | at least | against | note |",
             "|---|--:|--:|--:|--:|--:|---|---|"]
    for row in rows:
        unit = f" {row['unit']}" if row["unit"] else ""
        peer = number(row["peer"]) + unit if row["peer"] is not None else "-"
        ratio = number(row["ratio"]) + (" (below)" if below_bar(row) else "")
        lines.append(f"| {row['case']} | {row['threads']} | {number(row['carom'])}{unit} | {peer} | {ratio} "
                     f"| {number(row['at_least'])} | {row['peer_name'] or ''} | {row['note']} |")
    return "\n".join(lines)


def section(path: pathlib.Path) -> str:
    machine = json.loads((path.parent / "machine" / path.name).read_text())
    facts = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    return f"## {path.stem}\n\n{facts}\n\n{table(json.loads(path.read_text()))}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/performance.md")
    args = parser.parse_args()
    paths = sorted(args.results.glob("*.json"))
    if not paths:
        print(f"report: no results in {args.results}; run make bench SUITE=name first", file=sys.stderr)
        return 1
    args.page.parent.mkdir(parents=True, exist_ok=True)
    args.page.write_text("\n".join([HEAD] + [section(path) for path in paths]))
    print(f"report: wrote {args.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
