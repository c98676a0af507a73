"""The reader knows the elements and attributes that MuJoCo's own schema has, and no others."""

import re

import pytest

import carom.f64 as carom

from mjcf_fields import our_fields
from mujoco_states import mujoco


def read_schema():
    """Paths of elements below <mujoco>, and their attributes: lines are indented by three spaces a level."""
    elements, path = {}, []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"( *)(\S+) \([!*?R]\) *(.*)", line)
        if found:
            level = len(found[1]) // 3
            path = [*path[:level], found[2]]
            elements[tuple(path[1:])] = found[3].split()
        else:
            elements[tuple(path[1:])] += line.split()
    del elements[()]
    return elements


SCHEMA = read_schema()
# What is inside of these is not looked at: they are refused, or reported, as a whole.
OPAQUE = ("plugin", "flex", "flexcomp", "flexstrain")


def text_of(path, attribute):
    """The element inside those around it, with one attribute."""
    names = ["worldbody", "body", *path[1:]] if path[0] == "(world)body" else list(path)
    opening = "".join(f"<{name}>" for name in names[:-1])
    closing = "".join(f"</{name}>" for name in reversed(names[:-1]))
    return f'<mujoco>{opening}<{names[-1]} {attribute}="1"/>{closing}</mujoco>'


def is_unknown(path, attribute):
    try:
        our_fields(text_of(path, attribute))
    except carom.Error as error:
        return f"attribute '{attribute}': is unknown" in str(error)
    return False


def looked_at():
    return [path for path in SCHEMA if not any(name in OPAQUE for name in path)]


@pytest.mark.parametrize("path", looked_at(), ids="/".join)
def test_attributes(path):
    """Those of the schema are known; what is in no schema is not."""
    unknown = [attribute for attribute in SCHEMA[path] if is_unknown(path, attribute)]
    assert unknown == []
    assert is_unknown(path, "nonsense")


def test_elements():
    """Those that are not looked into are known, too."""
    for path in SCHEMA:
        try:
            our_fields(text_of(path, "name"))
        except carom.Error as error:
            assert "is unknown inside" not in str(error), path




def test_attributes_of_others():
    """What MuJoCo's schema has elsewhere alone is refused here."""
    names = sorted({attribute for attributes in SCHEMA.values() for attribute in attributes})
    accepted = {}
    for path in looked_at():
        more = [name for name in names if name not in SCHEMA[path] and not is_unknown(path, name)]
        more = [name for name in more if not is_refused(path, name)]
        if more:
            accepted["/".join(path)] = more
    assert accepted == {}


def is_refused(path, attribute):
    """It is known of elements, and no class can give it."""
    try:
        our_fields(text_of(path, attribute))
    except carom.Error as error:
        return f"attribute '{attribute}': a default has none" in str(error)
    return False
