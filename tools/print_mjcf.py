#!/usr/bin/env python3
"""Writes the tables of docs/mjcf.md from the reader's own table of MJCF (through the Python package), and the share of
Menagerie's files that it reads from the files that are at hand.

usage: print_mjcf.py [--check]     --check changes nothing and fails when the page is out of date

Files are those in menagerie/ of the folder that CAROM_MODELS names; without them that part of the page stays as it is.
"""

import importlib
import os
import pathlib
import re
import sys
import warnings
import xml.etree.ElementTree

import carom.f64 as carom

_module = importlib.import_module(carom.ModelBuilder.__module__)  # what the tools alone need is not in the package
PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "mjcf.md"
WHOLE = {"ignored": "leaves the motion alone, so nothing inside is looked at", "later": "left out, with a warning",
         "refused": "refused, an error"}  # fmt: skip
LIMITS = {"bytes": "bytes of all files of a model together", "depth": "levels of elements inside elements",
          "elements": "elements, after includes and replicates", "files": "included or attached files",
          "numbers": "numbers that few words ask for: heights of fields, samples of delays, mass matrices",
          "steps": "steps of bodies and degrees of freedom, to find lengths of muscles"}  # fmt: skip


def attribute_list(element: dict, *uses: str) -> str:
    return " ".join(f"`{name}`" for name, use, _ in element["attributes"] if use in uses)


def element_rows(elements: list[dict]) -> list[str]:
    rows = ["| element | read | leaves the motion alone | refused |", "|---|---|---|---|"]
    for element in elements:
        parent, _, tag = element["id"].rpartition("/")
        name = f"`{tag}`" + (f" in `{parent}`" if parent else "")
        if element["use"] == "used":
            lists = [attribute_list(element, use) for use in ("used", "ignored", "refused")]
            if later := attribute_list(element, "later"):
                lists[1] += f" (warning: {later})"
        else:
            lists = [f"*{WHOLE[element['use']]}*", "", ""]
        rows.append(f"| {name} | {' | '.join(lists)} |")
    return rows


def counts_line(elements: list[dict]) -> str:
    used = [element for element in elements if element["use"] == "used"]
    attributes = [use for element in elements for _, use, _ in element["attributes"]]
    refused = [element for element in elements if element["use"] == "refused"]
    return (f"{len(elements)} elements, of which {len(used)} are read and {len(refused)} refused; {len(attributes)} "
            f"attributes, of which {attributes.count('used')} are read and {attributes.count('refused')} refused.")


def limit_rows() -> list[str]:
    return ["| limit | at most |", "|---|--:|",
            *(f"| {LIMITS[name]} | {value:,} |" for name, value in _module._mjcf_limits().items())]


def elements_block() -> str:
    elements = _module._mjcf_elements()
    return "\n".join([counts_line(elements), "", *element_rows(elements), "", *limit_rows()])


def read_problem(path: pathlib.Path) -> str | None:
    """The first line of the error, None for a file that is read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            carom.load_mjcf(path)
        except carom.Error as error:
            return re.sub(r"\s+", " ", str(error).replace(str(path.parent) + "/", ""))[:200]
    return None


def is_model(path: pathlib.Path) -> bool:
    """A file without bodies is a part of others, such as keyframes that they include."""
    return xml.etree.ElementTree.parse(path).getroot().find("worldbody") is not None


def files_block(folder: pathlib.Path) -> str:
    robots = sorted(path for path in folder.iterdir() if path.is_dir())
    files = [path for robot in robots for path in sorted(robot.glob("*.xml")) if is_model(path)]
    problems = {path: problem for path in files if (problem := read_problem(path))}
    share = 100 * (len(files) - len(problems)) / len(files)
    lines = [f"At hand are {len(files)} files of {len(robots)} of Menagerie's robots "
             f"({', '.join(robot.name for robot in robots)}): {len(files) - len(problems)} are read, {share:.0f} %."]
    lines += [f"- `{path.relative_to(folder)}`: {problem}" for path, problem in problems.items()]
    return "\n".join(lines)


def with_block(text: str, name: str, block: str) -> str:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = text.split(begin)
    return before + begin + "\n\n" + block + "\n\n" + end + rest.split(end)[1]


def main() -> int:
    old = PAGE.read_text()
    new = with_block(old, "elements", elements_block())
    folder = pathlib.Path(os.environ.get("CAROM_MODELS", "")) / "menagerie"
    if os.environ.get("CAROM_MODELS") and folder.is_dir():
        new = with_block(new, "files", files_block(folder))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(new)
    elif old != new:
        print("docs/mjcf.md does not show what the reader knows; run tools/print_mjcf.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
