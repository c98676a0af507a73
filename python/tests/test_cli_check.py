"""carom check: what it counts, what it finds suspicious with which number, and its exit codes."""

import json
import math

import pytest

import carom.f64 as carom

from cli_command import run
from mujoco_states import find_model

FLOOR = '<geom type="plane" size="0 0 1"/>'
BALL = '<body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size=".1"/></body>'
# A rod that turns about its end: inertia m l^2 / 3 with l = 1, and what drives it.
ROD = '<body name="rod"><joint name="pin" axis="0 1 0" {joint}/>' \
      '<inertial pos="0 0 -.5" mass="3" diaginertia=".25 .25 .01"/></body>'


@pytest.fixture
def check(tmp_path):
    """Checks a file with this world: (exit code, what was printed as JSON)."""
    def check_file(world, more="", option="", arguments=()):
        path = tmp_path / "model.xml"
        path.write_text(f'<mujoco><option timestep="0.002" {option}/>\n<worldbody>\n{world}\n</worldbody>\n'
                        f'{more}</mujoco>')
        done = run("check", path, "--json", *arguments)
        return done.returncode, json.loads(done.stdout)

    return check_file


def kinds(printed):
    return [finding["kind"] for finding in printed["findings"]]


def only(printed, kind):
    assert kinds(printed) == [kind]
    return printed["findings"][0]


def test_contents_are_counted_and_good_models_are_clean(check):
    code, printed = check(FLOOR + BALL + ROD.format(joint='damping="1"'),
                          '<actuator><motor joint="pin" ctrlrange="-1 1"/></actuator>')
    assert code == 0 and printed["findings"] == [] and printed["warnings"] == [] and printed["errors"] == []
    found = printed["contents"]
    assert found["shapes"] == {"plane": 1, "sphere": 1} and found["joints"] == {"free": 1, "revolute": 1}
    assert found["bodies"] == 2 and found["dofs"] == 7 and found["actuators"] == {"motor": 1}
    assert found["mass"] == pytest.approx(3 + 1000 * 4 / 3 * math.pi * 0.1**3, rel=1e-6)


def test_errors_have_file_and_line(check):
    code, printed = check(FLOOR + "\n<geom type='cube'/>")
    assert code == 2 and "model.xml:4: <geom>" in printed["errors"][0] and "contents" not in printed


def test_missing_files(tmp_path):
    for name in ("no.xml", "no.carom"):
        done = run("check", tmp_path / name)
        assert done.returncode == 2 and "error: " in done.stdout and name in done.stdout


def test_overlaps(check):
    code, printed = check(FLOOR + BALL.replace('0 0 1"', '0 0 .04"'))
    finding = only(printed, "overlap")
    assert code == 1 and finding["value"] == pytest.approx(0.06, rel=1e-5)
    assert "ball" in finding["name"] and "60 mm" in finding["text"]
    assert check(FLOOR + BALL.replace('0 0 1"', '0 0 .097"'))[0] == 0  # feet stand in the ground by millimetres


def test_keyframes(check):
    """Overlaps, limits and the first step are those of the keyframe that is named, by its name or number."""
    world = FLOOR + BALL + ROD.format(joint='range="-30 30"')
    keys = ('<keyframe><key name="low" qpos="0 0 .04 1 0 0 0 0"/><key name="bent" qpos="0 0 1 1 0 0 0 2"/>'
            '<key name="gone" qpos="0 0 1 1 0 0 0 0" qvel="1e38 0 0 0 0 0 1e38"/></keyframe>')  # fmt: skip
    assert check(world, keys)[0] == 0
    for name in ("low", "0"):
        code, printed = check(world, keys, arguments=("--keyframe", name))
        finding = only(printed, "overlap")
        assert code == 1 and finding["value"] == pytest.approx(0.06, rel=1e-5)
        assert finding["text"] == f"overlap by 60 mm at the keyframe '{name}'"
    code, printed = check(world, keys, arguments=("--keyframe", "bent"))
    assert code == 0 and only(printed, "beyond limits")["value"] == pytest.approx(2 - math.pi / 6, rel=1e-5)
    code, printed = check(world, keys, arguments=("--keyframe", "gone"))
    assert code == 2 and "first step" in kinds(printed)


def test_keyframes_that_are_not_there(check):
    code, printed = check(FLOOR + BALL, '<keyframe><key name="home"/><key/></keyframe>', arguments=("--keyframe", "x"))
    assert code == 2 and printed["errors"] == ["check: there is no keyframe 'x'; there are: home, 1"]
    code, printed = check(FLOOR + BALL, arguments=("--keyframe", "x"))
    assert code == 2 and "has no keyframes" in printed["errors"][0]


def test_thin_shapes(check):
    wall = '<geom name="wall" type="box" size=".001 1 1" pos="1 0 0"/>'
    pellet = '<body pos="0 0 1"><freejoint/><geom name="pellet" size=".001"/></body>'
    code, printed = check(FLOOR + wall + pellet)
    finding = only(printed, "thin")  # 2 mm from the first touch to the middle of the wall, in 2 ms
    assert code == 1 and finding["value"] == pytest.approx(1, rel=1e-4)
    assert {"wall", "pellet"} == set(finding["name"].split(", "))
    assert check(FLOOR + wall + BALL)[0] == 0  # a thick ball, and a ground that has no other side
    assert check(FLOOR + wall + pellet, option='><flag speculative="enable"/></option><option')[0] == 0


def test_loads_on_light_links(check):
    chain = '<body><joint axis="0 1 0"/><geom size=".1" mass="{light}"/><body name="load" pos="0 0 -1">' \
            '<joint axis="0 1 0"/><geom size=".1" mass="100"/></body></body>'
    code, printed = check(chain.format(light=0.01))
    finding = only(printed, "mass ratio")
    assert code == 1 and finding["value"] == pytest.approx(1e4, rel=1e-5) and "load" in finding["name"]
    assert check(chain.format(light=1))[0] == 0


