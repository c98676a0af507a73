"""Prints the words of MJCF, from the reader's own table, as a dictionary for libFuzzer: ... > mjcf.dict"""

import pathlib
import re

TABLE = pathlib.Path(__file__).parents[2] / "src/io/mjcf/table.cpp"
OTHERS = ["<", "/>", '="', '" ', "&#48;", "1e308", "-1e-308", "1e39", "nan", "2147483647", "-1", "0 0 0", "world"]


def words():
    found = set(OTHERS)
    for line in re.findall(r'"([^"\n]*)"', TABLE.read_text()):
        found.update(word for word in re.split(r"[ :|/]", line) if re.fullmatch(r"[A-Za-z_]{2,}[0-9]?", word))
    return sorted(found)


if __name__ == "__main__":
    print("\n".join('"' + word.replace('"', '\\"') + '"' for word in words()))
