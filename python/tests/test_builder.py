"""ModelBuilder: keyword arguments, defaults, geometry, particles."""

import numpy as np
import pytest


def test_defaults_are_those_of_the_library(carom):
    """A config without arguments and the builder's default agree; None stands for a margin that is not set."""
    cfg = carom.ShapeConfig()
    assert (cfg.density, cfg.ke, cfg.mu, cfg.collision_group) == (1000, 2500, 1, 1)
    assert cfg.contact_margin is None
    assert (cfg.torsional_friction, cfg.rolling_friction) == (0.005, 1e-4)
    assert repr(carom.ModelBuilder().default_shape_cfg) == repr(cfg)
    assert carom.ModelBuilder.ShapeConfig is carom.ShapeConfig
    assert carom.JointDofConfig().axis == (1, 0, 0)
    assert carom.ModelBuilder().rigid_contact_margin == 0.005


def test_unknown_names_are_refused(carom, builder):
    """A misspelled attribute or argument is an error, not a new attribute."""
    with pytest.raises(AttributeError):
        builder.rigid_contact_margn = 1
    with pytest.raises(AttributeError):
        builder.default_shape_cfg.friction = 1
    with pytest.raises(TypeError):
        carom.ShapeConfig(friction=1)
    with pytest.raises(TypeError):
        builder.add_body(label="a")


def test_default_shape_cfg_is_used_and_can_be_changed_in_place(carom):
    """What is set on the builder's default reaches shapes added afterwards; a copy does not follow."""
    builder = carom.ModelBuilder()
    before = builder.default_shape_cfg.copy()
    builder.default_shape_cfg.mu = 0.25
    builder.add_shape_box()
    builder.add_shape_box(cfg=before)
    assert builder.shape_material_mu.numpy().tolist() == [0.25, 1]


def test_a_pose_is_seven_numbers_or_a_transform(carom):
    """All ways to write a pose give the same body."""
    q = carom.quat_from_axis_angle((0, 0, 1), 0.5)
    X = carom.Transform((1, 2, 3), q)
    builder = carom.ModelBuilder()
    for xform in (X, list(X), np.array(X), (1, 2, 3, *q)):
        builder.add_body(xform=xform)
    poses = builder.body_q.numpy()
    assert (poses == poses[0]).all()
    assert poses[0] == pytest.approx(list(X), rel=1e-6)
    with pytest.raises(carom.Error, match="xform"):
        builder.add_body(xform=(1, 2, 3))
    with pytest.raises(carom.Error, match="xform"):
        builder.add_body(xform="here")
    assert builder.body_count == 4


def test_transform_is_a_sequence(carom):
    """A Transform multiplies, compares and reads as seven numbers."""
    X = carom.Transform(p=(1, 0, 0), q=(0, 0, 1, 0))
    assert len(X) == 7
    assert X[0] == 1
    assert X[-1] == 0
    assert X.p == (1, 0, 0)
    assert X * carom.inverse(X) == carom.Transform()
    assert carom.transform_point(X, (1, 0, 0)) == (0, 0, 0)
    assert carom.transform_vector(X, (1, 0, 0)) == (-1, 0, 0)
    with pytest.raises(IndexError):
        X[7]


def test_bodies_take_all_their_arguments(carom):
    """Mass properties reach the arrays."""
    builder = carom.ModelBuilder()
    builder.add_link(
        xform=(0, 0, 1, 0, 0, 0, 1),
        com=(0.5, 0, 0),
        inertia=np.diag([1, 2, 2]),
        mass=2,
        key="link",
        lock_inertia=True,
        is_kinematic=True,
    )
    builder.add_shape_sphere(0)
    assert builder.body_mass[0] == 2
    assert builder.body_com[0].tolist() == [0.5, 0, 0]
    assert builder.body_inertia[0].tolist() == np.diag([1, 2, 2]).tolist()
    assert builder.body_key == ["link"]
    assert builder.body_flags[0] & carom.BodyFlag.KINEMATIC


