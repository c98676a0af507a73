"""Prints the words that a reader knows, from its own sources, as a dictionary for libFuzzer:
make_dictionary.py mjcf > mjcf.dict"""

import pathlib
import re
import sys

IO = pathlib.Path(__file__).parents[2] / "src/io"
SOURCES = {
    "mjcf": ["mjcf/table.cpp"],
    "urdf": ["urdf/read.cpp", "urdf/read_joints.cpp", "urdf/attributes.cpp", "mesh/dae_file.cpp"],
}
OTHERS = ["<", "/>", '="', '" ', "&#48;", "1e308", "-1e-308", "1e39", "nan", "2147483647", "-1", "0 0 0", "world"]


def words(reader):
    found = set(OTHERS)
    for source in SOURCES[reader]:
        for line in re.findall(r'"([^"\n]*)"', (IO / source).read_text()):
            if reader == "urdf" and " " in line:
                continue  # a part of a message
            found.update(word for word in re.split(r"[ :|/]", line) if re.fullmatch(r"[A-Za-z_]{2,}[0-9]?", word))
    return sorted(found)


if __name__ == "__main__":
    print("\n".join('"' + word.replace('"', '\\"') + '"' for word in words(sys.argv[1])))
