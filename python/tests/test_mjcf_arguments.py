"""The arguments of add_mjcf() and load_mjcf(): what users say about a file, over what it says."""

import math

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import mjcf

CHAIN = mjcf("""
<geom name="floor" type="plane" size="1 1 1"/>
<body name="base" pos="0 0 1"><freejoint name="root"/><geom name="g0" size=".1"/>
  <body name="upper" pos="1 0 0"><joint name="j1" axis="0 1 0"/><geom name="g1" size=".1" mass="3"/>
    <body name="lower" pos="1 0 0"><joint name="j2" axis="0 1 0"/><geom name="g2" size=".1" density="10"/></body></body>
</body>""")
POST = mjcf('<body name="post" pos="0 0 1"><geom size=".1"/><body><joint/><geom size=".1"/></body></body>')


def built(text, **args):
    builder = carom.ModelBuilder()
    builder.add_mjcf(text, **args)
    return builder


def model_of(text, **args):
    scene = carom.ModelBuilder()
    scene.add_world(built(text, **args))
    return scene.finalize()


def filtered(model):
    return {tuple(int(i) for i in sorted(pair)) for pair in np.asarray(model.shape_collision_filter_pairs)}


def test_xform_places_everything():
    """What stands in the world, and what floats in it, is moved and turned."""
    turn = (0, 0, math.sin(math.pi / 4), math.cos(math.pi / 4))
    model = model_of(CHAIN, xform=(5, 0, 0, *turn))
    body = model.state().body_q.numpy()
    np.testing.assert_allclose(body[0, :3], (5, 0, 1), atol=1e-12)
    np.testing.assert_allclose(body[1, :3], (5, 1, 1), atol=1e-12)
    np.testing.assert_allclose(body[2, :3], (5, 2, 1), atol=1e-12)
    assert not np.allclose(model_of(CHAIN).state().body_q.numpy(), body)


def test_self_collisions():
    """Shapes 0 floor, 1 to 3 a chain. Parent and child never touch; without self-collisions the ends do not, either."""
    assert filtered(model_of(CHAIN)) == {(1, 2), (2, 3)}
    assert filtered(model_of(CHAIN, enable_self_collisions=False)) == {(1, 2), (2, 3), (1, 3)}


def test_a_robot_twice_with_and_without():
    """Each copy by its own rule: what self-collisions filter are pairs of one robot, never of two."""
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_mjcf(CHAIN, key_prefix="a/", enable_self_collisions=True)
    builder.add_mjcf(CHAIN, key_prefix="b/", enable_self_collisions=False, xform=(0, 5, 0, 0, 0, 0, 1))
    builder.end_world()
    assert filtered(builder.finalize()) == {(1, 2), (2, 3), (5, 6), (6, 7), (5, 7)}


@pytest.mark.parametrize("group", (0, 1, 7, -1))
def test_collision_group(group):
    assert model_of(CHAIN, collision_group=group).shape_collision_group.numpy().tolist() == [group] * 4


def test_keys_with_a_prefix():
    """Two copies of a file stand in one world under different names; without prefixes names clash."""
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_mjcf(CHAIN, key_prefix="a/")
    builder.add_mjcf(CHAIN, key_prefix="b/")
    with pytest.raises(carom.Error, match="base"):
        builder.add_mjcf(CHAIN, key_prefix="a/")
    builder.end_world()
    assert [builder.finalize().find_body(key) for key in ("a/base", "b/lower")] == [0, 5]


def test_floating_true():
    """A base without joints floats; what has joints keeps them."""
    joints = model_of(POST).joint_type.numpy().tolist()
    floating = model_of(POST, floating=True).joint_type.numpy().tolist()
    free, fixed, hinge = int(carom.JointType.FREE), int(carom.JointType.FIXED), int(carom.JointType.REVOLUTE)
    assert joints == [fixed, hinge] and floating == [free, hinge]
    assert model_of(CHAIN, floating=True).joint_type.numpy().tolist() == [free, hinge, hinge]


