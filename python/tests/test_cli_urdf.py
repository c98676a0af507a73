"""The command line takes URDF files as it takes MJCF, and converts one into the other, saying what is lost."""

import pytest

import carom

from cli_command import run

ROBOT = """<robot name="leg"><gazebo/>
<link name="base"><inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="box"><geometry><box size=".2 .2 .2"/></geometry></collision></link>
<link name="foot"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="knee" type="revolute"><origin xyz="0 0 -.5"/><parent link="base"/><child link="foot"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="5"/></joint></robot>"""


@pytest.fixture
def leg(tmp_path):
    path = tmp_path / "leg.urdf"
    path.write_text(ROBOT)
    return path


@pytest.mark.parametrize("command", ["check", "info", "inspect", "sensors", "run", "events"])
def test_commands_take_urdf(command, leg):
    """Each says what it always says, and what the reader did not understand."""
    more = {"run": ["--steps", 5], "events": ["--until", 0.01]}.get(command, [])
    done = run(command, leg, *more)
    assert done.returncode in ((0, 1) if command == "check" else (0,)), done.stderr
    assert "<gazebo>: is not read" in done.stdout + done.stderr


def test_convert_there_and_back(leg, tmp_path):
    """URDF to MJCF, to a saved model, and to URDF again: the same bodies and joints."""
    mjcf, saved, back = tmp_path / "leg.xml", tmp_path / "leg.carom", tmp_path / "back.urdf"
    for source, target in ((leg, mjcf), (leg, saved), (saved, back), (mjcf, tmp_path / "other.urdf")):
        done = run("convert", source, target)
        assert done.returncode == 0, done.stderr
    for model in (carom.load_mjcf(mjcf), carom.load_urdf(back), carom.load_urdf(tmp_path / "other.urdf")):
        assert list(model.body_key) == ["base", "foot"]
        assert model.body_mass.numpy() == pytest.approx([2, 1])
        assert model.joint_limit_upper[0] == 1


def test_what_is_lost_is_printed(tmp_path):
    ball = '<worldbody><geom name="floor" type="plane" size="1 1 1"/><body><freejoint/><geom size=".1"/></body></worldbody>'
    (tmp_path / "ball.xml").write_text(f"<mujoco>{ball}</mujoco>")
    done = run("convert", tmp_path / "ball.xml", tmp_path / "ball.urdf")
    assert done.returncode == 0 and "lost: shapes of type plane: 'floor'" in done.stderr
    assert "ball.urdf: one world" in done.stdout


@pytest.mark.parametrize("target", ["leg.sdf", "leg", "leg.urdf.xacro"])
def test_other_endings_are_errors(leg, tmp_path, target):
    """They name those that there are, when reading and when writing."""
    done = run("convert", leg, tmp_path / target)
    assert done.returncode != 0 and ".urdf (URDF)" in done.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / target).write_text(ROBOT)
    done = run("check", tmp_path / "other" / target)
    assert done.returncode != 0 and ".urdf (URDF)" in done.stdout + done.stderr
