#!/usr/bin/env python3
"""Lists the largest files and functions, and fails at limits far above what is good.

usage: check_size.py [--root DIR] [--top N]

Lengths of C++ functions come from matching braces: right for code that is formatted by clang-format.
"""

import argparse
import ast
import pathlib
import re
import sys
from typing import NamedTuple

from source_text import code_of, line_of, source_files

FOLDERS = ["include", "src", "python", "cli", "viewer", "scenes", "tests", "bench", "tools"]
FILE_REPORT, FILE_LIMIT = 600, 1200
FUNCTION_REPORT, FUNCTION_LIMIT = 60, 150

# Text before a brace that opens something other than a function.
_NO_FUNCTION = re.compile(r"^\s*(template\s*<.*>\s*)?(namespace|class|struct|enum|union|extern|using)\b", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_NAME = re.compile(r"([\w:~]+|operator[^\s(]+|operator\(\))\s*\(")


class Length(NamedTuple):
    lines: int
    where: str


def cpp_functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, last line) of every function body that is not inside another one."""
    code = _DIRECTIVE.sub(lambda match: "\n" * match.group(0).count("\n"), code_of(text))
    found, stack, start = [], [], 0
    for position, char in enumerate(code):
        inside = any(kind == "function" for kind, _, _ in stack)
        if char == "{":
            head = code[start:position]
            kind = "block" if inside or _NO_FUNCTION.match(head) or ")" not in head else "function"
            if kind == "function" and re.search(r"\)\s*:[^:].*\w$", head, re.DOTALL):
                kind = "member initialiser"  # Foo() : a_{1} {...}: the body is still to come
            name = _NAME.search(head)
            first = start + len(head) - len(head.lstrip())
            stack.append((kind, name.group(1) if name else "?", first))
            start = start if kind == "member initialiser" else position + 1
        elif char == "}" and stack:
            kind, name, first = stack.pop()
            if kind == "function":
                found.append((name, line_of(code, first), line_of(code, position)))
            start = start if kind == "member initialiser" else position + 1
        elif char == ";" and not inside:
            start = position + 1
    return found


def python_functions(text: str) -> list[tuple[str, int, int]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.name, node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]


def measure(root: pathlib.Path) -> tuple[list[Length], list[Length]]:
    files, functions = [], []
    for folder in FOLDERS:
        for path in source_files(root / folder) + sorted((root / folder).rglob("*.py")):
            text = path.read_text()
            name = path.relative_to(root).as_posix()
            files.append(Length(text.count("\n"), name))
            found = python_functions(text) if path.suffix == ".py" else cpp_functions(text)
            functions += [Length(last - first + 1, f"{name}:{first} {what}") for what, first, last in found]
    return sorted(files, reverse=True), sorted(functions, reverse=True)


def report(what: str, lengths: list[Length], top: int, good: int, limit: int) -> bool:
    """Prints the longest ones; returns whether all stay within the limit."""
    long = sum(length.lines > good for length in lengths)
    print(f"{what}: {len(lengths)}, past {good} lines: {long}, hard limit: {limit}")
    for lines, where in lengths[:top]:
        mark = "TOO LONG" if lines > limit else "long" if lines > good else ""
        print(f"  {lines:5d}  {where}  {mark}".rstrip())
    return all(length.lines <= limit for length in lengths)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--top", type=int, default=5)
    args = parser.parse_args()
    files, functions = measure(args.root)
    files_good = report("files", files, args.top, FILE_REPORT, FILE_LIMIT)
    functions_good = report("functions", functions, args.top, FUNCTION_REPORT, FUNCTION_LIMIT)
    return not (files_good and functions_good)


if __name__ == "__main__":
    sys.exit(main())
