"""Writes docs/performance.md from what the suites left in build/bench.

usage: report.py [--results DIR] [--page FILE]
"""

import argparse
import json
import pathlib
import sys

from suite import below_bar, number, titled

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEAD = """# Performance

Written by `bench/report.py` from the results of `make bench SUITE=name`; not to be edited by hand.

Runs of carom and of its peers take turns, and the best of several counts. A ratio above 1 means that carom is better by
that factor; "at least" is the bar that the project sets itself, and a figure below it is marked. A peer called "limit"
is a bar given in the figure's own unit.
"""


COLUMNS = {"case": "---", "threads": "--:", "carom": "--:", "peer": "--:", "ratio": "--:", "at least": "--:",
           "against": "---", "note": "---"}


def cells(row: dict) -> dict[str, str]:
    def figure(value: float | None) -> str:
        return f"{number(value)} {row['unit']}".rstrip() if value is not None else "-"

    return {"case": row["case"], "threads": str(row["threads"]), "carom": figure(row["carom"]),
            "peer": figure(row["peer"]), "ratio": (number(row["ratio"]) + " (below)" * below_bar(row)).strip(),
            "at least": number(row["at_least"]), "against": row["peer_name"] or "",
            "note": row["note"].replace("|", "\\|")}


def table(rows: list[dict]) -> str:
    """Without the columns that say nothing."""
    lines = [cells(row) for row in rows]
    shown = [column for column in COLUMNS
             if column == "carom" or any(line[column] not in ("", "-") for line in lines)]
    head = [shown, [COLUMNS[column] for column in shown]]
    texts = head + [[line[column] for column in shown] for line in lines]
    return "\n".join("| " + " | ".join(text) + " |" if text is not head[1] else "|" + "|".join(text) + "|"
                     for text in texts)


def section(path: pathlib.Path) -> str:
    machine = json.loads((path.parent / "machine" / path.name).read_text())
    about = machine.pop("about", "")
    parts = [f"## {path.stem}", about, "\n".join(f"- {name}: {value}" for name, value in machine.items())]
    for title, rows in titled(json.loads(path.read_text())):
        parts += [f"### {title[0].upper()}{title[1:]}" if title else "", table(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


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
