"""carom sensors: what it lists, the layouts of contact sensors, and its errors."""

import json

import numpy as np
import pytest

import carom.f64 as carom

from cli_command import run
from mujoco_states import find_model

# The seed's four examples: sizes 49, 31, 1 and 13 in the flat layout.
MODEL = """<mujoco><worldbody><geom name="bar" type="plane" size="0 0 1"/>
<body name="box" pos="0 0 1"><freejoint/><geom name="freebox" type="box" size=".1 .1 .1"/>
<site name="imu" pos="0 0 .1"/>
<body><joint name="knee"/><geom size=".1"/></body></body></worldbody><sensor>
<contact name="full" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="4"/>
<contact name="strongest" geom1="bar" geom2="freebox" data="found force pos" num="5" reduce="maxforce"/>
<contact name="touches" geom1="bar" geom2="freebox"/>
<contact name="net" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="10" reduce="netforce"/>
<accelerometer name="acc" site="imu" cutoff="20" noise=".1" nsample="3" delay=".01" interp="linear"/>
<jointpos name="knee" joint="knee"/><framepos objtype="site" objname="imu" reftype="xbody" refname="world"/>
</sensor></mujoco>"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.xml"
    file.write_text(MODEL)
    return file


def listed(*arguments):
    done = run("sensors", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json(path):
    printed = listed(path)
    rows = {row["name"]: row for row in printed["sensors"]}
    assert list(rows) == ["full", "strongest", "touches", "net", "acc", "knee", "sensor_6"]
    assert [row["flat_dim"] for row in printed["sensors"]] == [49, 31, 1, 13, 3, 1, 3]
    assert [row["dim"] for row in printed["sensors"]] == [52, 35, 1, 130, 3, 1, 3]
    full = rows["full"]
    assert full["object"] == {"type": "shape", "name": "bar"} and full["reference"]["name"] == "freebox"
    assert (full["data"], full["num"], full["reduce"]) == ("found force pos normal tangent", 4, "none")
    flat, mujoco = full["layouts"]["flat"], full["layouts"]["mujoco"]
    assert (flat["dim"], flat["first"], flat["entries"], flat["stride"]) == (49, 1, 4, 12)
    assert [(field["name"], field["offset"], field["size"], field["unit"]) for field in flat["fields"]] == [
        ("force", 0, 3, "N"), ("pos", 3, 3, "m"), ("normal", 6, 3, "unit"), ("tangent", 9, 3, "unit")]  # fmt: skip
    assert (mujoco["dim"], mujoco["first"], mujoco["entries"], mujoco["stride"]) == (52, 0, 4, 13)
    assert mujoco["fields"][0] == {"name": "found", "offset": 0, "size": 1, "unit": "contacts"}
    assert rows["net"]["layouts"]["flat"]["entries"] == 1
    acc = rows["acc"]
    assert acc["unit"] == "m/s^2" and acc["object"]["name"] == "box" and acc["object"]["xform"][2] == pytest.approx(0.1)
    assert acc["cutoff"] == 20 and acc["noise"] == pytest.approx(0.1) and acc["delay"] == pytest.approx(0.01)
    assert (acc["samples"], acc["interpolation"]) == (3, "linear")
    assert rows["knee"]["object"] == {"type": "joint", "name": "knee", "axis": 0}
    assert rows["sensor_6"]["reference"]["name"] == "world"


def test_table(path):
    done = run("sensors", path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["sensor", "type", "looks", "at", "against", "numbers", "unit", "reading"]
    acc = next(line for line in lines if line.split()[:2] == ["acc", "accelerometer"])
    assert "frame box at 0 0 0.1" in acc and "m/s^2" in acc and "cutoff 20, noise 0.1, delay 0.01 s" in acc
    entries = "force +0..2 pos +3..5 normal +6..8 tangent +9..11"
    assert f"  flat, 49 numbers: [0] valid entries, then 4 x 12 from [1]: {entries}" in lines
    assert "  flat, 1 numbers: [0] valid entries" in lines
    assert "  mujoco, 35 numbers: 5 x 7 from [0]: found +0 force +1..3 pos +4..6" in lines


def test_saved_models(path, tmp_path):
    """Worlds with other sensors: a sensor is told of once, with the number of worlds that have it."""
    robot = carom.ModelBuilder()
    robot.add_mjcf(path)
    scene = carom.ModelBuilder()
    scene.replicate(robot, 3)
    scene.begin_world("other")
    scene.add_shape_sphere(scene.add_body(key="ball"), radius=0.1)
    scene.add_shape_sphere(scene.add_body(key="ball_2"), radius=0.1)
    scene.add_sensor("framepos", body="ball*", key="balls")
    scene.end_world()
    scene.options = robot.options
    scene.finalize().save(str(tmp_path / "scene.carom"))
    printed = listed(tmp_path / "scene.carom")
    assert printed["worlds"] == 4 and [row["worlds"] for row in printed["sensors"]] == [3] * 7 + [1] * 2
    assert [row["name"] for row in printed["sensors"][7:]] == ["balls[ball]", "balls[ball_2]"]
    assert [row["object"]["name"] for row in printed["sensors"][7:]] == ["ball", "ball_2"]


def test_no_sensors(tmp_path):
    (tmp_path / "none.xml").write_text("<mujoco/>")
    assert run("sensors", tmp_path / "none.xml").stdout == "no sensors\n"


def test_errors(tmp_path):
    done = run("sensors", tmp_path / "no.xml")
    assert done.returncode == 1 and "no.xml" in done.stderr
    bad = tmp_path / "bad.xml"
    bad.write_text('<mujoco>\n<sensor>\n<contact name="feet" num="0"/></sensor></mujoco>')
    done = run("sensors", bad)
    assert done.returncode == 1 and "bad.xml:3: <contact>" in done.stderr and "(sensor 'feet')" in done.stderr
    own = tmp_path / "own.xml"
    own.write_text('<mujoco><sensor><user name="mine" dim="3"/><clock/></sensor></mujoco>')
    done = run("sensors", own)
    assert done.returncode == 0 and "user sensor: sensor 'mine'" in done.stderr and "clock" in done.stdout


@pytest.mark.parametrize("name", ["contact.xml", "contact_net.xml", "contact_sorted.xml"])
def test_files(name):
    assert len(listed(find_model(f"mujoco_tests/{name}"))["sensors"]) > 1


FALLING = MODEL.replace('pos="0 0 1"', 'pos="0 0 .12"')


def test_runs_record_and_plot_sensors(tmp_path):
    """The flat layout of contact sensors, with the instant that they belong to, as arrays and as a table; a plot with a
    line for each contact sensor."""
    file = tmp_path / "model.xml"
    file.write_text(FALLING)
    npz, csv, plot = (tmp_path / name for name in ("out.npz", "out.csv", "plot.svg"))
    for record in (npz, csv):
        done = run("run", file, "--worlds", 2, "--steps", 60, "--every", 20, "--record", record, "--plot", plot)
        assert done.returncode == 0, done.stderr
    arrays = np.load(npz)
    assert arrays["sensor/full"].shape == (4, 2, 49) and arrays["sensor/acc"].shape == (4, 2, 3)
    np.testing.assert_allclose(arrays["sensor_time"], [0, 0.038, 0.078, 0.118], atol=1e-6)
    assert arrays["sensor/full"][-1, 0, 0] == 4 and arrays["sensor/net"][-1, 1, 3] > 1
    lines = csv.read_text().splitlines()
    assert len(lines) == 1 + 4 * 2 and lines[0].startswith("time,world,full.0,full.1")
    np.testing.assert_allclose([float(x) for x in lines[-1].split(",")[2:51]], arrays["sensor/full"][-1, 1], rtol=1e-5)
    picture = plot.read_text()
    assert all(f">{name}</text>" in picture for name in ("full", "strongest", "touches", "net"))


def test_nothing_to_record_or_plot(tmp_path):
    file = tmp_path / "model.xml"
    file.write_text("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    cases = ("--record", "out.csv", "has no sensors"), ("--plot", "out.svg", "has no contact sensors")
    for flag, out, words in cases:
        done = run("run", file, "--steps", 5, flag, tmp_path / out)
        assert done.returncode == 1 and words in done.stderr
