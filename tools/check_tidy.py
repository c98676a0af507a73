#!/usr/bin/env python3
"""Runs clang-tidy over the library, the command line and the bindings; each source once, in single precision where it has that.

usage: check_tidy.py BUILD_DIR

The sources of a module are looked at together, as one file that includes them all: most of the time goes into the
headers that they share. Where that does not compile (two sources use a name for different things), one by one.
A module that was found clean is looked at again only when it, a header it includes or .clang-tidy changes.
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


def without_precompiled(words: list[str]) -> list[str]:
    """A compile command with the headers that the source itself names, and no others."""
    if "-include" in words:
        place = words.index("-include")
        words = words[:place] + words[place + 2:]
    return [word for word in words if word not in ("-Winvalid-pch", "-fpch-preprocess")]


def commands(build: pathlib.Path) -> list[dict]:
    """One compile command per source: f32 if it has that, and of the tiers the baseline."""
    single, double = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        words = entry["command"].split()
        entry["output"] = words[words.index("-o") + 1]
        entry["command"] = " ".join(without_precompiled(words))
        tier = next((word for word in words if word.startswith("-DCAROM_TIER=")), "-DCAROM_TIER=baseline")
        ours = any(path.is_relative_to(ROOT / folder) for folder in FOLDERS)
        if ours and path.suffix == ".cpp" and tier.endswith("=baseline"):
            (double if "-DCAROM_F64" in words else single).setdefault(path, entry)
    return list({**double, **single}.values())


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


def modules(entries: list[dict]) -> dict[str, list[dict]]:
    """The sources that belong together; kernels have names of their own (CAROM_TIER) and stay alone."""
    found = collections.defaultdict(list)
    for entry in entries:
        parts = pathlib.Path(entry["file"]).relative_to(ROOT).parts
        alone = parts[-1] == "kernels.cpp"
        found[".".join(parts if alone else parts[:2] if parts[0] == "src" else parts[:1])].append(entry)
    return found


def write_whole(folder: pathlib.Path, name: str, entries: list[dict]) -> dict:
    """The compile command of a file that includes all of them."""
    source = folder / f"{name}.cpp"
    source.write_text("".join(f'#include "{entry["file"]}"\n' for entry in entries))
    first = entries[0]
    return {**first, "file": str(source), "command": first["command"].replace(first["file"], str(source))}


def tidy(folder: pathlib.Path, source: str) -> tuple[bool, str]:
    command = ["clang-tidy", "--quiet", "-p", str(folder), f"--config-file={ROOT}/.clang-tidy",
               "--checks=-bugprone-suspicious-include", "--extra-arg=-Wno-unknown-warning-option", source]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + (done.stderr if done.returncode else "")


def tidy_module(folder: pathlib.Path, whole: str, sources: list[str]) -> tuple[bool, str]:
    clean, text = tidy(folder, whole)
    if "clang-diagnostic-error" not in text or len(sources) == 1:
        return clean, text
    why = next(line for line in text.splitlines() if "clang-diagnostic-error" in line)
    print(f"tidy: {pathlib.Path(whole).stem} is looked at source by source, which takes long: {why}")
    found = [tidy(folder, source) for source in sources]
    return all(clean for clean, _ in found), "".join(text for clean, text in found if not clean)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    entries = commands(build)
    if not entries:
        sys.exit(f"tidy: no sources in {build}/compile_commands.json")
    parts = modules(entries)
    wholes = {name: write_whole(folder, name, part) for name, part in parts.items()}
    (folder / "compile_commands.json").write_text(json.dumps([*entries, *wholes.values()]))

    made_from = dependencies(build)
    inputs = {name: [path for entry in part for path in made_from[entry["output"]]] for name, part in parts.items()}
    stale = [name for name in parts if not is_clean(folder / f"{name}.clean", inputs[name])]
    stale.sort(key=lambda name: -len(parts[name]))  # the long ones first
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        look = lambda name: tidy_module(folder, wholes[name]["file"], [entry["file"] for entry in parts[name]])
        for name, (clean, text) in zip(stale, pool.map(look, stale)):
            if clean:
                (folder / f"{name}.clean").touch()
            else:
                failed += 1
                print(text)
    print(f"tidy: {failed} of {len(parts)} modules have findings" if failed else
          f"tidy: ok ({len(stale)} of {len(parts)} modules were looked at, {len(entries)} sources)")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
