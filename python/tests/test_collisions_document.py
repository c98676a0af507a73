"""The code blocks of the collisions document, with carom in the place of newton."""

import pytest

ROBOT_XML = """<mujoco><worldbody><body name="trunk"><freejoint/><geom size="0.6"/>
  <body pos="0 0 0.5"><joint axis="0 1 0"/><geom size="0.1"/><body pos="0 0 0.5"><joint axis="0 1 0"/><geom size="0.6"/>
  </body></body></body></worldbody></mujoco>"""
ROBOT_USD = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
""" + "".join(f"""
def Sphere "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double radius = {radius}
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}""" for name, radius, height in (("a", 0.6, 0), ("b", 0.1, 0.5), ("c", 0.6, 1))) + "".join(f"""
def PhysicsRevoluteJoint "{first}{second}"
{{
    rel physics:body0 = </{first}>
    rel physics:body1 = </{second}>
    point3f physics:localPos0 = (0, 0, 0.5)
}}""" for first, second in ("ab", "bc"))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method, name, text", [
    pytest.param("add_mjcf", "robot.xml", ROBOT_XML, id="mjcf"),
    pytest.param("add_usd", "robot.usda", ROBOT_USD, id="usd")])
def test_self_collisions_of_files(carom, tmp_path, method, name, text):
    """enable_self_collisions of both readers: of three links the first and the last overlap."""
    if method == "add_usd":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    path = tmp_path / name
    path.write_text(text)
    for enabled in (True, False):
        builder = carom.ModelBuilder()
        getattr(builder, method)(path, enable_self_collisions=enabled)
        model = builder.finalize()
        assert (model.collide(model.state()).rigid_contact_count[0] > 0) == enabled


def test_robots_from_files_in_worlds(carom, tmp_path):
    """Separate instances and layers: obstacles that are global, and robots in worlds of their own, which meet them."""
    pytest.importorskip("pxr", reason="usd-core is not installed")
    path = tmp_path / "robot.usda"
    path.write_text(ROBOT_USD)
    player_cfg, enemy_cfg, env_cfg = (carom.ShapeConfig(collision_group=group) for group in (1, 2, -1))
    robot_builder = carom.ModelBuilder()
    robot_builder.default_shape_cfg = player_cfg
    robot_builder.add_usd(path, enable_self_collisions=False)
    builder = carom.ModelBuilder()
    obstacles = builder.add_body()
    builder.add_shape_box(obstacles, hx=1, hy=1, hz=1, cfg=env_cfg)
    builder.add_shape_box(obstacles, hx=1, hy=1, hz=1, cfg=enemy_cfg)
    for _ in range(3):
        builder.add_world(robot_builder)
    model = builder.finalize()
    pipeline = carom.CollisionPipeline(model)
    pipeline.collide(model.state())
    pairs = pipeline.shape_pairs.numpy().tolist()
    assert pairs == [[0, 2 + shape] for shape in range(9)]  # the wall meets all nine, the enemy none


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


def resting_sphere(carom):
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 0.495, 0, 0, 0, 1))
    builder.add_shape_sphere(body, radius=0.5)
    return builder.finalize()


def test_a_unified_pipeline(carom):
    """The pipeline is made from the model with a broad phase and handed to collide()."""
    model = resting_sphere(carom)
    state = model.state()
    collision_pipeline = carom.CollisionPipelineUnified.from_model(
        model,
        rigid_contact_max_per_pair=10,
        broad_phase_mode=carom.BroadPhaseMode.NXN,
    )
    contacts = model.collide(state, collision_pipeline=collision_pipeline)
    assert contacts.rigid_contact_count[0] == 1
    assert collision_pipeline.broad_phase_mode == carom.BroadPhaseMode.NXN
    assert carom.CollisionPipelineUnified.from_model(model).broad_phase_mode == carom.BroadPhaseMode.NXN


def test_contact_data(carom):
    """collide() without a pipeline uses precomputed pairs; arrays hold as many rows as the count says."""
    model = resting_sphere(carom)
    contacts = model.collide(model.state())
    num_contacts = contacts.rigid_contact_count[0]
    points = contacts.rigid_contact_point.numpy()[:num_contacts]
    normals = contacts.rigid_contact_normal.numpy()[:num_contacts]
    depths = contacts.rigid_contact_depth.numpy()[:num_contacts]
    assert num_contacts == 1
    assert (contacts.rigid_contact_shape0[0], contacts.rigid_contact_shape1[0]) == (0, 1)
    assert depths[0] == pytest.approx(0.005, abs=1e-7)
    assert normals[0].tolist() == pytest.approx([0, 0, 1])  # from the ground to the sphere
    assert points[0].tolist() == pytest.approx([0, 0, -0.0025], abs=1e-5)


def test_test_world_and_group_pair(carom):
    """The public function follows the document's text for all signs."""

    def document(world_a, world_b, group_a, group_b):
        if world_a != -1 and world_b != -1 and world_a != world_b:
            return False
        if group_a == 0 or group_b == 0:
            return False
        if group_a > 0:
            return group_a == group_b or group_b < 0
        if group_a < 0:
            return group_a != group_b
        return False

    for world_a in (-1, 0, 1):
        for world_b in (-1, 0, 1):
            for group_a in range(-2, 3):
                for group_b in range(-2, 3):
                    args = (world_a, world_b, group_a, group_b)
                    assert carom.test_world_and_group_pair(*args) == document(*args)


def test_robots_touch_the_ground_and_not_each_other(carom):
    """Worlds are filtered in the broad phase, and the global ground meets every world."""
    robot = carom.ModelBuilder()
    robot.add_shape_sphere(robot.add_body(), radius=0.5)
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    for _ in range(3):
        builder.add_world(robot)
    model = builder.finalize()
    for mode in carom.BroadPhaseMode:
        pipeline = carom.CollisionPipeline(model, broad_phase_mode=mode)
        contacts = pipeline.collide(model.state())
        assert pipeline.shape_pairs.numpy().tolist() == [[0, 1], [0, 2], [0, 3]]
        assert contacts.rigid_contact_world_start.numpy().tolist() == [0, 1, 2, 3, 3]
        assert pipeline.status.numpy().tolist() == [0, 0, 0, 0]


def test_queries(carom):
    """Distances, closest points and rays of single shapes."""
    model = resting_sphere(carom)
    query, state = carom.ShapeQuery(model), model.state()
    assert query.distance(state, 0, 1).distance == pytest.approx(-0.005, abs=1e-7)
    assert query.overlap(state, 0, 1)
    assert query.closest_point(state, 1, (0, 0, 2)).distance == pytest.approx(1.005, abs=1e-6)
    hit = query.ray_cast(state, (3, 0, 0.495), (-1, 0, 0))
    assert hit.shape == 1 and hit.distance == pytest.approx(2.5, abs=1e-5)
    assert query.ray_cast(state, (3, 0, 0.495), (1, 0, 0)).shape == -1
    with pytest.raises(carom.Error, match="shape 7 does not exist"):
        query.distance(state, 0, 7)