def test_floating_false():
    """A free base stands still where the file has it."""
    model = model_of(CHAIN, floating=False)
    fixed, hinge = int(carom.JointType.FIXED), int(carom.JointType.REVOLUTE)
    assert model.joint_type.numpy().tolist() == [fixed, hinge, hinge]
    np.testing.assert_allclose(model.state().body_q.numpy()[0, :3], (0, 0, 1))


def test_floating_needs_mass():
    """A frame of nothing cannot float, and the error says which."""
    with pytest.raises(carom.Error, match=r"MJCF:1: <body>.*mass"):
        built(mjcf("<body/>"), floating=True)


def test_density():
    """Of geoms that say neither density nor mass."""
    sphere = 4 / 3 * math.pi * 0.1**3
    mass = model_of(CHAIN, density=500).body_mass.numpy()
    np.testing.assert_allclose(mass, (500 * sphere, 3, 10 * sphere), rtol=1e-12)
    assert model_of(CHAIN).body_mass.numpy()[0] == pytest.approx(1000 * sphere)


@pytest.mark.parametrize("density", (-1, math.nan, math.inf))
def test_bad_density(density):
    with pytest.raises(carom.Error, match="density must be 0 or more"):
        built(CHAIN, density=density)


def test_ignore():
    """What is ignored is left out with a warning; what is no such thing is an Error that lists them."""
    welded = mjcf('<body name="a"><freejoint/><geom size=".1"/></body>', "", '<equality><weld body1="a"/></equality>')
    with pytest.warns(UserWarning, match="add_mjcf: left out.*\n.*weld"):
        builder = built(welded, ignore=["equality"])
    assert builder.finalize().equality_constraint_count == 0
    assert built(welded).finalize().equality_constraint_count == 1
    with pytest.raises(carom.Error, match="add_mjcf: ignore is a list.*unknown: 'wheels'"):
        built(CHAIN, ignore=["wheels"])


def test_an_error_leaves_the_builder_alone():
    builder = built(CHAIN)
    before = builder.body_count
    with pytest.raises(carom.Error):
        builder.add_mjcf(CHAIN.replace('name="g2"', 'name="g1"'), key_prefix="b/")
    assert builder.body_count == before


def test_three_robots_in_many_worlds():
    """Three files in one world, and 1,000 worlds of them: it steps."""
    robot = carom.ModelBuilder()
    for i, text in enumerate((CHAIN, POST, mjcf('<body><freejoint/><geom type="box" size=".1 .1 .1"/></body>'))):
        robot.add_mjcf(text, key_prefix=f"{i}/", xform=(0, 3 * i, 0, 0, 0, 0, 1))
    scene = carom.ModelBuilder()
    scene.replicate(robot, 1000)
    model = scene.finalize()
    simulation = carom.Simulation(model, solver="mujoco")
    simulation.step(2)
    assert model.world_count == 1000 and np.isfinite(simulation.state.joint_q.numpy()).all()


def test_load_mjcf_takes_them_too(tmp_path):
    path = tmp_path / "chain.xml"
    path.write_text(CHAIN)
    model = carom.load_mjcf(path, floating=False, density=500, collision_group=3, root=tmp_path)
    assert model.joint_type.numpy()[0] == int(carom.JointType.FIXED)
    assert model.shape_collision_group.numpy().tolist() == [3] * 4


def test_gravity():
    """A builder without worlds takes that of the file; a world that has begun has its own, and says so."""
    moon = CHAIN.replace("<mujoco>", '<mujoco><option gravity="0 0 -1.6"/>')
    assert model_of(moon).gravity.numpy()[0].tolist() == [0, 0, -1.6]
    builder = carom.ModelBuilder()
    builder.begin_world()
    with pytest.warns(UserWarning, match=r"gravity of the file.*-1.6.*is not taken"):
        builder.add_mjcf(moon)
    builder.end_world()
    assert builder.finalize().gravity.numpy()[0].tolist() == [0, 0, -9.81]
    other = carom.ModelBuilder(gravity=(0, 0, -3))
    with pytest.warns(UserWarning, match="is not taken"):
        other.add_mjcf(moon)
