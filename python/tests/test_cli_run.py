"""carom run and carom convert: numbers of what was run, records that NumPy reads and that are run again to the bit."""

import json
import re
import xml.etree.ElementTree

import numpy as np
import pytest

import carom.f64 as carom

from cli_command import run

BALL = '<body pos="0 0 {height}"><freejoint/><geom size=".1"/></body>'
CART = '<body><joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size=".1 .1 .1" mass="2"/></body>'
MOTOR = '<actuator><motor joint="rail" gear="3"{}/></actuator>'
LEG = '''<body name="trunk" pos="0 0 .5"><freejoint/><geom type="box" size=".2 .1 .1"/>
  <body name="leg" pos="0 0 -.1"><joint name="hip" axis="0 1 0" range="-60 60"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".04"/></body></body>'''


@pytest.fixture
def write(tmp_path):
    def write_file(world, more="", option='timestep="0.01"'):
        path = tmp_path / "model.xml"
        path.write_text(f"<mujoco><option {option}/><worldbody>{world}</worldbody>{more}</mujoco>")
        return path

    return write_file


@pytest.fixture
def leg(write):
    return write('<geom type="plane" size="0 0 1"/>' + LEG,
                 '<actuator><motor joint="hip" gear="20" ctrlrange="-1 1"/></actuator>')


def run_json(*arguments):
    done = run("run", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_ball_falls(write, tmp_path):
    """n steps of semi-implicit Euler fall by g dt^2 n (n + 1) / 2, and kinetic energy is what height loses, nearly."""
    out = tmp_path / "fall.npz"
    said = run_json(write(BALL.format(height=100)), "--steps", 50, "--worlds", 3, "--record", out, "--threads", 1)
    record = np.load(out)
    assert record["joint_q"].shape == (51, 3, 7) and record["body_q"].shape == (51, 3, 1, 7)
    n = np.arange(51)
    expected = 100 - 9.81 * 1e-4 * n * (n + 1) / 2
    for world in range(3):
        np.testing.assert_allclose(record["body_q"][:, world, 0, 2], expected, rtol=1e-6)
    np.testing.assert_allclose(record["time"], 0.01 * n, rtol=1e-6)
    mass = 1000 * 4 / 3 * np.pi * 0.1**3
    v, z = 9.81 * 0.01 * 50, expected[-1]
    assert said["energy_start"] == pytest.approx(mass * 9.81 * 100, rel=1e-5)
    assert said["energy_end"] == pytest.approx(mass * (9.81 * z + v * v / 2), rel=1e-5)
    assert (said["worlds"], said["steps"], said["threads"], said["contacts"], said["deepest"]) == (3, 50, 1, 0, 0)
    assert said["status"] == {"overflow": 0, "not_finite": 0, "not_converged": 0} and said["steps_per_second"] > 0


def test_a_ball_lies(write):
    said = run_json(write('<geom type="plane" size="0 0 1"/>' + BALL.format(height=0.1)), "--steps", 200)
    assert said["contacts"] == pytest.approx(1, abs=0.2) and 0 < said["deepest"] < 0.005


def test_random_controls_are_recorded_and_run_again_to_the_bit(leg, tmp_path):
    """Whatever the number of threads; another seed is another run."""
    first, again, other = (tmp_path / name for name in ("first.npz", "again.npz", "other.npz"))
    run_json(leg, "--worlds", 5, "--steps", 90, "--record", first, "--threads", 1)
    run_json(leg, "--worlds", 5, "--steps", 90, "--record", again, "--threads", 2, "--controls", first)
    run_json(leg, "--worlds", 5, "--steps", 90, "--record", other, "--seed", 4)
    first, again, other = map(np.load, (first, again, other))
    assert sorted(first) == ["body_q", "ctrl", "ctrl_step", "joint_q", "joint_qd", "time"]
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])
    assert first["ctrl_step"].tolist() == [0, 20, 40, 60, 80] and np.abs(first["ctrl"]).max() <= 1
    assert not np.array_equal(first["joint_q"][-1], other["joint_q"][-1])
    assert not np.array_equal(first["joint_q"][-1, 0], first["joint_q"][-1, 1])


