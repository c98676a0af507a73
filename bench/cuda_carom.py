"""carom's side of the benchmark suite `cuda`: spine_carom.py on a GPU. Prints one JSON object.

usage: cuda_carom.py SUBJECT WORLDS [DEVICE]

Steps are measured with their end: the queue is finished inside the measured time.
"""

import json
import sys

import spine_carom
import spine_protocol as protocol


def main():
    subject, worlds, *device = sys.argv[1:]
    try:
        result = spine_carom.measure(subject, "f32", int(worlds), 0, 0, False, *(device or ["cuda"]))
    except protocol.Missing as missing:
        result = {"missing": str(missing)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