def test_stiff_springs(check):
    """w dt with w^2 = k / (m l^2 / 3), damping that Euler takes at the end of a step counted as inertia."""
    code, printed = check(ROD.format(joint='stiffness="1e6"'))
    assert code == 1 and only(printed, "stiff spring")["value"] == pytest.approx(2, rel=1e-4)
    assert check(ROD.format(joint='stiffness="1e5"'))[0] == 0
    _, printed = check(ROD.format(joint='stiffness="1e6" damping="500"'))
    assert only(printed, "stiff spring")["value"] == pytest.approx(math.sqrt(2), rel=1e-4)


def test_stiff_servos(check):
    servo = '<actuator><position name="servo" joint="pin" kp="{kp}" kv="{kv}" ctrlrange="-1 1"/></actuator>'
    _, printed = check(ROD.format(joint=""), servo.format(kp=4e6, kv=0))
    assert only(printed, "stiff servo")["value"] == pytest.approx(4, rel=1e-4)
    _, printed = check(ROD.format(joint=""), servo.format(kp=1, kv=2000))
    assert only(printed, "stiff servo")["value"] == pytest.approx(4, rel=1e-4)
    assert check(ROD.format(joint=""), servo.format(kp=1, kv=2000), 'integrator="implicitfast"')[0] == 0
    assert check(ROD.format(joint=""), servo.format(kp=4e6, kv=2000), 'integrator="discrete"')[0] == 0


def test_stiff_tendons(check):
    tendon = '<tendon><fixed name="t" stiffness="{k}"><joint joint="pin" coef="2"/></fixed></tendon>'
    _, printed = check(ROD.format(joint=""), tendon.format(k=1e6))
    assert only(printed, "stiff tendon")["value"] == pytest.approx(4, rel=1e-4)
    assert check(ROD.format(joint=""), tendon.format(k=1e4))[0] == 0


def test_stiff_contacts(check):
    ball = BALL.replace('size=".1"', 'size=".1" solref="{}"')
    code, printed = check(FLOOR + ball.format("0.003 1"))
    finding = only(printed, "stiff solref")
    assert code == 0 and finding["severity"] == "note" and finding["value"] == pytest.approx(0.003)
    code, printed = check(FLOOR + ball.format("0.003 1"), option='><flag refsafe="disable"/></option><option')
    assert code == 1 and kinds(printed) == ["stiff solref"]
    code, printed = check(FLOOR + ball.format("-1e6 -10"))
    assert code == 1 and only(printed, "stiff solref")["value"] == pytest.approx(1000 / 0.95 * 0.002, rel=1e-4)
    assert check(FLOOR + ball.format("0.004 1"))[0] == 0


def test_unlimited_motors(check):
    motor = '<actuator><motor name="m" joint="pin" gear="20" {}/></actuator>'
    code, printed = check(ROD.format(joint=""), motor.format(""))
    finding = only(printed, "unlimited motor")
    assert code == 1 and finding["name"] == "m" and finding["value"] == 20
    for bound in ('ctrlrange="-1 1"', 'forcerange="-1 1"'):
        assert check(ROD.format(joint=""), motor.format(bound))[0] == 0
    assert check(ROD.format(joint='actuatorfrcrange="-1 1"'), motor.format(""))[0] == 0
    muscle = '<actuator><muscle joint="pin" lengthrange="-1 1"/></actuator>'
    assert check(ROD.format(joint=""), muscle)[0] == 0  # its activation is at most 1


def test_starts_beyond_limits_are_notes(check):
    code, printed = check(ROD.format(joint='range="10 20"'))
    finding = only(printed, "beyond limits")
    assert code == 0 and finding["severity"] == "note" and finding["value"] == pytest.approx(math.radians(10), rel=1e-4)


def test_saved_models_and_many_findings(tmp_path):
    """Worlds of one structure are looked at once; text shows some findings of a kind and counts the others."""
    builder = carom.ModelBuilder()
    for i in range(6):
        body = builder.add_body(xform=(i, 0, 0.02, 0, 0, 0, 1))
        builder.add_shape_sphere(body, radius=0.1)
    scene = carom.ModelBuilder()
    scene.add_ground_plane()
    scene.replicate(builder, 3)
    path = tmp_path / "balls.carom"
    scene.finalize().save(path)
    done = run("check", path)
    assert done.returncode == 1
    assert done.stdout.count("warning: overlap") == 3 and "... and 3 more: overlap" in done.stdout
    assert run("check", path, "--rows", 0).stdout.count("warning: overlap") == 6


@pytest.mark.parametrize("name", [
    "gymnasium/ant", "gymnasium/half_cheetah", "gymnasium/hopper", "gymnasium/humanoid", "gymnasium/swimmer",
    "gymnasium/walker2d", "gymnasium/pusher", "gymnasium/reacher", "mujoco/humanoid", "mujoco/22_humanoids",
    "menagerie/agility_cassie/scene", "menagerie/bitcraze_crazyflie_2/scene", "menagerie/kuka_iiwa_14/scene",
    "menagerie/robotiq_2f85/scene", "menagerie/shadow_hand/scene_right", "menagerie/skydio_x2/scene",
    "menagerie/trossen_vx300s/scene", "menagerie/unitree_go1/scene", "menagerie/wonik_allegro/scene_left",
])  # fmt: skip
def test_good_robots_raise_no_alarm(name):
    printed = json.loads(run("check", find_model(f"{name}.xml"), "--json").stdout)
    assert printed["errors"] == []
    assert [finding for finding in printed["findings"] if finding["severity"] != "note"] == []
