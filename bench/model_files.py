"""The suite `io`: loading MJCF and URDF files, against MuJoCo, and a USD stage, against Newton. (The module has another name than the suite: `io` is
Python's.)"""

import os
import pathlib
import sys

from suite import Results, Run, row

PACKAGES = ["mujoco", "newton"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out

PROGRAM = str(pathlib.Path(__file__).resolve().with_name("load_model_file.py"))
THREADS = os.cpu_count() or 1
URDF_PROGRAM = str(pathlib.Path(__file__).resolve().with_name("load_urdf_text.py"))
EACH, ALL = 1.0, 3.0  # bars
STAGE = str(pathlib.Path(__file__).resolve().with_name("load_usd_stage.py"))
BODIES, STAGE_MS = 1000, 2000.0  # of the stage, and how long it may take
LARGE, SMALL = 10_000_000, 1_000_000  # bytes of a made robot; MuJoCo takes minutes for the large one
LARGE_BAR = 10.0  # [MB/s]

ABOUT = """`load_mjcf` of `carom.f64`, from the file to a model that can be stepped, against MuJoCo's
`MjModel.from_xml_path`, which ends with its compiled model: the ten largest of the files at hand, by the bytes that
they have and name (XML, meshes, pictures). Each load is the first one of a process, with the files in memory already.
"Again" are further loads in the same process, where MuJoCo takes meshes from its cache and carom, which has none,
reads them anew.

URDF is a made robot of many arms, without mesh files, read from memory on one core: `add_urdf` into a builder at 10 MB,
beside a limit and beside Python's parser of XML, which makes no model; `load_urdf` at 1 MB, to a model, against MuJoCo's
`MjModel.from_xml_string`.

`add_usd` of a stage of 1,000 bodies in arms of four, with two colliders each, in single precision; its limit is 2 s."""

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
    mjcf = {f"{file} {library}": Run([sys.executable, PROGRAM, library, f"menagerie/{file}"])
            for file in FILES for library in ("carom", "mujoco")}
    urdf = {f"urdf {way} {size}": Run([sys.executable, URDF_PROGRAM, way, str(size)])
            for way, size in (("add", LARGE), ("etree", LARGE), ("load", SMALL), ("mujoco", SMALL))}
    usd = {f"usd {library}": Run([sys.executable, STAGE, library, str(BODIES)]) for library in ("carom", "newton")}
    return mjcf | urdf | usd


def missing(results: Results, pair: list[str]) -> str:
    return next((results.missing(name) for name in pair if results.has(name) and results.missing(name)), "left out")


def stage_rows(results: Results) -> list[dict]:
    case = "usd: a stage of 1,000 bodies"
    if not results.has("usd carom"):
        return []
    if not results.ran("usd carom"):
        return [row(case, "ms", None, STAGE_MS, "limit", 1.0, note=str(results.missing("usd carom")))]
    own = 1e3 * results.best("usd carom", "first_s")
    table = [row(case, "ms", own, STAGE_MS, "limit", 1.0, note=f"{results.one('usd carom', 'bytes') / 1e6:.1f} MB")]
    if results.ran("usd newton"):  # which is False where it was left out
        table.append(row(case, "ms", own, 1e3 * results.best("usd newton", "first_s"), "Newton", EACH))
    return table


def urdf_rows(results: Results) -> list[dict]:
    def speed(way: str, size: int) -> float | None:
        name = f"urdf {way} {size}"
        if not results.has(name) or not results.ran(name):
            return None
        return results.one(name, "bytes") / 1e6 / results.best(name, "s")

    table = []
    if results.has(f"urdf add {LARGE}"):
        own = speed("add", LARGE)
        table += [row("URDF: 10 MB into a builder", "MB/s", own, LARGE_BAR, "limit", 1.0, more=True),
                  row("URDF: 10 MB into a builder", "MB/s", own, speed("etree", LARGE), "Python's XML parser", more=True)]
    if results.has(f"urdf load {SMALL}"):
        table.append(row("URDF: 1 MB to a model", "MB/s", speed("load", SMALL), speed("mujoco", SMALL), "MuJoCo",
                         EACH if results.has(f"urdf mujoco {SMALL}") else None, more=True))
    return table


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
    return table + again + urdf_rows(results) + stage_rows(results)
