#!/usr/bin/env python3
"""Writes the tables of defaults in the docs from the config structs themselves (through the Python package).

usage: print_defaults.py [--check]     --check changes nothing and fails when a page is out of date
"""

import pathlib
import re
import sys

import carom
import carom.f64

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- defaults: begin -->", "<!-- defaults: end -->"


def table(config: type) -> str:
    lines = [f"`{config.__name__}`", "", "| field | default | meaning |", "|---|---|---|"]
    values = config()
    for name in dir(config):
        member = getattr(config, name)
        if not name.startswith("_") and isinstance(member, property):
            lines.append(f"| `{name}` | {getattr(values, name)} | {member.__doc__} |")
    return "\n".join(lines)


def builder_table() -> str:
    builder = carom.ModelBuilder()
    lines = ["`ModelBuilder`", "", "| attribute | default |", "|---|---|"]
    for name in ["gravity", "rigid_contact_margin", "default_particle_radius"]:
        value = getattr(builder, name)
        lines.append(f"| `{name}` | {tuple(value) if hasattr(value, '__len__') else value} |")
    return "\n".join(lines)


def arguments_table(owner: type, method: str) -> str:
    signature, doc, defaults = getattr(owner, method).__nb_signature__[0]
    meanings = dict(re.findall(r"^    (\w+): (.*)$", doc, flags=re.M))
    name = owner.__name__ if method == "__init__" else f"{owner.__name__}.{method}"
    lines = [f"`{name}`", "", "| argument | default | meaning |", "|---|---|---|"]
    for name, number in re.findall(r"(\w+): [^,=]+ = \\(\d+)", signature):
        if name in meanings:
            lines.append(f"| `{name}` | {defaults[int(number)]} | {meanings[name]} |")
    return "\n".join(lines)


def abilities_table() -> str:
    names = carom.solver_names()
    abilities = [carom.solver_abilities(name) for name in names]
    lines = ["| | " + " | ".join(f"`{name}`" for name in names) + " |", "|---|" + "---|" * len(names)]
    for row in ["coordinates", "contacts"]:
        lines.append(f"| {row} | " + " | ".join(getattr(a, row) for a in abilities) + " |")
    for feature in abilities[0].features:
        marks = ["yes" if a.features[feature] else "refused" for a in abilities]
        lines.append(f"| {feature} | " + " | ".join(marks) + " |")
    return "\n".join(lines)


def tables_of_pages() -> dict[str, list[str]]:
    return {
        "models.md": [table(carom.ShapeConfig), table(carom.JointDofConfig), arguments_table(carom.ModelBuilder, "add_tendon_fixed"),
                      arguments_table(carom.ModelBuilder, "add_actuator"), table(carom.ControllerConfig), table(carom.DcMotorConfig),
                      builder_table(), table(carom.ModelOptions)],
        "impulses.md": [table(carom.ImpulseConfig)],
        "solvers.md": [abilities_table()],
        "events.md": [arguments_table(carom.f64.EventStepper, "__init__")],
    }  # fmt: skip


def page_with_defaults(text: str, tables: list[str]) -> str:
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return before + BEGIN + "\n\n" + "\n\n".join(tables) + "\n\n" + END + after


def main() -> int:
    outdated = 0
    for page, tables in tables_of_pages().items():
        old = (DOCS / page).read_text()
        new = page_with_defaults(old, tables)
        if "--check" not in sys.argv[1:]:
            (DOCS / page).write_text(new)
        elif old != new:
            print(f"docs/{page} does not show the current defaults; run tools/print_defaults.py", file=sys.stderr)
            outdated = 1
    return outdated


if __name__ == "__main__":
    sys.exit(main())