def test_samples_may_be_rare(leg, tmp_path):
    all_steps, some = tmp_path / "all.npz", tmp_path / "some.npz"
    for out, every in ((all_steps, 1), (some, 7)):
        run_json(leg, "--steps", 45, "--record", out, "--every", every)
    all_steps, some = np.load(all_steps), np.load(some)
    np.testing.assert_array_equal(some["joint_q"], all_steps["joint_q"][::7])
    np.testing.assert_array_equal(some["ctrl"], all_steps["ctrl"])


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("shape", [(4, 1), (4, 2, 1)])
def test_controls_by_numpy(write, tmp_path, kind, shape):
    """A row for each step, then the last one stays; for one world or for all."""
    path, out = tmp_path / "mine.npz", tmp_path / "out.npz"
    forces = np.array([1, -2, 3, 2])
    np.savez(path, ctrl=np.broadcast_to(forces.reshape(4, *[1] * (len(shape) - 1)), shape).astype(kind))
    run_json(write(CART, MOTOR.format("")), "--worlds", 2, "--steps", 6, "--controls", path, "--record", out)
    v = np.cumsum(np.append(forces, [2, 2]) * 3 / 2 * 0.01)
    for world in range(2):
        np.testing.assert_allclose(np.load(out)["joint_qd"][1:, world, 0], v, rtol=1e-5)


def test_zero_controls(write, tmp_path):
    out = tmp_path / "out.npz"
    run_json(write(CART, MOTOR.format("")), "--steps", 30, "--controls", "zero", "--record", out)
    assert not np.load(out)["joint_q"].any()


def test_random_controls_without_bounds_are_within_one(write, tmp_path):
    out = tmp_path / "out.npz"
    run_json(write(CART, MOTOR.format("")), "--steps", 400, "--record", out)
    ctrl = np.load(out)["ctrl"]
    assert ctrl.min() < -0.5 and ctrl.max() > 0.5 and np.abs(ctrl).max() <= 1


def bad_controls(tmp_path):
    def saved(name, save=np.savez, **arrays):
        save(tmp_path / name, **arrays)
        return tmp_path / name

    good = saved("good.npz", ctrl=np.zeros((4, 1))).read_bytes()
    (tmp_path / "text.npz").write_text("no archive")
    cases = {"nothing.npz": "cannot open", "text.npz": "no .npz", "typo": "use zero, random"}
    saved("none.npz", q=np.zeros(3))
    saved("wide.npz", ctrl=np.zeros((4, 3)))
    saved("empty.npz", ctrl=np.zeros((0, 1)))
    cases |= {"none.npz": "no array ctrl", "wide.npz": "rows of 3", "empty.npz": "0 rows"}
    saved("small.npz", np.savez_compressed, ctrl=np.zeros((4, 1)))
    saved("steps.npz", ctrl=np.zeros((2, 1)), ctrl_step=np.array([3, 1]))
    saved("nan.npz", ctrl=np.zeros((1, 1)), ctrl_step=np.array([np.nan]))
    saved("column.npz", ctrl=np.asfortranarray(np.zeros((4, 2))))
    saved("words.npz", ctrl=np.array(["a", "b"]))
    cases |= {"small.npz": "compressed", "steps.npz": "rising", "nan.npz": "rising",
              "column.npz": "column by column", "words.npz": "type"}
    (tmp_path / "lies.npz").write_bytes(good.replace(b"(4, 1), ", b"(9999,1)"))
    return cases | {"lies.npz": "ends early"}


def test_bad_controls_are_told(write, tmp_path):
    model = write(CART, MOTOR.format(""))
    for name, said in bad_controls(tmp_path).items():
        path = tmp_path / name if name.endswith(".npz") else name
        done = run("run", model, "--steps", 3, "--controls", path)
        assert done.returncode == 1 and said in done.stderr and name in done.stderr, (name, done.stderr)


def test_damaged_records_never_crash(write, tmp_path):
    """Every prefix of a file, and every byte changed, is an error or a run."""
    model, good, bad = write(CART, MOTOR.format("")), tmp_path / "good.npz", tmp_path / "bad.npz"
    np.savez(good, ctrl=np.zeros((2, 1)))
    data = good.read_bytes()
    for at in range(0, len(data), 9):
        for text in (data[:at], data[:at] + bytes([data[at] ^ 0xff]) + data[at + 1:]):
            bad.write_bytes(text)
            assert run("run", model, "--steps", 1, "--controls", bad).returncode in (0, 1)


