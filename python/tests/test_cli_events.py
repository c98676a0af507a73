"""carom events: the table, the files, and words mistyped."""

import csv
import json
import math

import pytest

from cli_command import run

BALL = """<mujoco><option gravity="0 0 -9.81"/><worldbody><geom name="ground" type="plane" size="1 1 .1"/>
<body name="ball" pos="0 0 1.1"><freejoint/><geom name="ball" type="sphere" size=".1"/></body></worldbody></mujoco>"""
STEEL = ("--material", "*=Steel")  # bounces with 0.7


@pytest.fixture
def ball(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(BALL)
    return str(path)


def test_table(ball):
    done = run("events", ball, "--until", 3, "--rows", 3, *STEEL)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "kind" in lines[0] and "approach [m/s]" in lines[0]
    assert lines[2].split() == ["0.451523641", "0", "impact", "ground", "ball", "4.42945"]
    assert lines[5].strip() == "... and 16 more"
    assert lines[6].startswith("19 events, ") and lines[6].endswith("method rk45")


def test_files(ball, tmp_path):
    table, plot = tmp_path / "events.csv", tmp_path / "distance.svg"
    done = run("events", ball, "--until", 3, "--csv", table, "--plot", plot, *STEEL)
    assert done.returncode == 0, done.stderr
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == 18 * ["impact"] + ["stick"]
    assert float(rows[0]["time"]) == pytest.approx(math.sqrt(2 / 9.81), abs=1e-9)
    assert float(rows[-1]["accumulates_at"]) == pytest.approx(2.558633966, abs=2e-9)
    assert plot.read_text().startswith("<svg")


def test_json(ball):
    done = run("events", ball, "--until", 1, "--response", "elastic", "--method", "rk45", "--json", *STEEL)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert [event["kind"] for event in printed["events"]] == ["begin", "end"]
    assert printed["events"][1]["normal_velocity"] == pytest.approx(0.7 * math.sqrt(2 * 9.81), rel=2e-3)
    assert printed["steps"] > 0


def test_worlds(ball):
    done = run("events", ball, "--until", 0.5, "--worlds", 3, "--json", *STEEL)
    assert [event["world"] for event in json.loads(done.stdout)["events"]] == [0, 1, 2]


@pytest.mark.parametrize("arguments, message", [
    (["--method", "euler"], "no integration method 'euler'"),
    (["--response", "soft"], "no response 'soft'"),
    (["--material", "ball"], "key=name"),
    (["--material", "ball=Stel"], "'Steel'"),
    (["--tolerance", "2"], "tolerance"),
    (["--keyframe", "home"], "keyframe"),
    (["--until", "-1"], "--until"),
])
def test_bad_arguments(ball, arguments, message):
    done = run("events", ball, *arguments)
    assert done.returncode != 0
    assert message in done.stderr + done.stdout
