#!/usr/bin/env python3
"""Lists what the last run of the tests skipped, by reason.

usage: report_skips.py NOTES REPORTS     (folders; NOTES holds a file per part that was left out, saying why,
                                          REPORTS the JUnit files of ctest and pytest)

On a CI machine (CI=true) a skip is a failure, unless what is missing is a GPU.
"""

import collections
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

NO_GPU = re.compile(r"\bno (CUDA|GPU)|needs a GPU")


def reason_of(case) -> str | None:
    """Why a test was skipped; None when it ran."""
    skipped = case.find("skipped")
    if skipped is None:
        return None
    output = case.findtext("system-out") or ""  # ctest: what the program printed, among it the reason
    said = re.search(r"Skipped\n(.+)", output) or re.search(r"NOT RUN: (.+?)[ *]*$", output, re.MULTILINE)
    return said.group(1).strip() if said else skipped.get("message") or "no reason given"


def skips(notes: pathlib.Path, reports: pathlib.Path) -> dict[str, list[str]]:
    found = collections.defaultdict(list)
    for note in sorted(notes.glob("*")):
        found[note.read_text().strip()].append(note.name)
    for report in sorted(reports.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            reason = reason_of(case)
            if reason is not None:
                found[reason].append(f"{report.stem}: {case.get('name')}")
    return found


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = skips(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for reason, names in sorted(found.items(), key=lambda item: not NO_GPU.search(item[0])):  # the others last
        print(f"**** SKIPPED: {reason} ({len(names)}) ****")
        for name in names:
            print("   ", name)
    bad = sum(len(names) for reason, names in found.items() if not NO_GPU.search(reason))
    total = sum(len(names) for names in found.values())
    print(f"skips: {total}, {bad} of them not for want of a GPU" if total else "skips: none")
    return bad > 0 and os.environ.get("CI") == "true"


if __name__ == "__main__":
    sys.exit(main())