def test_joint_numbers_come_from_the_arguments_or_the_default(carom):
    """Every number of a degree of freedom can be given by name; the rest is the builder's default."""
    names = [
        "target_pos",
        "target_vel",
        "target_ke",
        "target_kd",
        "limit_lower",
        "limit_upper",
        "limit_ke",
        "limit_kd",
        "damping",
        "armature",
        "effort_lower",
        "effort_upper",
        "velocity_limit",
        "friction",
    ]
    values = {name: 0.5 + i for i, name in enumerate(names)}
    for add in ("add_joint_revolute", "add_joint_prismatic"):
        builder = carom.ModelBuilder()
        builder.default_joint_cfg.armature = 0.75
        first, second = builder.add_link(mass=1), builder.add_link(mass=1)
        getattr(builder, add)(parent=-1, child=first, axis=(0, 0, 2), **values)
        getattr(builder, add)(-1, second)
        for name in names:
            assert getattr(builder, f"joint_{name}")[0] == values[name]
        assert builder.joint_axis.numpy().tolist() == [[0, 0, 1], [1, 0, 0]]
        assert builder.joint_armature[1] == 0.75


def test_every_joint_has_its_numbers_of_freedom(carom):
    """Each joint method gives the type and the degrees of freedom of its name."""
    builder = carom.ModelBuilder()
    dof = builder.JointDofConfig
    bodies = [builder.add_link(mass=1) for _ in range(8)]
    parent = [-1, *bodies]
    frames = {"parent_xform": (0, 0, 1, 0, 0, 0, 1), "child_xform": (0, 0, -1, 0, 0, 0, 1)}
    builder.add_joint_free(bodies[0], parent=-1, key="root", **frames)
    builder.add_joint_fixed(parent[1], bodies[1], **frames)
    builder.add_joint_ball(parent[2], bodies[2], damping=1, **frames)
    builder.add_joint_distance(parent[3], bodies[3], min_distance=0.5, max_distance=2, **frames)
    builder.add_joint_d6(parent[4], bodies[4], linear_axes=[dof(axis=(0, 0, 1))], angular_axes=[dof()], **frames)
    builder.add_joint_universal(parent[5], bodies[5], dof(), dof(axis=(0, 1, 0)), **frames)
    builder.add_joint_revolute(parent[6], bodies[6], enabled=False, **frames)
    builder.add_joint_prismatic(parent[7], bodies[7], **frames)
    builder.add_articulation(range(8), key="all")
    model = builder.finalize()
    types = carom.JointType
    assert model.joint_type.numpy().tolist() == [
        types.FREE,
        types.FIXED,
        types.BALL,
        types.DISTANCE,
        types.D6,
        types.D6,
        types.REVOLUTE,
        types.PRISMATIC,
    ]
    assert np.diff(model.joint_qd_start.numpy()).tolist() == [6, 0, 3, 6, 2, 2, 1, 1]
    assert model.joint_enabled.numpy().tolist() == [1, 1, 1, 1, 1, 1, 0, 1]
    assert model.find_articulation("all") == 0


def test_every_shape(carom):
    """Each shape method gives the type of its name; body is the world when it is not given."""
    box = carom.make_box_mesh(1, 1, 1)
    field = carom.Heightfield(np.zeros((3, 4)), 3, 4, hx=2, hy=1)
    sdf = carom.SDF.from_mesh(box, spacing=0.5)
    builder = carom.ModelBuilder()
    builder.add_shape_plane(width=2, length=3)
    builder.add_shape_sphere(radius=2)
    builder.add_shape_ellipsoid(rx=1, ry=2, rz=3)
    builder.add_shape_box(hx=1, hy=2, hz=3)
    builder.add_shape_capsule(radius=1, half_height=2)
    builder.add_shape_cylinder(radius=1, half_height=2)
    builder.add_shape_cone(radius=1, half_height=2)
    builder.add_shape_convex_hull(mesh=box, scale=(1, 2, 3))
    builder.add_shape_heightfield(heightfield=field)
    builder.add_shape_sdf(sdf=sdf)
    builder.add_site(-1, xform=(0, 0, 1, 0, 0, 0, 1), key="eye")
    names = "PLANE SPHERE ELLIPSOID BOX CAPSULE CYLINDER CONE CONVEX_HULL HEIGHTFIELD SDF SPHERE".split()
    assert builder.shape_type.numpy().tolist() == [carom.ShapeType[name] for name in names]
    assert (builder.shape_body.numpy() == -1).all()
    assert builder.shape_scale[3].tolist() == [1, 2, 3]
    assert builder.shape_flags[10] & carom.ShapeFlag.IS_SITE
    assert builder.finalize().find_shape("eye") == 10


