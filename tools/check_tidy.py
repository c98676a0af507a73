#!/usr/bin/env python3
"""Runs clang-tidy over the library, the command line and the bindings; each source once, in single precision.

usage: check_tidy.py BUILD_DIR

A file that was found clean is looked at again only when it, a header it includes or .clang-tidy changes.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["src", "cli", "python"]


def commands(build: pathlib.Path) -> list[dict]:
    """One compile command per source: f32, and of the tiers the baseline."""
    chosen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        words = entry["command"].split()
        entry["output"] = words[words.index("-o") + 1]
        tier = next((word for word in words if word.startswith("-DCAROM_TIER=")), "-DCAROM_TIER=baseline")
        ours = any(path.is_relative_to(ROOT / folder) for folder in FOLDERS)
        if ours and path.suffix == ".cpp" and tier.endswith("=baseline") and "-DCAROM_F64" not in words:
            chosen.setdefault(path, entry)
    return list(chosen.values())


def dependencies(build: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """Files that each object was made from, as Ninja has recorded them."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True).stdout
    found, current = collections.defaultdict(list), ""
    for line in listing.splitlines():
        if line.startswith("    "):
            found[current].append(build / line.strip())
        elif line:
            current = line.split(":")[0]
    return found


def is_clean(stamp: pathlib.Path, inputs: list[pathlib.Path]) -> bool:
    if not inputs or not stamp.exists():
        return False
    made = stamp.stat().st_mtime
    return all(path.exists() and path.stat().st_mtime < made for path in [*inputs, ROOT / ".clang-tidy"])


def tidy(folder: pathlib.Path, source: str) -> tuple[bool, str]:
    command = ["clang-tidy", "--quiet", "-p", str(folder), "--extra-arg=-Wno-unknown-warning-option", source]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + (done.stderr if done.returncode else "")


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    entries = commands(build)
    if not entries:
        sys.exit(f"tidy: no sources in {build}/compile_commands.json")
    (folder / "compile_commands.json").write_text(json.dumps(entries))

    made_from = dependencies(build)
    stamps = {entry["file"]: folder / (entry["output"].replace("/", ".") + ".clean") for entry in entries}
    stale = [e["file"] for e in entries if not is_clean(stamps[e["file"]], made_from[e["output"]])]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, (clean, text) in zip(stale, pool.map(lambda s: tidy(folder, s), stale)):
            if clean:
                stamps[source].touch()
            else:
                failed += 1
                print(text)
    print(f"tidy: {failed} of {len(entries)} sources have findings" if failed else
          f"tidy: ok ({len(stale)} of {len(entries)} sources were looked at)")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
