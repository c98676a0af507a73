"""Reads a made robot of many links as URDF in a process of its own, on one thread: add_urdf() or load_urdf() of carom.f64,
MuJoCo's MjModel.from_xml_string(), or Python's parser of XML alone.

usage: load_urdf_text.py add|load|mujoco|etree BYTES     prints one JSON object
"""

import json
import sys
import time
import xml.etree.ElementTree

import spine_protocol as protocol
import urdf_text

TIMES = 1 if protocol.QUICK else 5


def reader(way: str):
    if way == "etree":
        return xml.etree.ElementTree.fromstring
    if way == "mujoco":
        try:
            import mujoco
        except ImportError as error:
            raise protocol.Missing(f"mujoco cannot be imported ({error}); install the extra bench") from error
        return mujoco.MjModel.from_xml_string
    import carom.f64

    return carom.f64.load_urdf if way == "load" else lambda text: carom.f64.ModelBuilder().add_urdf(text)


def main(way: str, size: str) -> dict:
    read, text, times = reader(way), urdf_text.robot(int(size)), []
    for _ in range(TIMES):
        start = time.perf_counter()
        result = read(text)
        times.append(time.perf_counter() - start)
        del result
    return {"s": min(times), "bytes": len(text)}


if __name__ == "__main__":
    try:
        print(json.dumps(main(*sys.argv[1:])))
    except protocol.Missing as missing:
        print(json.dumps({"missing": str(missing)}))