def test_pictures(leg, tmp_path):
    """Well-formed, with a box, a capsule and a time for each of 12 poses."""
    out = tmp_path / "leg.svg"
    run_json(leg, "--steps", 110, "--picture", out)
    texts = [node.text for node in xml.etree.ElementTree.parse(out).iter("{http://www.w3.org/2000/svg}text")]
    times = [text for text in texts if text.endswith(" s")]
    assert times == [f"{0.1 * i:.2f} s" for i in range(12)] and texts[0] == "model.xml"
    assert out.read_text().count("Z\" fill=\"#78909c\"") == 12  # boxes


WHITE, GREEN, RED, BLUE = "#fff", "#2e9e4f", "#d32f2f", "#1e63c8"
HEADER = 84  # px, above which the legend has arrows of its own


def drawn(path):
    """White points, (x, y), and arrows, (x, y, dx, dy) by colour, y down, below the header of a picture [px]."""
    tree = list(xml.etree.ElementTree.parse(path).iter())
    points = [(float(node.get("cx")), float(node.get("cy"))) for node in tree
              if node.tag.endswith("circle") and node.get("fill") == WHITE]
    arrows = {colour: [] for colour in (GREEN, RED, BLUE)}
    for node in tree:
        if node.tag.endswith("path") and node.get("stroke") in arrows:
            x, y, to_x, to_y = (float(number) for number in re.findall(r"-?[0-9.]+", node.get("d")))
            if y > HEADER:
                arrows[node.get("stroke")].append((x, y, to_x - x, to_y - y))
    return points, arrows, float(tree[0].get("height"))


def test_forces_in_pictures(write, tmp_path):
    """A white point for each contact, and at it what it feels: green along the normal, red and blue along the tangents.
    A box under a gravity that leans along x is held by friction, which no arrow along the other tangent needs."""
    body = ('<geom type="plane" size="5 5 1" friction="2 0 0"/>'
            '<body pos="0 0 .1"><freejoint/><geom type="box" size=".2 .2 .1" mass="3" friction="2 0 0"/></body>')
    out = tmp_path / "box.svg"
    run_json(write(body, option='gravity="4 0 -9"'), "--steps", 500, "--picture", out)
    points, arrows, height = drawn(out)
    assert len(points) >= 40 and len(points) % 4 == 0  # corners, in all poses but perhaps the first
    assert len(arrows[GREEN]) >= 40
    assert all(dy < 0 and abs(dx) < 0.5 for _, _, dx, dy in arrows[GREEN])  # up
    assert all((x, y) in points for arrow in arrows.values() for x, y, _, _ in arrow)
    held = [arrow for arrow in arrows.values() if arrow is not arrows[GREEN] and len(arrow) >= 20]
    assert len(held) == 1  # the tangent along which it would slide
    assert all(0 < y < height and 0 < y + dy < height for arrow in arrows.values() for _, y, _, dy in arrow)


def test_forces_between_bodies_in_pictures(write, tmp_path):
    """A small box on a large one: its contacts have arrows, too, which end inside of the picture."""
    body = ('<geom type="plane" size="5 5 1"/>'
            '<body pos="0 0 .2"><freejoint/><geom type="box" size=".3 .3 .2" mass="3"/></body>'
            '<body pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1" mass="30"/></body>')
    out = tmp_path / "boxes.svg"
    run_json(write(body), "--steps", 300, "--picture", out)
    points, arrows, height = drawn(out)
    heights = sorted({round(y) for _, y in points})
    assert heights[-1] - heights[0] > 0.3 * 165  # of the ground and of the lower box, in a row of poses
    pushed = {(x, y) for x, y, _, _ in arrows[GREEN]}
    assert len(pushed) > 0.8 * len(points)
    assert all(0 < y + dy < height for _, y, _, dy in arrows[GREEN])


def test_saved_models(leg, tmp_path):
    """convert writes what load_mjcf() reads; run takes it with its own number of worlds."""
    saved = tmp_path / "leg.carom"
    done = run("convert", leg, saved, "--worlds", 4)
    assert done.returncode == 0, done.stderr
    model, expected = carom.load(saved), carom.load_mjcf(leg)
    assert model.world_count == 4 and model.body_key[:2] == expected.body_key
    np.testing.assert_allclose(model.body_mass.numpy(), np.tile(expected.body_mass.numpy(), 4), rtol=1e-6)
    of_xml, of_saved = tmp_path / "xml.npz", tmp_path / "saved.npz"
    run_json(leg, "--worlds", 4, "--steps", 60, "--record", of_xml)
    assert run_json(saved, "--steps", 60, "--record", of_saved)["worlds"] == 4
    np.testing.assert_array_equal(np.load(of_xml)["joint_q"], np.load(of_saved)["joint_q"])
    done = run("run", saved, "--worlds", 5)
    assert done.returncode == 1 and "has 4 worlds" in done.stderr


