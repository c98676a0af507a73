"""The suite `io`: loading MJCF files, against MuJoCo. (The module has another name than the suite: `io` is
Python's.)"""

import os
import pathlib
import sys

from suite import Results, Run, row

PACKAGES = ["mujoco"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out

PROGRAM = str(pathlib.Path(__file__).resolve().with_name("load_model_file.py"))
THREADS = os.cpu_count() or 1
EACH, ALL = 1.0, 3.0  # bars

ABOUT = """`load_mjcf` of `carom.f64`, from the file to a model that can be stepped, against MuJoCo's
`MjModel.from_xml_path`, which ends with its compiled model: the ten largest of the files at hand, by the bytes that
they have and name (XML, meshes, pictures). Each load is the first one of a process, with the files in memory already.
"Again" are further loads in the same process, where MuJoCo takes meshes from its cache and carom, which has none,
reads them anew."""

# The largest files of all that ../shared/models has.
FILES = {
    "unitree_go1/scene": "unitree_go1, scene",
    "unitree_go1/go1": "unitree_go1",
    "agility_cassie/scene": "cassie, scene",
    "agility_cassie/cassie": "cassie",
    "kuka_iiwa_14/scene": "kuka_iiwa_14, scene",
    "kuka_iiwa_14/iiwa14": "kuka_iiwa_14",
    "shadow_hand/scene_left": "shadow_hand, left, scene",
    "shadow_hand/scene_right": "shadow_hand, right, scene",
    "shadow_hand/left_hand": "shadow_hand, left",
    "shadow_hand/right_hand": "shadow_hand, right",
}


def runs(_programs: pathlib.Path) -> dict[str, Run]:
    return {f"{file} {library}": Run([sys.executable, PROGRAM, library, f"menagerie/{file}"])
            for file in FILES for library in ("carom", "mujoco")}


def missing(results: Results, pair: list[str]) -> str:
    return next((results.missing(name) for name in pair if results.has(name) and results.missing(name)), "left out")


def rows(results: Results, _names: list[str]) -> list[dict]:
    table, again, sums = [], [], {"carom": 0.0, "mujoco": 0.0}
    for file, name in FILES.items():
        pair = [f"{file} carom", f"{file} mujoco"]
        if not any(map(results.has, pair)):
            continue
        if not all(map(results.ran, pair)):
            table.append(row(name, "ms", None, None, "MuJoCo", EACH, THREADS, missing(results, pair)))
            continue
        own, peer = (1e3 * results.best(run, "first_s") for run in pair)
        sums["carom"] += own
        sums["mujoco"] += peer
        note = f"{results.one(pair[0], 'bytes') / 1e6:.1f} MB"
        table.append(row(name, "ms", own, peer, "MuJoCo", EACH, THREADS, note))
        again.append(row(f"again: {name}", "ms", *(1e3 * results.best(run, "again_s") for run in pair), "MuJoCo", None,
                         THREADS))
    if len(again) == len(FILES):
        table.append(row("all ten", "ms", sums["carom"], sums["mujoco"], "MuJoCo", ALL, THREADS))
    return table + again
