"""What is said about a stage: Errors that name file and prim, and warnings, one line for all prims with the same."""

import warnings
from typing import NoReturn

from carom._error import Error


class Report:
    def __init__(self, name: str) -> None:
        self.name = name  # of the file
        self._found: dict[str, dict[str, None]] = {}  # prims by what is said of them, each once

    def fail(self, path: object, text: str) -> NoReturn:
        raise Error(f"{self.name}: {path}: {text}")

    def warn(self, path: object, text: str) -> None:
        self._found.setdefault(text, {})[str(path)] = None

    def lines(self) -> list[str]:
        def where(paths: list[str]) -> str:
            return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")

        return [f"{self.name}: {where(list(paths))}: {text}" for text, paths in self._found.items()]

    def show(self, stacklevel: int) -> None:
        if self._found:
            warnings.warn("\n".join(self.lines()), stacklevel=stacklevel + 1)
