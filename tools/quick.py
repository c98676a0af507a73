#!/usr/bin/env python3
"""The daily loop: builds and runs the C++ tests of the modules that were changed, in one precision.

usage: quick.py f32|f64 [MODULE ...]     (the folders of tests/; without any, those of the files that differ from the
                                          last commit, or that the last commit changed when nothing differs)

It works in build/release, so what it compiles is there for `make test`, and what that compiled is there for it.
"""

import fnmatch
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
# Modules whose tests are in another folder.
TESTED_IN = {"solvers": "sim", "scenes": "api", "cli": "api"}
DOUBLE_ALONE = {"events"}


def lines_of(*command: str) -> list[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")


def changed_files() -> list[str]:
    now = lines_of("git", "status", "--porcelain", "--untracked-files=all", "--no-renames")
    return [line[3:] for line in now if line] or lines_of("git", "diff", "--name-only", "HEAD~1")


def module_of_header(path: str) -> str:
    """To which module a header of include/carom belongs, as layers.txt has it."""
    for line in (ROOT / "layers.txt").read_text().splitlines():
        kind, _, patterns = line.partition(":")
        words = kind.split()
        if words[:1] == ["header"] and any(fnmatch.fnmatch(path, f"include/carom/{p}") for p in patterns.split()):
            return words[1]
    return ""


def module_of(path: str) -> str | None:
    """The folder of tests/ that a file is tested in; None when no C++ test looks at it."""
    parts = path.split("/")
    inside = parts[0] in ("src", "tests") and len(parts) > 2
    module = parts[1] if inside else module_of_header(path) if parts[0] == "include" else parts[0]
    module = TESTED_IN.get(module, module)
    return module if any((ROOT / "tests" / module).glob("*_test.cpp")) else None


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in ("f32", "f64"):
        sys.exit(__doc__)
    start = time.monotonic()
    modules = sys.argv[2:] or sorted({module_of(path) for path in changed_files()} - {None})
    if not modules:
        print("quick: no C++ module with tests was changed; name some: make quick ARGS='collide sim'")
        return 0
    programs = [f"carom_{module}_test" + ("_f64" if sys.argv[1] == "f64" or module in DOUBLE_ALONE else "")
                for module in modules]
    print("quick:", *programs, flush=True)
    if subprocess.run([ROOT / "tools/build.sh", "release", *programs]).returncode:
        return 1
    built = time.monotonic()
    failed = [name for name in programs if subprocess.run([BUILD / "tests" / name, "--gtest_brief=1"]).returncode]
    print(f"quick: {'FAILED: ' + ' '.join(failed) if failed else 'ok'} "
          f"(build {built - start:.0f} s, tests {time.monotonic() - built:.0f} s)")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
