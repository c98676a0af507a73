#!/usr/bin/env python3
"""Checks the include rules of layers.txt, where CUDA may be called, and what kernel files may contain, and that
random numbers are those of tests/random.h.

usage: check_layers.py [--root DIR] [--graph]      (--graph prints the modules and who includes whom, with counts)
"""

import argparse
import collections
import fnmatch
import pathlib
import re
import sys

from source_text import code_of, includes_of, line_of, source_files

CUDA_CALL = re.compile(r"\bcuda[A-Z]\w*|\bcub::|<<<")
CUDA_HEADER = re.compile(r"^(cuda|cub/|thrust/|cooperative_groups|curand|device_launch)")

# Kernels run on CPU and GPU and must give the same bits on both, in any order. Unqualified sin, fma ... are our own.
LIBM = "sin|cos|tan|asin|acos|atan|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|hypot|fma|fmod|floor|ceil"
KERNEL_BANS = [
    ("a standard container or owner", r"\bstd::(vector|string|map|set|unordered_\w+|deque|list|function|\w+_ptr)\b"),
    ("new", r"\bnew\b"),
    ("an exception", r"\b(throw|try|catch)\b"),
    ("a libm call", rf"\b({LIBM})[fl]\s*\(|\bstd::({LIBM})f?\b|(?<!\w)::({LIBM})f?\s*\(|\b__builtin_(fma|fmaf)\s*\("),
    ("an atomic", r"\batomic\w*|\b__(atomic|sync)_(?!warp|threads)\w+|\bstd::atomic\w*"),
]
KERNEL_HEADERS = {"cstdint", "cstddef", "type_traits", "concepts", "limits", "utility", "array"}

VAGUE_NAMES = re.compile(r"(^|_)(utils?|common|helpers?|managers?|misc)(_|\.|$)")


class Layers:
    """layers.txt, read top to bottom."""

    def __init__(self, path: pathlib.Path):
        self.modules: dict[str, set[str]] = {}
        self.headers: list[tuple[str, str]] = []  # (pattern under include/carom, module)
        self.apart: set[str] = set()
        self.fronts: dict[str, set[str]] = {}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = line.split("#")[0].replace(":", " ").split()
            if words:
                self._declare(f"{path.name}:{number}", *words)

    def _declare(self, where: str, kind: str, name: str, *rest: str):
        if kind == "module":
            if name in self.modules:
                sys.exit(f"{where}: {name} is declared twice")
            for other in rest:
                if other not in self.modules:
                    sys.exit(f"{where}: {name} may not use {other}, which is not declared above it")
            self.modules[name] = set(rest)
        elif kind == "front":
            self.fronts[name] = set(rest)
        elif kind in ("header", "apart") and name in self.modules:
            self.headers += [(pattern, name) for pattern in rest]
            self.apart |= {name} if kind == "apart" else set()
        else:
            sys.exit(f"{where}: cannot read '{kind} {name}'")

    def modules_of_header(self, path: str) -> list[str]:
        """Modules of a public header; `path` is what follows carom/."""
        return [module for pattern, module in self.headers if fnmatch.fnmatch(path, pattern)]