KEYS = """<keyframe><key name="up" qpos="2" qvel="-1" ctrl="4"/><key qpos="3"/></keyframe>"""


def test_keyframes(write, tmp_path):
    """Worlds begin at a keyframe, by name or number, and its controls are held."""
    model, out = write(CART, MOTOR.format("") + KEYS), tmp_path / "out.npz"
    run_json(model, "--worlds", 2, "--steps", 10, "--keyframe", "up", "--controls", "keyframe", "--record", out)
    record = np.load(out)
    assert record["joint_q"][0].tolist() == [[2], [2]] and record["joint_qd"][0].tolist() == [[-1], [-1]]
    np.testing.assert_allclose(record["joint_qd"][-1], -1 + 10 * 0.01 * 4 * 3 / 2, rtol=1e-5)
    run_json(model, "--steps", 3, "--keyframe", 1, "--controls", "zero", "--record", out)
    np.testing.assert_allclose(np.load(out)["joint_q"][:, 0, 0], 3)
    run_json(model, "--steps", 3, "--controls", "keyframe", "--record", out)
    assert np.load(out)["joint_q"][0, 0, 0] == 0 and np.load(out)["ctrl"].tolist() == [[[4]]]
    done = run("run", model, "--keyframe", "down")
    assert done.returncode == 1 and "there are: up, 1" in done.stderr
    done = run("run", write(CART, MOTOR.format("")), "--controls", "keyframe")
    assert done.returncode == 1 and "no keyframes" in done.stderr


def test_convert_and_back(leg, tmp_path):
    """XML to a saved model to XML: the same motion; of several worlds one has to be named."""
    saved, back = tmp_path / "leg.carom", tmp_path / "back.xml"
    assert run("convert", leg, saved, "--worlds", 2).returncode == 0
    done = run("convert", saved, back)
    assert done.returncode == 1 and "world" in done.stderr
    done = run("convert", saved, back, "--world", 1)
    assert done.returncode == 0, done.stderr
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    run_json(leg, "--steps", 40, "--record", first)
    run_json(back, "--steps", 40, "--record", second)
    np.testing.assert_allclose(np.load(first)["joint_q"], np.load(second)["joint_q"], atol=1e-4)


def test_wrong_arguments(leg, tmp_path):
    for arguments, said in [
        (["run", leg, "--record", tmp_path / "no" / "out.npz"], "cannot write"),
        (["run", leg, "--picture", tmp_path / "no" / "out.svg"], "cannot write"),
        (["run", leg, "--device", "tpu"], "tpu"),
        (["run", leg, "--steps", 0], "--steps"),
        (["run", leg, "--solver", "bullet"], "bullet"),
        (["run", leg, "--worlds", 100000, "--steps", 100000, "--record", tmp_path / "out.npz"], "larger --every"),
        (["convert", leg, tmp_path / "out.carom", "--world", 0], "--world"),
        (["convert", tmp_path / "no.xml", tmp_path / "out.carom"], "no.xml"),
    ]:
        done = run(*arguments)
        assert done.returncode not in (0, 2) and said in done.stderr + done.stdout, (arguments, done.stderr)


def test_refused_numbers_are_told_with_the_file(write):
    path = write(BALL.format(height=1), option='timestep="-1"')
    for command in (["check", path], ["run", path], ["convert", path, path.with_suffix(".carom")]):
        done = run(*command)
        assert done.returncode != 0
        assert f"{path}:1: <option>: options: timestep must be positive, is -1" in done.stderr + done.stdout, command


def test_worlds_that_explode_are_told(write):
    done = run("run", write(BALL.format(height=1), option='gravity="0 0 -3e38"'), "--steps", 10, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["status"]["not_finite"] == 1


def test_the_table(leg):
    done = run("run", leg, "--worlds", 2, "--steps", 20)
    assert done.returncode == 0
    for word in ("steps/s", "contacts", "deepest mm", "J at end", "status"):
        assert word in done.stdout.splitlines()[0]