def test_filter_pairs(carom, builder):
    """Explicit pairs end up in the model."""
    builder.add_shape_collision_filter_pair(shape_a=0, shape_b=5)
    assert [0, 5] in builder.finalize().shape_collision_filter_pairs.numpy().tolist()


def test_equality_constraints(carom):
    """The four kinds keep their arguments; an anchor that is not given for body2 is where body1 has it."""
    builder = carom.ModelBuilder()
    a, b = builder.add_body(mass=1, xform=(0, 0, 5, 0, 0, 0, 1)), builder.add_body(mass=1)
    hinges = []
    for _ in range(2):
        hinges.append(builder.add_joint_revolute(-1, builder.add_link(mass=1)))
    builder.add_tendon_fixed([(hinges[0], 1)])
    numbers = {"solref": (4, 5), "solimp": (6, 7, 8, 9, 10)}
    builder.add_equality_constraint_connect(body1=a, body2=b, anchor=(1, 2, 3))
    builder.add_equality_constraint_connect(body1=a, body2=b, anchor2=(4, 5, 6), **numbers)
    pose = (1, 0, 0, 0, 0, 0, 1)
    builder.add_equality_constraint_weld(body1=a, body2=b, relpose=pose, torquescale=2, axes=(1, 0, 0, 0))
    builder.add_equality_constraint_joint(joint1=hinges[0], joint2=hinges[1], polycoef=(0, 2, 0, 0, 0), enabled=False)
    builder.add_equality_constraint_tendon(0, -1, (3, 0, 0, 0, 0))
    model = builder.finalize()
    kinds = carom.EqualityType
    expected = [kinds.CONNECT, kinds.CONNECT, kinds.WELD, kinds.JOINT, kinds.TENDON]
    assert model.equality_constraint_type.numpy().tolist() == expected
    assert model.equality_constraint_anchor[0].tolist() == [1, 2, 3]
    assert model.equality_constraint_anchor2.numpy()[:2].tolist() == [[1, 2, 8], [4, 5, 6]]
    assert model.equality_constraint_solref[1].tolist() == [4, 5]
    assert model.equality_constraint_solimp[1].tolist() == [6, 7, 8, 9, 10]
    assert model.equality_constraint_torquescale[2] == 2
    assert model.equality_constraint_axes[2].tolist() == [1, 0, 0, 0]
    assert model.equality_constraint_polycoef[3].tolist() == [0, 2, 0, 0, 0]
    assert model.equality_constraint_enabled.numpy().tolist() == [1, 1, 1, 0, 1]
    assert (model.equality_constraint_tendon1[4], model.equality_constraint_tendon2[4]) == (0, -1)


