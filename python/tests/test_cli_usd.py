"""The command line takes USD: convert between all kinds of files, check, info, inspect, run, events, and records of runs."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from cli_command import COMMAND, run
from usd_stages import body, collider, prim, solid, usda

pytest.importorskip("pxr", reason="usd-core is not installed")

BALL = usda(prim("PhysicsScene", "scene", content="custom float newton:timeStepsPerSecond = 100")
            + body("ball", "float physics:mass = 2\n" + collider("Sphere", "shape", "double radius = 0.1"), at=(0, 0, 50)))


@pytest.fixture
def stage(tmp_path):
    path = tmp_path / "ball.usda"
    path.write_text(BALL)
    return path


def succeed(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_looking_at_a_stage(stage):
    """info, check, inspect and sensors."""
    assert "1 worlds" in succeed("info", stage).stdout
    assert json.loads(succeed("check", stage, "--json").stdout)
    assert "ball" in succeed("inspect", stage, "--stage", "aabb").stdout
    succeed("sensors", stage)


def test_running_a_stage(stage):
    """As many worlds as --worlds says, with the timestep of the scene."""
    said = json.loads(succeed("run", stage, "--steps", 20, "--worlds", 3, "--json").stdout)
    assert (said["worlds"], said["steps"]) == (3, 20) and said["timestep"] == pytest.approx(0.01)
    assert said["energy_start"] == pytest.approx(2 * 9.81 * 50, rel=1e-5)


def test_events_of_a_stage(stage):
    """In double precision."""
    succeed("events", stage, "--until", "0.1")


def test_a_record_is_a_stage(stage, tmp_path):
    """carom run --record out.usdc: poses at the times of the samples."""
    from pxr import Usd, UsdGeom

    out = tmp_path / "out.usdc"
    succeed("run", stage, "--steps", 100, "--every", 10, "--record", out)
    played = Usd.Stage.Open(str(out))
    ball = next(p for p in played.Traverse() if p.GetName() == "ball")
    n = np.arange(0, 101, 10)
    codes = n * 0.01 * played.GetTimeCodesPerSecond()
    heights = [UsdGeom.Xformable(ball).ComputeLocalToWorldTransform(code).ExtractTranslation()[2] for code in codes]
    assert heights == pytest.approx(50 - 9.81e-4 * n * (n + 1) / 2, abs=1e-4)


def test_converting(stage, tmp_path):
    """USD to a saved model, to MJCF and back, and what is lost on the way."""
    import carom

    saved, xml, again = (tmp_path / name for name in ("ball.carom", "ball.xml", "again.usda"))
    succeed("convert", stage, saved)
    assert carom.load(saved).body_mass.numpy() == pytest.approx([2])
    succeed("convert", stage, xml)
    assert carom.load_mjcf(xml).body_mass.numpy() == pytest.approx([2], rel=1e-5)
    succeed("convert", xml, again)
    assert carom.load_usd(again).body_mass.numpy() == pytest.approx([2], rel=1e-5)
    motor = tmp_path / "motor.xml"
    motor.write_text('<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>'
                     '<actuator><motor joint="j"/></actuator></mujoco>')
    assert "lost: 1 actuators" in succeed("convert", motor, again).stderr


def test_warnings_and_refusals(stage, tmp_path):
    """What is not understood is a warning, what is refused names file and prim."""
    stage.write_text(BALL.replace("float physics:mass = 2", "float physics:mass = 2\nfloat physxRigidBody:linearDamping = 1"))
    assert "warning: " in run("run", stage, "--steps", 1).stderr
    stage.write_text(usda(collider("Sphere", "s", "double radius = -1")))
    done = run("run", stage)
    assert done.returncode == 1 and "ball.usda: /s: radius must be positive" in done.stderr
    gone = run("run", tmp_path / "gone.usda")
    assert gone.returncode == 1 and "gone.usda: there is no such file" in gone.stderr
    two = usda("".join(prim("Xform", f"w{w}", content=f"custom int newton:world = {w}\n" + body("b", solid())) for w in (0, 1)))
    stage.write_text(two)
    assert "has 2 worlds" in run("run", stage, "--worlds", 3).stderr
    assert json.loads(succeed("run", stage, "--steps", 1, "--json").stdout)["worlds"] == 2


def test_names_are_no_commands(tmp_path):
    """Neither a shell nor an option parser reads them."""
    path = tmp_path / "-a $(touch gone); 'b'.usda"
    path.write_text(BALL)
    succeed("info", path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]


def test_without_python(stage, tmp_path):
    """What is missing is said: no Python beside the command, and none that is found."""
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not installed")
    alone = tmp_path / "carom"
    shutil.copy(COMMAND, alone)
    done = subprocess.run([alone, "info", stage], capture_output=True, text=True, env={"PATH": str(tmp_path)})
    assert done.returncode == 1 and "no python3 is found" in done.stderr
