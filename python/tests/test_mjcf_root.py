"""With root= no file outside of a folder is read, however its path is written; and limits= bound what is."""

import os
import re

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, BALL, mjcf

SQUARE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


@pytest.fixture
def folders(tmp_path):
    """inside/ is the root; outside/ has files that nobody may see; links lead from the one to the other."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "parts").mkdir(parents=True)
    outside.mkdir()
    for folder in (inside / "parts", outside):
        (folder / "part.xml").write_text(mjcf(f'<body name="b">{BALL}</body>'))
        (folder / "mesh.obj").write_bytes(SQUARE)
        (folder / "heights.bin").write_bytes(b"\2\0\0\0\2\0\0\0" + b"\0\0\0\0\0\0\x80\x3f" * 2)
    os.symlink(outside / "part.xml", inside / "link.xml")
    os.symlink(outside, inside / "linked")
    os.symlink(inside / "parts", inside / "good")
    return inside


def read(folders, text, **args):
    path = folders / "model.xml"
    path.write_text(text)
    builder = carom.ModelBuilder()
    builder.add_mjcf(path, root=folders, **args)
    return builder


USES = {
    "include": '<mujoco><include file="{0}/part.xml"/></mujoco>',
    "attach": '<mujoco><asset><model name="m" file="{0}/part.xml"/></asset>'
    '<worldbody><attach model="m" body="b" prefix="p/"/></worldbody></mujoco>',
    "mesh": '<mujoco><asset><mesh name="m" file="{0}/mesh.obj"/></asset>'
    '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "meshdir": '<mujoco><compiler meshdir="{0}"/><asset><mesh name="m" file="mesh.obj"/></asset>'
    '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "hfield": '<mujoco><asset><hfield name="h" file="{0}/heights.bin" size="1 1 1 1"/></asset>'
    '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>',
}


@pytest.mark.parametrize("use", USES)
def test_inside_is_read(use, folders):
    """Also through links and ".." that come back."""
    for folder in ("parts", "good", "parts/../good", str(folders / "parts")):
        assert read(folders, USES[use].format(folder)).shape_count == 1


def said(caught):
    return str(caught.value).split("file '")[1].split("' ", 1)[1]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("way", ("../outside", "parts/../../outside", "linked", "absolute"))
def test_outside_is_refused(use, way, folders):
    """Up, by links, and by absolute paths; and nobody is told whether there is such a file."""
    way = str(folders.parent / "outside") if way == "absolute" else way
    with pytest.raises(carom.Error, match=r"model.xml:1: <\w+>.*is not inside .*\(root\)") as known:
        read(folders, USES[use].format(way))
    carom.ModelBuilder().add_mjcf(folders / "model.xml")  # without a root anything may be read
    with pytest.raises(carom.Error) as unknown:
        read(folders, re.sub(r"(part|mesh|heights)\.", "none.", USES[use].format(way)))
    assert said(known) == said(unknown)


def test_the_file_itself(folders):
    """... is no exception."""
    for path in (folders.parent / "outside" / "part.xml", folders / "link.xml", folders / "none.xml"):
        with pytest.raises(carom.Error, match="is not inside"):
            carom.ModelBuilder().add_mjcf(path, root=folders)


@pytest.mark.parametrize("load", (carom.load_mjcf, carom.load_keyframes, carom.load_custom))
def test_every_reader_takes_a_root_and_limits(load, folders):
    """A root and limits count whatever of a file is asked for."""
    (folders / "model.xml").write_text('<mujoco><include file="../outside/part.xml"/></mujoco>')
    load(folders / "model.xml")
    with pytest.raises(carom.Error, match="is not inside"):
        load(folders / "model.xml", root=folders)
    with pytest.raises(carom.Error, match="limits.bytes"):
        load(folders / "model.xml", limits=carom.MjcfLimits(bytes=10))


def test_a_neighbour_whose_name_begins_alike(folders):
    """inside-out/ is not inside/."""
    (folders.parent / "inside-out").mkdir()
    (folders.parent / "inside-out" / "part.xml").write_text("<mujoco/>")
    with pytest.raises(carom.Error, match="is not inside"):
        read(folders, '<mujoco><include file="../inside-out/part.xml"/></mujoco>')


def test_a_root_that_is_none(folders):
    with pytest.raises(carom.Error, match="is not a folder"):
        carom.ModelBuilder().add_mjcf(folders / "model.xml", root=folders / "nowhere")


def test_pipes_are_not_opened(folders):
    """Reading one would wait for ever."""
    os.mkfifo(folders / "pipe.xml")
    with pytest.raises(carom.Error, match="MJCF|cannot be opened"):
        read(folders, '<mujoco><include file="pipe.xml"/></mujoco>')
    with pytest.raises(carom.Error, match="no such file"):
        carom.ModelBuilder().add_mjcf(folders / "pipe.xml")


def test_names_that_are_too_long(folders):
    with pytest.raises(carom.Error, match="<include>"):
        read(folders, f'<mujoco><include file="{"x" * 5000}.xml"/></mujoco>')
    with pytest.raises(carom.Error):
        carom.ModelBuilder().add_mjcf("x" * 5000)


LIMITED = {
    "bytes": (mjcf(BALL), 10),
    "depth": (mjcf("<body><body/></body>"), 3),
    "elements": (mjcf(BALL * 10), 5),
    "files": ('<mujoco><include file="parts/part.xml"/></mujoco>', 0),
    "numbers": ('<mujoco><asset><hfield name="h" nrow="10" ncol="10" size="1 1 1 1"/></asset></mujoco>', 99),
    "steps": (mjcf(ARM, "", '<actuator><muscle joint="ja"/></actuator>'), 1000),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits(name, folders):
    """Each can be reached, and its error names it."""
    text, limit = LIMITED[name]
    with pytest.raises(carom.Error, match=f"limits.{name}"):
        read(folders, text, limits=carom.MjcfLimits(**{name: limit}))
    read(folders, text)


def test_limits_are_printed():
    numbers = "bytes=268435456, depth=1000, elements=2000000, files=1000, numbers=67108864, steps=268435456"
    assert repr(carom.MjcfLimits()) == f"MjcfLimits({numbers})"
