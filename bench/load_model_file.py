"""Loads one MJCF file in a process of its own: load_mjcf() of carom.f64, or MuJoCo's MjModel.from_xml_path().

usage: load_model_file.py carom|mujoco SUBJECT     prints one JSON object
"""

import json
import pathlib
import sys
import time
import warnings
import xml.etree.ElementTree

import spine_protocol as protocol

AGAIN = 3


def files_of(path: pathlib.Path) -> list[pathlib.Path]:
    """The file and what it names: includes, meshes, heightfields and pictures, as often as it does."""
    root = xml.etree.ElementTree.parse(path).getroot()
    folder = path.parent
    assets = next((c.get("meshdir") or c.get("assetdir") for c in root.iter("compiler")
                   if c.get("meshdir") or c.get("assetdir")), "")
    files = [path]
    for include in root.iter("include"):
        files += files_of(folder / include.get("file"))
    for tag in ("mesh", "hfield", "texture"):
        files += [folder / assets / node.get("file") for node in root.iter(tag) if node.get("file")]
    return [file for file in files if file.is_file()]


def loader(library: str):
    if library == "carom":
        import carom.f64

        return carom.f64.load_mjcf
    try:
        import mujoco
    except ImportError as error:
        raise protocol.Missing(f"mujoco cannot be imported ({error}); install the extra bench") from error
    return mujoco.MjModel.from_xml_path


def seconds(load, path: str) -> float:
    start = time.perf_counter()
    model = load(path)
    elapsed = time.perf_counter() - start
    del model
    return elapsed


def main(library: str, subject: str) -> dict:
    path = protocol.find_model(subject)
    files = files_of(path)
    size = sum(len(file.read_bytes()) for file in files)  # they are in memory then: disks are not measured
    load = loader(library)
    first = seconds(load, str(path))
    return {"first_s": first, "again_s": min(seconds(load, str(path)) for _ in range(AGAIN)), "bytes": size}


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of what is left out
    try:
        print(json.dumps(main(*sys.argv[1:])))
    except protocol.Missing as missing:
        print(json.dumps({"missing": str(missing)}))
