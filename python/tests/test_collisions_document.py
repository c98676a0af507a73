"""The code blocks of the collisions document that build models, with carom in the place of newton."""

import pytest


def test_a_robot_in_three_worlds(carom):
    """add_world copies a builder into a world of its own; the ground stays global."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()

    robot_builder = carom.ModelBuilder()
    robot_body = robot_builder.add_link()
    robot_builder.add_shape_sphere(robot_body, radius=0.5)
    joint = robot_builder.add_joint_free(robot_body)
    robot_builder.add_articulation([joint])

    assert [builder.add_world(robot_builder) for _ in range(3)] == [0, 1, 2]
    model = builder.finalize()
    assert model.shape_world.numpy().tolist() == [-1, 0, 1, 2]
    assert model.body_world.numpy().tolist() == [0, 1, 2]


def test_worlds_with_different_contents(carom):
    """begin_world names a world."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()

    builder.begin_world(key="robot_arm")
    arm_base = builder.add_body()
    builder.add_shape_box(arm_base, hx=0.5, hy=0.5, hz=0.5)
    builder.end_world()

    builder.begin_world(key="quadruped")
    quad_body = builder.add_body()
    builder.add_shape_sphere(quad_body, radius=0.3)
    builder.end_world()

    model = builder.finalize()
    assert model.world_key == ["robot_arm", "quadruped"]
    assert model.find_world("quadruped") == 1


def test_collision_groups(carom):
    """builder.ShapeConfig sets the group of a shape."""
    builder = carom.ModelBuilder()
    for group in (1, 2, -1):
        body = builder.add_body()
        cfg = builder.ShapeConfig(collision_group=group)
        builder.add_shape_sphere(body, radius=0.5, cfg=cfg)
    model = builder.finalize()
    assert model.shape_collision_group.numpy().tolist() == [1, 2, -1]


def test_patterns(carom):
    """Self-collision, visual-only meshes and layers are settings of a shape."""
    builder = carom.ModelBuilder()
    body_id = builder.add_body()
    box = builder.add_shape_box(
        body=body_id,
        hx=0.5,
        hy=0.5,
        hz=0.5,
        cfg=builder.ShapeConfig(collision_group=-1, collision_filter_parent=False),
    )
    visual_mesh = carom.make_box_mesh(1, 1, 1)
    mesh = builder.add_shape_mesh(body=body_id, mesh=visual_mesh, cfg=builder.ShapeConfig(collision_group=0))
    model = builder.finalize()
    flags = model.shape_flags.numpy()
    assert not flags[box] & carom.ShapeFlag.FILTER_PARENT
    assert flags[mesh] & carom.ShapeFlag.FILTER_PARENT
    assert model.shape_collision_group[mesh] == 0


def test_contact_margins(carom):
    """A shape's own margin wins over the builder's, which is read by finalize()."""
    builder = carom.ModelBuilder()
    body_id = builder.add_body()
    cfg = builder.ShapeConfig(contact_margin=0.05)
    builder.add_shape_box(body=body_id, hx=1.0, hy=1.0, hz=1.0, cfg=cfg)
    builder.add_shape_box(body=body_id)
    builder.rigid_contact_margin = 0.125
    model = builder.finalize()
    assert model.shape_contact_margin.numpy().tolist() == pytest.approx([0.05, 0.125])