def test_what_constraints_fix_to_the_world_is_placed_with_a_copy(carom):
    """A box that is tied to the world, in a world of its own at another place: anchors and poses move along."""
    builder, scene = carom.ModelBuilder(), carom.ModelBuilder()
    body = builder.add_body(mass=1, xform=(0, 0, 1, 0, 0, 0, 1))
    builder.add_equality_constraint_connect(body, -1, anchor=(1, 0, 0))
    builder.add_equality_constraint_connect(-1, body, anchor=(1, 0, 0))
    builder.add_equality_constraint_weld(-1, body, relpose=(0, 0, 1, 0, 0, 0, 1))
    builder.add_equality_constraint_weld(body, -1, anchor=(0, 0, 2), relpose=(0, 0, -1, 0, 0, 0, 1))
    half = np.sqrt(0.5)
    scene.add_world(builder, xform=(10, 20, 30, 0, 0, half, half))  # x becomes y
    model = scene.finalize()
    anchor, anchor2 = model.equality_constraint_anchor.numpy(), model.equality_constraint_anchor2.numpy()
    assert anchor2[0] == pytest.approx([10, 21, 31], abs=1e-5) and anchor[0] == pytest.approx([1, 0, 0])
    assert anchor[1] == pytest.approx([10, 21, 30], abs=1e-5)
    relpose = model.equality_constraint_relpose.numpy()
    assert relpose[2] == pytest.approx([10, 20, 31, 0, 0, half, half], abs=1e-5)
    assert anchor[3] == pytest.approx([10, 20, 32], abs=1e-5)
    assert model.equality_constraint_axes[3] == pytest.approx([0, 0, half, half], abs=1e-5)
    # where it holds the world in the body is where the body is
    if not np.allclose(relpose[3][3:], [0, 0, -half, half], atol=1e-5):
        assert relpose[3][3:] == pytest.approx([0, 0, half, -half], abs=1e-5)


def test_particles(carom):
    """Particles and what is made of them take flat numbers."""
    builder = carom.ModelBuilder()
    for pos in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        builder.add_particle(pos, vel=(0, 0, 1), mass=0.5)
    builder.add_spring(0, 1, ke=7)
    builder.add_triangle(0, 1, 2, tri_ke=5)
    builder.add_edge(2, 3, 0, 1, edge_ke=6)
    builder.add_tetrahedron(0, 1, 2, 3, k_mu=9)
    model = builder.finalize()
    assert model.particle_radius[0] == pytest.approx(builder.default_particle_radius)
    assert model.spring_stiffness[0] == 7
    assert model.tri_materials[0].tolist() == [5, 100, 10, 0, 0]
    assert model.edge_bending_properties[0].tolist() == [6, 0]
    assert model.tet_materials[0].tolist() == [9, 1000, 0]


def test_grids(carom):
    """A sheet and a block have the particles of their cells; fixed sides have no mass."""
    builder = carom.ModelBuilder()
    builder.add_cloth_grid(
        pos=(0, 0, 1), rot=(0, 0, 0, 1), dim_x=2, dim_y=3, cell_x=0.5, cell_y=0.5, mass=0.25, fix_left=True, tri_ke=5
    )
    assert builder.particle_count == 12
    assert builder.tri_count == 12
    assert (builder.particle_mass.numpy() == 0).sum() == 4
    assert builder.tri_materials[0, 0] == 5
    builder.add_soft_grid(dim_x=1, dim_y=1, dim_z=1, cell_x=1, cell_y=1, cell_z=1, density=10, k_mu=50)
    assert builder.particle_count == 20
    assert builder.tet_count == 5
    assert builder.tet_materials[0, 0] == 50


def test_geometry_is_shown_without_copies(carom, real):
    """Meshes and fields show their numbers as read-only views, and check what they are given."""
    mesh = carom.Mesh(np.eye(3), [[0, 1, 2]])
    assert mesh.vertices.dtype == real
    assert mesh.vertices.tolist() == np.eye(3).tolist()
    assert mesh.indices.tolist() == [0, 1, 2]
    assert mesh.triangle_count == 1
    assert not mesh.vertices.flags.writeable
    with pytest.raises(carom.Error):
        carom.Mesh(np.eye(3), [0, 1, 3])
    with pytest.raises(carom.Error, match="vertices"):
        carom.Mesh(np.zeros((3, 2)), [0, 1, 2])
    with pytest.raises(carom.Error, match="indices"):
        carom.Mesh(np.eye(3), [0.0, 1.0, 2.0])
    assert carom.mesh_volume(carom.make_box_mesh(1, 1, 1)) == pytest.approx(8)
    assert carom.mesh_is_closed(carom.convex_hull(carom.make_sphere_mesh(1, 1)))


