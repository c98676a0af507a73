"""Robots from MJCF files in worlds: the blocks of the collisions document that load them, pairs with and without
self-collision, and worlds of several robots."""

import warnings

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import find_model

ROBOT = """<mujoco>
  <worldbody>
    <body name="trunk" pos="0 0 1"><freejoint/><geom name="trunk" type="box" size=".2 .1 .1"/>
      <body name="left" pos="0 .1 -.1"><joint axis="0 1 0"/><geom name="left" type="capsule" size=".04 .2"/></body>
      <body name="right" pos="0 -.1 -.1"><joint axis="0 1 0"/><geom name="right" type="capsule" size=".04 .2"/></body>
    </body>
  </worldbody>
</mujoco>"""
ROBOTS = ["menagerie/unitree_go1/go1.xml", "gymnasium/ant.xml", "mujoco/humanoid.xml"]


@pytest.fixture
def robot_file(tmp_path, monkeypatch):
    (tmp_path / "robot.xml").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)


def test_the_blocks_of_the_document(robot_file):
    builder = carom.ModelBuilder()
    builder.add_mjcf("robot.xml", enable_self_collisions=True)
    assert builder.body_key == ["trunk", "left", "right"]

    robot_builder, num_robots = builder, 3
    builder = carom.ModelBuilder()
    # Global environment
    builder.add_ground_plane()
    obstacles = builder.add_body()
    builder.add_shape_box(obstacles, hx=1, hy=1, hz=1)

    # Robot instances in separate worlds
    for i in range(num_robots):
        builder.add_world(robot_builder)
    model = builder.finalize()
    assert model.world_count == 3 and model.body_world.numpy().tolist() == [-1] + [w for w in range(3) for _ in range(3)]


def pairs_of(model):
    """Keys of the shapes that are near each other: all of them that may touch, where everything is in one place."""
    pipeline = carom.CollisionPipeline(model)
    pipeline.collide(model.state())
    return {frozenset(model.shape_key[shape] for shape in pair) for pair in pipeline.shape_pairs.numpy()}


def two_robots(*enable):
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_ground_plane()
    for number, enabled in enumerate(enable):
        builder.add_mjcf("robot.xml", key_prefix=f"{number}/", enable_self_collisions=enabled)
    builder.end_world()
    return builder.finalize()


def expected_pairs(*enable):
    """Legs touch each other unless it is switched off; trunk and legs, parent and child, never; robots and all else do."""
    names = [[f"{robot}/{part}" for part in ("trunk", "left", "right")] for robot in range(2)]
    pairs = {frozenset((a, b)) for a in names[0] for b in names[1]}
    pairs |= {frozenset(("shape_0", name)) for robot in names for name in robot}
    return pairs | {frozenset(names[robot][1:]) for robot in range(2) if enable[robot]}


@pytest.mark.parametrize("enable", [(True, True), (True, False), (False, True), (False, False)])
def test_self_collision_of_robots(robot_file, enable):
    model = two_robots(*enable)
    with model.edit() as numbers:
        numbers.shape_contact_margin.numpy()[:] = 10  # [m]
    assert pairs_of(model) == expected_pairs(*enable)


def three_robots():
    """A builder with three robots side by side. Their files ask for other timesteps: those of the first are taken."""
    scene = carom.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # keyframes and sensors
        for number, name in enumerate(ROBOTS):
            robot = carom.ModelBuilder()
            robot.add_mjcf(find_model(name))
            robot.options = scene.options if number > 0 else robot.options
            scene.add_builder(robot, xform=(0, 3 * number, 0, 0, 0, 0, 1), key_prefix=f"{number}/")
    return scene


def test_three_robots_in_every_world():
    """Their dofs stand one after the other, and all worlds move alike."""
    scene, worlds = three_robots(), 5
    model = carom.ModelBuilder()
    model.replicate(scene, worlds)
    model = model.finalize()
    assert model.world_count == worlds and model.joint_dof_count == worlds * (18 + 14 + 27)
    sim = carom.Simulation(model)
    for _ in range(25):
        assert sim.step(2).numpy().tolist() == [0] * worlds
    q = sim.state.joint_q.numpy().reshape(worlds, -1)
    assert np.isfinite(q).all() and (q == q[0]).all()
    assert not np.array_equal(q[0], model.joint_q.numpy()[: q.shape[1]])
