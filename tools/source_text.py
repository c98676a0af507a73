"""Reads C++ source files for the checkers: which files there are, and their text without comments and literals."""

import pathlib
import re

SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

_COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def source_files(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def code_of(text: str) -> str:
    """The text with comments and literals emptied; every line keeps its number."""

    def blank(match: re.Match) -> str:
        found = match.group(0)
        lines = "\n" * found.count("\n")
        return lines if found.startswith("/") else '""' + lines

    return _COMMENT_OR_LITERAL.sub(blank, text)


def includes_of(text: str) -> list[tuple[int, str]]:
    """(line number, path as written) of every #include."""
    return [(line_of(text, match.start()), match.group(1)) for match in _INCLUDE.finditer(text)]


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
