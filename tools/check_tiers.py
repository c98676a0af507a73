#!/usr/bin/env python3
"""Checks that no code symbol of a tier's objects is defined anywhere else in the build.

usage: check_tiers.py BUILD_DIR TIER,TIER,...       (the tiers as CMake names them, the baseline first)

Every kernels.cpp is compiled once per tier. If an inline function stays out of line in an AVX-512 object and in a
baseline object, the linker keeps one copy for both, and a program on an older CPU may be handed the AVX-512 one.
Such a function wants CAROM_HD (always inlined) or a tier's own type among its template parameters.
"""

import collections
import pathlib
import re
import subprocess
import sys


def code_symbols(path: pathlib.Path) -> list[str]:
    """Mangled names of the functions the linker can see: global (T), weak (W), resolved at load (i)."""
    listing = subprocess.run(["nm", "--defined-only", "--extern-only", str(path)], capture_output=True, text=True,
                             check=True).stdout
    words = (line.split() for line in listing.splitlines())
    return [word[2] for word in words if len(word) == 3 and word[1] in "TWi"]


def tier_of(path: pathlib.Path, tiers: list[str]) -> str | None:
    """Tier of build/src/CMakeFiles/carom_dynamics_avx2.dir/...; None for objects that belong to no tier."""
    match = re.search(rf"_({'|'.join(tiers)})\.dir/", path.as_posix())
    return match.group(1) if match else None


def names_a_tier(symbol: str, tiers: list[str]) -> bool:
    """Whether the function is in the namespace of a tier. A test may say so itself; it is compiled for any CPU."""
    return any(f"{len(tier)}{tier}" in symbol for tier in tiers)


def shared_symbols(build: pathlib.Path, tiers: list[str]) -> tuple[int, dict[str, list[pathlib.Path]]]:
    """How many objects belong to a tier above the baseline, and which of their symbols someone else defines."""
    owners = collections.defaultdict(list)
    count = 0
    for path in sorted(build.rglob("*.o")):
        tier = tier_of(path, tiers)
        count += tier is not None and tier != tiers[0]
        for symbol in code_symbols(path):
            if tier is None and path.name.endswith("_test.cpp.o") and names_a_tier(symbol, tiers[1:]):
                continue
            owners[symbol].append((tier or tiers[0], path.relative_to(build)))
    shared = {s: [p for _, p in places] for s, places in owners.items() if len({t for t, _ in places}) > 1}
    return count, shared


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tiers = sys.argv[2].split(",")
    count, shared = shared_symbols(pathlib.Path(sys.argv[1]), tiers)
    if len(tiers) > 1 and count == 0:
        sys.exit("tiers: found no object of a tier; was the build finished?")
    if shared:
        names = subprocess.run(["c++filt"], input="\n".join(shared), capture_output=True, text=True, check=True).stdout
        for name, places in zip(names.splitlines(), shared.values()):
            print(name, *places, sep="\n    ")
        print(f"tiers: {len(shared)} functions are shared by several tiers")
        return 1
    print(f"tiers: ok ({count} objects)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