class Checker:
    def __init__(self, root: pathlib.Path):
        self.root = root
        self.layers = Layers(root / "layers.txt")
        self.problems: list[str] = []
        self.edges: collections.Counter = collections.Counter()

    def run(self):
        for path in self._files("include/carom"):
            self._check_public_header(path)
        for path in self._files("src"):
            self._check_module_file(path)
        for front in self.layers.fronts:
            for path in self._files(front):
                self._check_front_file(path, front)
        for folder in ["include", "src", "tests", *self.layers.fronts]:
            for path in self._files(folder):
                self._check_text(path)
        self.problems = sorted(set(self.problems))

    def _files(self, folder: str) -> list[pathlib.Path]:
        return source_files(self.root / folder)

    def _problem(self, path: pathlib.Path, line: int, message: str):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    # -- Includes

    def _module_of(self, include: str) -> str | None:
        """Module of an included path; None for the standard library and other people's headers."""
        if include.startswith("carom/"):
            modules = self.layers.modules_of_header(include.removeprefix("carom/"))
            return modules[0] if modules else None
        top = include.split("/")[0]
        return top if "/" in include and top in self.layers.modules else None

    def _check_public_header(self, path: pathlib.Path):
        name = path.relative_to(self.root / "include/carom").as_posix()
        modules = self.layers.modules_of_header(name)
        if len(modules) != 1:
            self._problem(path, 1, f"belongs to {len(modules)} modules; give it one in layers.txt")
            return
        self._check_includes(path, modules[0])
        for line, include in includes_of(path.read_text()):
            if self._module_of(include) and not include.startswith("carom/"):
                self._problem(path, line, f"a public header includes the private {include}")

    def _check_module_file(self, path: pathlib.Path):
        module = path.relative_to(self.root / "src").parts[0]
        if module not in self.layers.modules:
            self._problem(path, 1, f"is in no module of layers.txt ({module})")
            return
        self._check_includes(path, module)
        for line, include in includes_of(path.read_text()):
            if (path.parent / include).is_file() and not (self.root / "src" / include).is_file():
                self._problem(path, line, f"write the include from src: {path.parent.name}/{include}")
            if module in self.layers.apart and self._subfolder(include) and self._module_of(include) == module:
                own = self._subfolder(path.relative_to(self.root / "src").as_posix())
                if own != self._subfolder(include):
                    self._problem(path, line, f"{module}/{own or ''} includes {include}: these folders stay apart")

    @staticmethod
    def _subfolder(path: str) -> str | None:
        """xpbd for solvers/xpbd/rows.h; None for solvers/solver.h, which all of them may include."""
        parts = path.split("/")
        return parts[1] if len(parts) > 2 else None

    def _check_includes(self, path: pathlib.Path, module: str):
        outside = {front.split("/")[0] for front in self.layers.fronts} | {"src", "include"}
        for line, include in includes_of(path.read_text()):
            other = self._module_of(include)
            if "/" in include and include.split("/")[0] in outside:
                self._problem(path, line, f"the library includes what is not part of it ({include})")
            if other and other != module:
                self.edges[module, other] += 1
                if other not in self.layers.modules[module]:
                    self._problem(path, line, f"{module} may not include {other} ({include})")

    def _check_front_file(self, path: pathlib.Path, front: str):
        for line, include in includes_of(path.read_text()):
            private = (self.root / "src" / include).is_file() and not (path.parent / include).is_file()
            private = private and self._module_of(include) not in self.layers.fronts[front]
            other = next((f for f in self.layers.fronts if include.startswith(f + "/")), front)
            if private or include.startswith(("../", "src/", "include/")):
                self._problem(path, line, f"{front} may include only <carom/...> ({include})")
            elif other != front and other not in self.layers.fronts[front]:
                self._problem(path, line, f"{front} may not include {other} ({include})")

    # -- What the text may contain

    def _check_text(self, path: pathlib.Path):
        if VAGUE_NAMES.search(path.name):
            self._problem(path, 1, "a name that says nothing; name the file after what it holds")
        text = path.read_text()
        for line, include in includes_of(text):
            if include == "random":
                self._problem(path, line, "<random> draws other numbers elsewhere; take tests/random.h")
        in_cuda = path.is_relative_to(self.root / "src/backend/cuda") or path.name == "kernels.cu"
        if not in_cuda:
            self._ban(path, text, "CUDA outside src/backend/cuda", CUDA_CALL)
            for line, include in includes_of(text):
                if CUDA_HEADER.match(include):
                    self._problem(path, line, f"CUDA outside src/backend/cuda ({include})")
        if path.name.endswith(".kernel.h"):
            for what, pattern in KERNEL_BANS:
                self._ban(path, text, f"a kernel may not contain {what}", re.compile(pattern))
            for line, include in includes_of(text):
                if "/" not in include and include not in KERNEL_HEADERS:
                    self._problem(path, line, f"a kernel may not include <{include}>")

    def _ban(self, path: pathlib.Path, text: str, message: str, pattern: re.Pattern):
        code = code_of(text)
        for match in pattern.finditer(code):
            self._problem(path, line_of(code, match.start()), f"{message}: {match.group(0).strip()}")

    def print_graph(self):
        for module in self.layers.modules:
            used = [f"{b} ({n})" for (a, b), n in sorted(self.edges.items()) if a == module]
            print(f"{module:10s} -> {', '.join(used)}" if used else module)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--graph", action="store_true")
    args = parser.parse_args()
    checker = Checker(args.root.resolve())
    checker.run()
    if args.graph:
        checker.print_graph()
    for problem in checker.problems:
        print(problem)
    print(f"layers: {len(checker.problems)} problems" if checker.problems else "layers: ok")
    return bool(checker.problems)


if __name__ == "__main__":
    sys.exit(main())
