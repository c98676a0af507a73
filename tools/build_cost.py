#!/usr/bin/env python3
"""Shows where the time of a build goes: the costliest objects and the sums by folder, as Ninja's log has them.

usage: build_cost.py [BUILD_DIR] [COUNT]     (build/release and 30 unless told)

Seconds are those of the last build of each file, on a machine that ran as many at once as it has cores. A file that
came out of ccache costs next to nothing: for true figures set CCACHE_DISABLE=1 and begin with an empty folder.
"""

import collections
import pathlib
import re
import sys


def costs(log: pathlib.Path) -> dict[str, float]:
    """Seconds per output; several outputs of one command are one."""
    found, seen = {}, {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, command = line.split("\t")
        if (start, end, command) not in seen:
            found.pop(output, None)
            found[output] = (int(end) - int(start)) / 1000
        seen[start, end, command] = True
    return found


def group(output: str) -> str:
    """Folder of an object, and the tier of a kernel: src/collide, src/collide avx2, tests/sim; `links, others`."""
    match = re.match(r"(\w+)/CMakeFiles/(\w+)\.dir/(?:(\w+)/)?", output)
    if not match or not output.endswith((".o", ".gch")):
        return "links, others"
    top, target, folder = match.groups()
    precision = "f64" if "f64" in target else "f32"
    tier = re.search(r"kernels\.(?:cpp|cu)\.o$", output) and target.rsplit("_", 1)[-1]
    return " ".join(filter(None, [f"{top}/{folder or ''}", tier, precision]))


def main() -> None:
    arguments = sys.argv[1:]
    if len(arguments) > 2 or "-h" in arguments or "--help" in arguments:
        sys.exit(__doc__)
    log = pathlib.Path(arguments[0] if arguments else "build/release") / ".ninja_log"
    count = int(arguments[1]) if len(arguments) > 1 else 30
    if not log.exists():
        sys.exit(f"build_cost: {log} is not there; build first")
    seconds = costs(log)
    sums = collections.Counter()
    for output, cost in seconds.items():
        sums[group(output)] += cost
    for title, rows in ("objects", sorted(seconds.items(), key=lambda row: -row[1])), ("groups", sums.most_common()):
        print(f"costliest {title} [s]")
        for name, cost in rows[:count]:
            print(f"{cost:8.1f}  {name}")
    print(f"{sum(seconds.values()):8.1f}  all {len(seconds)}")


if __name__ == "__main__":
    main()