def test_heightfield(carom):
    """Data are stretched to the range that is given."""
    data = np.arange(12).reshape(3, 4)
    field = carom.Heightfield(data, 3, 4, hx=2, hy=1, min_z=0, max_z=5.5)
    assert field.data.tolist() == (data * 0.5).tolist()
    assert (field.nrow, field.ncol, field.hx, field.hy, field.min_z, field.max_z) == (3, 4, 2, 1, 0, 5.5)
    assert carom.Heightfield(data, 3, 4, hx=2, hy=1).max_z == 11
    with pytest.raises(carom.Error):
        carom.Heightfield(data, 4, 4, hx=2, hy=1)


def test_sdf(carom):
    """values[i, j, k] is the node at origin + spacing (i, j, k)."""
    x, y, z = np.meshgrid(np.arange(3), np.arange(4), np.arange(5), indexing="ij")
    values = x + 10.0 * y + 100.0 * z
    sdf = carom.SDF(values, origin=(1, 0, 0), spacing=0.5)
    assert sdf.values.tolist() == values.tolist()
    assert sdf.origin == (1, 0, 0)
    assert carom.sdf_distance(sdf, (1.5, 0.5, 0.5)) == pytest.approx(111)
    ball = carom.SDF.from_mesh(carom.make_sphere_mesh(1, 3), spacing=0.25)
    assert carom.sdf_distance(ball, (0, 0, 0)) == pytest.approx(-1, abs=0.05)


def test_initial_coordinates_can_be_set(carom):
    """set_joint_q() changes the coordinates of one joint, in every copy; quaternions are normalised."""
    world = carom.ModelBuilder()
    links = [world.add_link(mass=1, inertia=np.eye(3)) for _ in range(3)]
    world.add_joint_free(links[0])
    world.add_joint_ball(links[0], links[1])
    world.add_joint_revolute(links[1], links[2])
    world.set_joint_q(2, [0.5])
    world.set_joint_q(1, (0, 0, 0.6, 0.8001))
    builder = carom.ModelBuilder()
    builder.replicate(world, 2)
    joint_q = builder.finalize().state().joint_q.numpy().reshape(2, -1)
    assert joint_q == pytest.approx(np.tile([0, 0, 0, 0, 0, 0, 1, 0, 0, 0.6, 0.8, 0.5], (2, 1)), abs=1e-4)
    assert np.linalg.norm(joint_q[:, 7:11], axis=1) == pytest.approx([1, 1], abs=1e-6)
    with pytest.raises(carom.Error, match="q"):
        world.set_joint_q(2, "half")


def test_worlds_are_copied_and_placed(carom):
    """replicate() and add_world() place copies; prefixes and keys name them."""
    robot = carom.ModelBuilder()
    robot.add_body(mass=1, key="base")
    builder = carom.ModelBuilder()
    builder.replicate(robot, 4, spacing=(2, 0, 0))
    assert builder.world_count == 4
    assert len(np.unique(builder.body_q[:, 0])) == 4
    world = builder.add_world(robot, xform=(0, 0, 5, 0, 0, 0, 1), key_prefix="big_", key="last")
    assert world == 4
    assert builder.current_world == -1
    model = builder.finalize()
    assert model.find_body("big_base") == 4
    assert model.find_world("last") == 4
    assert model.body_q[4, 2] == 5


def test_add_builder_adds_to_the_open_world(carom):
    """add_builder() copies into the current world, or global outside of one."""
    part = carom.ModelBuilder()
    part.add_body(mass=1)
    builder = carom.ModelBuilder()
    builder.begin_world()
    assert builder.current_world == 0
    builder.add_builder(part, xform=carom.Transform((1, 0, 0)))
    builder.end_world()
    assert builder.body_world.numpy().tolist() == [0]
    assert builder.body_q[0, 0] == 1
