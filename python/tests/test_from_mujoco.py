"""from_mujoco: what MuJoCo compiled arrives in the builder and moves as it does in MuJoCo."""

import numpy as np
import pytest

import carom as single
import carom.f64 as double
from carom import _rotation

from mujoco_states import GEOM, MODELS, compile_xml, load_model, mujoco

STATES = 50


HINGE = f'<body name="b"><joint name="j"/>{GEOM}</body>'

# name: (bodies, joints of carom, massless links)
TREES = {
    "fixed bodies": (
        f'<body name="a" pos="1 2 3" euler="10 20 30">{GEOM}<body name="b" pos=".1 .2 .3" euler="40 0 9">{GEOM}'
        f'<body name="c" pos="0 0 1"><joint name="j" axis="0 1 1" pos=".1 .2 .3"/>{GEOM}</body></body></body>',
        ["", "", "j"],
        [],
    ),
    "rotated bodies": (
        f'<body name="a" pos="1 2 3" euler="10 20 30"><joint name="x" type="slide" axis="1 1 0" pos=".3 0 0"/>{GEOM}'
        f'<body name="b" pos="0 .5 0" euler="-50 7 80"><joint name="y" axis="1 2 3" pos="0 .1 .2"/>'
        f'{GEOM}</body></body>',
        ["x", "y"],
        [],
    ),
    "three hinges with one anchor": (
        f'<body name="a" euler="0 30 0"><joint name="x" axis="1 0 0" pos="0 .1 .2"/>'
        f'<joint name="z" axis="0 0 1" pos="0 .1 .2"/><joint name="y" axis="0 1 0" pos="0 .1 .2"/>{GEOM}</body>',
        ["x+z+y"],
        [],
    ),
    "left-handed axes": (
        f'<body name="a"><joint name="x" axis="-1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>'
        f"{GEOM}</body>",
        ["x+y+z"],
        [],
    ),
    "different anchors": (
        f'<body name="a" pos="1 0 0" euler="0 30 5"><joint name="y" axis="0 1 0" pos="0 0 .08"/>'
        f'<joint name="x" axis="1 0 0" pos="0 0 .04"/>{GEOM}</body>',
        ["y", "x"],
        ["a/y"],
    ),
    "axes that are not perpendicular": (
        f'<body name="a"><joint name="y" axis="0 1 0"/><joint name="x" axis="1 .5 0"/>{GEOM}</body>',
        ["y", "x"],
        ["a/y"],
    ),
    "slides and a hinge": (
        f'<body name="a" pos="0 0 1" euler="0 20 0"><joint name="x" type="slide" axis="1 0 0"/>'
        f'<joint name="z" type="slide" axis="0 0 1" pos="3 3 3"/><joint name="y" axis="0 1 0" pos=".1 .2 .3"/>'
        f'{GEOM}</body>',
        ["x+z+y"],
        [],
    ),
    "slide after hinge": (
        f'<body name="a" euler="0 20 0"><joint name="y" axis="0 1 0" pos="0 0 .3"/>'
        f'<joint name="x" type="slide" axis="1 0 0"/><joint name="z" axis="0 0 1" pos=".1 0 0"/>{GEOM}</body>',
        ["y", "x+z"],
        ["a/y"],
    ),
    "four slides": (
        f'<body name="a"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>'
        f'<joint name="z" type="slide" axis="0 0 1"/><joint name="w" type="slide" axis="1 1 0"/>{GEOM}</body>',
        ["x+y+z", "w"],
        ["a/x"],
    ),
    "references": (
        f'<body name="a" pos="0 0 1" euler="0 0 40"><joint name="x" type="slide" axis="1 0 1" ref=".3"/>{GEOM}'
        f'<body name="b" pos="0 1 0" euler="5 6 7"><joint name="h" axis="0 2 1" pos=".1 .2 .3" ref="35"/>'
        f'{GEOM}</body></body>',
        ["x", "h"],
        [],
    ),
    "references in one joint": (
        f'<body name="a" pos="0 0 1" euler="0 0 40"><joint name="x" type="slide" axis="1 0 0" ref=".3"/>'
        f'<joint name="z" type="slide" axis="0 0 1" ref="1.25"/><joint name="u" axis="1 0 0" pos="0 .1 0" ref="20"/>'
        f'<joint name="v" axis="0 1 0" pos="0 .1 0" ref="-50"/>{GEOM}</body>',
        ["x+z+u+v"],
        [],
    ),
    "a reference that makes axes oblique": (
        f'<body name="a"><joint name="x" axis="1 0 0" pos="0 .1 0" ref="20"/>'
        f'<joint name="y" axis="0 1 0" pos="0 .1 0" ref="30"/><joint name="z" axis="0 0 1" pos="0 .1 0" ref="40"/>'
        f'{GEOM}</body>',
        ["x+y", "z"],
        ["a/x"],
    ),
    "ball joints": (
        f'<body name="a" pos="0 0 1" euler="10 20 30"><joint name="p" type="ball" pos=".1 .2 .3"/>{GEOM}'
        f'<body name="b" pos="0 1 0" euler="5 6 7"><joint name="s" type="slide" axis="1 2 3"/>'
        f'<joint name="q" type="ball" pos="0 .1 0"/><joint name="t" type="slide" axis="0 1 0"/>{GEOM}</body></body>',
        ["p", "s", "q", "t"],
        ["b/s", "b/q"],
    ),
    "free bodies": (
        '<body name="a" pos="0 0 1" euler="10 20 30"><freejoint name="f"/><geom size=".1" pos=".2 .3 .4" mass="2"/>'
        f'<body name="b" pos="0 1 0"><joint name="h" axis="0 1 0"/>{GEOM}</body></body>'
        '<body name="c" pos="3 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos="0 0 .5" euler="10 20 30"/>'
        '</body>',
        ["f", "h", ""],
        [],
    ),
}


def random_states(model, count=STATES, seed=0):
    """Coordinates and velocities without regard to limits and contacts."""
    rng = np.random.default_rng(seed)
    qpos, qvel = rng.normal(size=(count, model.nq)), rng.normal(size=(count, model.nv))
    for row in qpos:
        mujoco.mj_normalizeQuat(model, row)
    return qpos, qvel


def worlds_of(carom, model, count=STATES):
    """A Model with this many worlds of a MuJoCo model."""
    world, scene = carom.from_mujoco(model), carom.ModelBuilder()
    scene.gravity = world.gravity
    scene.replicate(world, count)
    return scene.finalize()


def state_at(carom, model, worlds, qpos, qvel):
    """The worlds' State with poses and twists for these coordinates."""
    state = worlds.state()
    state.joint_q.numpy()[:] = carom.mujoco.qpos_to_joint_q(model, qpos).ravel()
    state.joint_qd.numpy()[:] = carom.mujoco.qvel_to_joint_qd(model, qpos, qvel).ravel()
    carom.eval_fk(worlds, state.joint_q, state.joint_qd, state)
    return state


def check_motion(model):
    """Poses and twists of all bodies in random states, and the kinetic energy, are those of MuJoCo."""
    qpos, qvel = random_states(model)
    worlds = worlds_of(double, model)
    state = state_at(double, model, worlds, qpos, qvel)
    X = state.body_q.numpy().reshape(STATES, -1, 7)
    V = state.body_qd.numpy().reshape(STATES, -1, 6)
    mass = worlds.body_mass.numpy().reshape(STATES, -1)
    inertia = worlds.body_inertia.numpy().reshape(STATES, -1, 3, 3)
    data, twist, M = mujoco.MjData(model), np.zeros(6), np.zeros((model.nv, model.nv))
    for world in range(STATES):
        data.qpos[:], data.qvel[:] = qpos[world], qvel[world]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        assert X[world, : model.nbody - 1, :3] == pytest.approx(data.xpos[1:], abs=1e-9)
        energy = 0.0
        for body in range(X.shape[1]):
            R = rotation(X[world, body, 3:])
            v, w = V[world, body, :3], R.T @ V[world, body, 3:]
            energy += mass[world, body] * v @ v / 2 + w @ inertia[world, body] @ w / 2
            if body < model.nbody - 1:
                assert R == pytest.approx(data.xmat[body + 1].reshape(3, 3), abs=1e-9)
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body + 1, twist, 0)
                assert V[world, body] == pytest.approx(np.roll(twist, 3), abs=1e-9)
        mujoco.mj_fullM(model, data, M)
        assert energy == pytest.approx(qvel[world] @ (M - np.diag(model.dof_armature)) @ qvel[world] / 2, rel=1e-9)


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion[[3, 0, 1, 2]])
    return matrix.reshape(3, 3)


# -- Bodies and joints


@pytest.mark.parametrize("name", TREES)
def test_trees_move_as_in_mujoco(name):
    """Every way to put joints on a body, in random states."""
    check_motion(compile_xml(TREES[name][0]))


@pytest.mark.parametrize("name", TREES)
def test_joints_of_trees(carom, name):
    """Which MuJoCo joints become one joint, which need links in between, and what these are called."""
    xml, joints, links = TREES[name]
    model = compile_xml(xml)
    builder = carom.from_mujoco(model)
    assert builder.joint_key == joints
    assert builder.body_key[model.nbody - 1 :] == links
    assert builder.body_key[: model.nbody - 1] == [model.body(b).name for b in range(1, model.nbody)]
    assert builder.body_mass.numpy()[model.nbody - 1 :].tolist() == [0] * len(links)


@pytest.mark.parametrize("name", MODELS)
def test_models_move_as_in_mujoco(name):
    """Random states of the humanoid and of Gymnasium's models."""
    check_motion(load_model(name))


@pytest.mark.parametrize("name", MODELS)
def test_models_arrive_as_a_whole(carom, name):
    """As many of everything as MuJoCo has, under the same names."""
    model = load_model(name)
    builder = carom.from_mujoco(model)
    assert builder.world_count == 0
    assert builder.joint_coord_count == model.nq and builder.joint_dof_count == model.nv
    assert builder.body_count >= model.nbody - 1 and builder.joint_count == builder.body_count
    assert builder.shape_count == model.ngeom
    assert builder.tendon_count == model.ntendon and builder.actuator_count == model.nactuator
    assert builder.articulation_count == np.count_nonzero(model.body_parentid[1:] == 0)
    assert builder.shape_key == [model.geom(i).name for i in range(model.ngeom)]
    assert builder.tendon_key == [model.tendon(i).name for i in range(model.ntendon)]
    assert builder.actuator_key == [model.actuator(i).name for i in range(model.nactuator)]
    assert builder.gravity == pytest.approx(model.opt.gravity)
    scene = carom.ModelBuilder()
    scene.replicate(builder, 3)
    assert scene.finalize().joint_coord_count == 3 * model.nq


@pytest.mark.parametrize("name", MODELS)
def test_worlds_begin_at_qpos0(carom, real, name):
    """Initial coordinates are qpos0, and initial poses those that they give."""
    model = load_model(name)
    converted = carom.from_mujoco(model).finalize()
    state = converted.state()
    initial = carom.mujoco.joint_q_to_qpos(model, state.joint_q.numpy())
    assert initial == pytest.approx(model.qpos0, abs=1e-6)
    poses = state.body_q.numpy().copy()
    carom.eval_fk(converted, state.joint_q, state.joint_qd, state)
    assert poses == pytest.approx(state.body_q.numpy(), abs=1e-5 if real == np.float32 else 1e-12)


@pytest.mark.parametrize("name", ["ball joints", "references in one joint", "slide after hinge"])
def test_qpos0_may_be_changed_after_compiling(name):
    """qpos0 is read as it is: motion and initial coordinates follow it."""
    model = compile_xml(TREES[name][0])
    model.qpos0[:] = random_states(model, count=1)[0][0]
    check_motion(model)
    state = double.from_mujoco(model).finalize().state()
    assert double.mujoco.joint_q_to_qpos(model, state.joint_q.numpy()) == pytest.approx(model.qpos0, abs=1e-12)


def test_a_body_is_called_body_even_when_a_link_has_its_name(carom):
    """A body that has the name of a link between two runs keeps it; the link goes without."""
    model = compile_xml(
        f'<body name="a"><joint name="y"/><joint name="x" type="slide"/>{GEOM}<body name="a/y">{GEOM}</body></body>'
    )
    assert carom.from_mujoco(model).body_key == ["a", "a/y", ""]


# -- Shapes


@pytest.mark.parametrize("name", MODELS)
def test_shapes_are_where_geoms_are(name):
    """Poses in random states and sizes."""
    model = load_model(name)
    qpos, qvel = random_states(model, count=3)
    worlds = worlds_of(double, model, count=3)
    state = state_at(double, model, worlds, qpos, qvel)
    X_WB = state.body_q.numpy().reshape(3, -1, 7)
    data = mujoco.MjData(model)
    part = worlds.world(0)
    assert part.shape_body.numpy().tolist() == (model.geom_bodyid - 1).tolist()
    for world in range(3):
        data.qpos[:] = qpos[world]
        mujoco.mj_kinematics(model, data)
        for geom in range(model.ngeom):
            X_BS, body = part.shape_transform[geom], model.geom_bodyid[geom] - 1
            R, p = (np.eye(3), np.zeros(3)) if body < 0 else (rotation(X_WB[world, body, 3:]), X_WB[world, body, :3])
            assert p + R @ X_BS[:3] == pytest.approx(data.geom_xpos[geom], abs=1e-9)
            assert R @ rotation(X_BS[3:]) == pytest.approx(data.geom_xmat[geom].reshape(3, 3), abs=1e-9)
    used = {"SPHERE": 1, "CAPSULE": 2, "CYLINDER": 2, "BOX": 3, "PLANE": 0}
    for geom in range(model.ngeom):
        kind = double.ShapeType(int(part.shape_type[geom])).name
        assert "mjGEOM_" + kind == mujoco.mjtGeom(int(model.geom_type[geom])).name
        count = used[kind]
        assert part.shape_scale[geom, :count] == pytest.approx(model.geom_size[geom, :count], abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_materials_arrive(carom, name):
    """Friction, margins, contact dimensions and solver numbers of every shape; no thickness, no mass."""
    model = load_model(name)
    builder = carom.from_mujoco(model)
    for column, value in {
        "material_mu": model.geom_friction[:, 0],
        "material_torsional_friction": model.geom_friction[:, 1],
        "material_rolling_friction": model.geom_friction[:, 2],
        "contact_margin": model.geom_margin + model.geom_gap,
        "gap": model.geom_gap,
        "contype": model.geom_contype,
        "conaffinity": model.geom_conaffinity,
        "condim": model.geom_condim,
        "priority": model.geom_priority,
        "solmix": model.geom_solmix,
        "solref": model.geom_solref,
        "solimp": model.geom_solimp,
        "thickness": np.zeros(model.ngeom),
        "collision_group": np.ones(model.ngeom),
    }.items():
        assert getattr(builder, "shape_" + column).numpy() == pytest.approx(value, rel=1e-6), column
    assert builder.body_mass.numpy()[: model.nbody - 1] == pytest.approx(model.body_mass[1:], rel=1e-6)


def test_gap_is_part_of_the_contact_margin(carom):
    """MuJoCo's margin and gap stand beside each other; carom's contact_margin holds both."""
    model = compile_xml('<body><freejoint/><geom size="1" margin=".03" gap=".02"/></body>')
    builder = carom.from_mujoco(model)
    assert builder.shape_contact_margin.numpy() == pytest.approx([0.05])
    assert builder.shape_gap.numpy() == pytest.approx([0.02])


def test_finite_planes_are_infinite_and_visual_geoms_touch_nothing(carom):
    """What MuJoCo draws as a rectangle it collides as a half space; a geom without bits is only seen."""
    model = compile_xml(
        '<geom type="plane" size="2 3 .1"/><body><freejoint/><geom size="1"/>'
        '<geom type="ellipsoid" size="1 2 3" contype="0" conaffinity="0"/></body>'
    )
    builder = carom.from_mujoco(model)
    assert builder.shape_scale[0, :2].tolist() == [0, 0]
    assert builder.shape_scale[2].tolist() == [1, 2, 3]
    collides = builder.shape_flags.numpy() & 2 != 0
    assert collides.tolist() == [True, True, False]


MESH = "0 0 0  1 0 0  0 1 0  0 0 1  .1 .1 .1"


def test_meshes_arrive(carom):
    """A colliding mesh is the convex hull that MuJoCo made, a visual one the mesh itself; both in the same place."""
    model = compile_xml(
        '<body><freejoint/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body>',
        asset=f'<mesh name="m" vertex="{MESH}" face="0 2 1  0 1 3  0 3 2  1 4 3  1 2 4  2 3 4"/>',
    )
    builder = carom.from_mujoco(model)
    kinds = [carom.ShapeType(int(kind)).name for kind in builder.shape_type.numpy()]
    assert kinds == ["CONVEX_HULL", "MESH"]
    frozen = builder.finalize()
    hull, mesh = (frozen.shape_sources[int(source)] for source in frozen.shape_source.numpy())
    assert len(mesh.vertices) == 5 and len(hull.vertices) == 4
    corners = np.array(MESH.split(), float).reshape(-1, 3)
    for shape, source, expected in ((0, hull, corners[:4]), (1, mesh, corners)):
        X_BS = frozen.shape_transform[shape].astype(float)
        points = X_BS[:3] + source.vertices @ rotation(X_BS[3:]).T
        assert sorted(map(tuple, points.round(5) + 0.0)) == sorted(map(tuple, expected))


def test_heightfields_arrive(carom):
    """Heights, extents and the pose of a heightfield on a body that is welded to the world."""
    model = compile_xml(
        '<body pos="1 2 3" euler="0 0 90"><body pos="1 0 0"><geom type="hfield" hfield="h" pos="0 0 1"/></body></body>',
        asset='<hfield name="h" nrow="2" ncol="3" size="4 5 .6 .1" elevation="0 .5 1  1 .5 0"/>',
    )
    frozen = carom.from_mujoco(model).finalize()
    field = frozen.shape_sources[int(frozen.shape_source[0])]
    assert (field.hx, field.hy) == (4, 5)
    assert field.data == pytest.approx(0.6 * model.hfield_data.reshape(2, 3))
    assert frozen.shape_body[0] == -1
    assert frozen.shape_transform[0] == pytest.approx([1, 3, 4, 0, 0, 0.5**0.5, 0.5**0.5], abs=1e-6)


# -- Which shapes can touch


def pairs_of_carom(frozen):
    """Pairs of shapes that flags, masks and filter pairs leave."""
    flags, contype, conaffinity = (
        getattr(frozen, name).numpy() for name in ("shape_flags", "shape_contype", "shape_conaffinity")
    )
    filtered = {tuple(pair) for pair in frozen.shape_collision_filter_pairs.numpy().tolist()}
    assert not (flags & 16).any()  # collision_filter_parent would filter once more
    return {
        (a, b)
        for a in range(len(flags))
        for b in range(a + 1, len(flags))
        if flags[a] & 2 and flags[b] & 2 and (contype[a] & conaffinity[b] or contype[b] & conaffinity[a])
        if (a, b) not in filtered
    }


def pairs_by_rule(model, filter_parent=True):
    """The same by MuJoCo's rules, from the tree of bodies alone: bodies without joints move as their parent does."""

    def mover(body):
        while body > 0 and model.body_jntnum[body] == 0:
            body = model.body_parentid[body]
        return int(body)

    def related(a, b):
        return 0 not in (a, b) and (mover(model.body_parentid[a]) == b or mover(model.body_parentid[b]) == a)

    excluded = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in model.exclude_signature}
    result = set()
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            bodies = [int(model.geom_bodyid[geom]) for geom in (a, b)]
            movers = [mover(body) for body in bodies]
            bits = [model.geom_contype[i] & model.geom_conaffinity[j] for i, j in ((a, b), (b, a))]
            if not any(bits) or movers[0] == movers[1] or tuple(sorted(bodies)) in excluded:
                continue
            if not (filter_parent and related(*movers)):
                result.add((a, b))
    return result


def pairs_that_touch(model):
    """Pairs between which MuJoCo itself makes contacts when every geom reaches far."""
    model.geom_gap[:] = 1000
    model.body_margin[:] = 1000
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    assert not any(warning.number for warning in data.warning)
    return {tuple(sorted(contact.geom.tolist())) for contact in data.contact}


FILTERED = {
    "masks": '<geom size="1" contype="2" conaffinity="0"/>'
    '<body><freejoint/><geom size="1" contype="1" conaffinity="2"/>'
    '<geom size="2" contype="4" conaffinity="4"/></body><body><freejoint/><geom size="1" contype="4" conaffinity="1"/>'
    '<geom size="1" contype="0" conaffinity="0"/></body>',
    "welds": f'<geom size="1"/><body>{GEOM}<body>{GEOM}<joint/>{GEOM}<body>{GEOM}<body><joint/>{GEOM}<body>{GEOM}'
    f"</body><body><joint/>{GEOM}</body></body></body></body></body><body><freejoint/>{GEOM}<body>{GEOM}</body></body>",
    "child of the world": f'<geom size="1"/><body><joint/>{GEOM}<body><joint/>{GEOM}'
    f"<body><joint/>{GEOM}</body></body></body>",
}
EXCLUDES = (
    f'<body name="a"><joint/>{GEOM}{GEOM}<body name="b">{GEOM}</body></body>'
    f'<body name="c"><freejoint/>{GEOM}</body>'
)


def filtered_model(name):
    if name == "excludes":
        return compile_xml(EXCLUDES, contact='<exclude body1="c" body2="a"/>')
    return compile_xml(FILTERED[name]) if name in FILTERED else load_model(name)


@pytest.mark.parametrize("name", [*FILTERED, "excludes", *MODELS])
def test_the_same_pairs_can_touch(carom, name):
    """Masks and filter pairs leave exactly the pairs that MuJoCo's rules leave, and those that touch in MuJoCo."""
    model = filtered_model(name)
    pairs = pairs_of_carom(carom.from_mujoco(model).finalize())
    assert pairs == pairs_by_rule(model)
    assert pairs == pairs_that_touch(model)


def test_parents_can_touch_when_their_filter_is_off(carom):
    """filterparent disabled: welded shapes are still filtered, parents no longer."""
    model = compile_xml(FILTERED["welds"])
    with_filter = pairs_of_carom(carom.from_mujoco(model).finalize())
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    pairs = pairs_of_carom(carom.from_mujoco(model).finalize())
    assert pairs == pairs_by_rule(model, filter_parent=False) == pairs_that_touch(model)
    assert pairs > with_filter


@pytest.mark.parametrize("name", ["welds", *MODELS])
def test_self_collisions_can_be_left_out(carom, name):
    """enable_self_collisions=False leaves the pairs of something that moves with something that does not."""
    model = filtered_model(name)
    moves = model.body_weldid[model.geom_bodyid] != 0
    pairs = pairs_of_carom(carom.from_mujoco(model, enable_self_collisions=False).finalize())
    assert pairs == {(a, b) for a, b in pairs_by_rule(model) if moves[a] != moves[b]}


def test_no_pair_is_filtered_twice(carom):
    """What the masks exclude has no filter pair."""
    model = compile_xml(FILTERED["masks"])
    assert carom.from_mujoco(model).finalize().shape_collision_filter_pairs.shape[0] == 0


# -- State exchange


def test_states_go_there_and_back():
    """Over any leading axes, with the coordinates of one state for many velocities too."""
    model = compile_xml(TREES["ball joints"][0] + TREES["free bodies"][0].replace('name="', 'name="f'))
    qpos, qvel = random_states(model, count=6)
    q, qd = single.mujoco.qpos_to_joint_q(model, qpos), single.mujoco.qvel_to_joint_qd(model, qpos, qvel)
    assert single.mujoco.joint_q_to_qpos(model, q) == pytest.approx(qpos, abs=1e-15)
    assert single.mujoco.joint_qd_to_qvel(model, q, qd) == pytest.approx(qvel, abs=1e-12)
    table = (2, 3, -1)
    assert (single.mujoco.qvel_to_joint_qd(model, qpos.reshape(table), qvel.reshape(table)) == qd.reshape(table)).all()
    assert (single.mujoco.qvel_to_joint_qd(model, qpos[2], qvel)[2] == qd[2]).all()
    assert (single.mujoco.qvel_to_joint_qd(model, qpos, qvel[2])[2] == qd[2]).all()
    assert (single.mujoco.qpos_to_joint_q(model, qpos[4]) == q[4]).all()


def test_states_of_the_wrong_size_are_refused():
    """The error names the argument and its length."""
    model = compile_xml(HINGE)
    with pytest.raises(single.Error, match="qpos: the last axis must have 1"):
        single.mujoco.qpos_to_joint_q(model, np.zeros(2))
    with pytest.raises(single.Error, match="qvel: the last axis must have 1"):
        single.mujoco.qvel_to_joint_qd(model, np.zeros(1), np.zeros((4, 2)))
    with pytest.raises(single.Error, match="joint_qd"):
        single.mujoco.joint_qd_to_qvel(model, np.zeros(1), 3.0)


def test_frames_are_where_mujoco_has_them():
    """A frame within 1e-6 of that of its body, or of the body's inertia, is taken for it."""
    near, turned = "3e-7", "1 3e-7 0 0"
    model = compile_xml(
        f"""<body pos="0 0 1"><freejoint/><inertial pos=".1 .2 .3" quat=".8 .6 0 0" mass="1" diaginertia="1 2 2.5"/>
        <geom name="of the body" size=".1" pos="{near} 0 0" quat="{turned}"/>
        <geom name="of the inertia" size=".1" pos=".1 .2 .3000003" quat=".8 .6 3e-7 0"/>
        <geom name="turned as the body" size=".1" pos=".5 0 0" quat="{turned}"/>
        <geom name="turned as the inertia" size=".1" pos=".5 0 0" quat=".8 .6 3e-7 0"/>
        <geom name="elsewhere" size=".1" pos=".5 0 0" quat=".6 .8 0 0"/></body>
        <body pos="3 0 0"><freejoint/><inertial pos="{near} 0 0" mass="1" diaginertia="1 2 2.5"/></body>"""
    )
    assert list(model.geom_sameframe) == [1, 2, 3, 4, 0] and model.body_sameframe[2] == 1
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, np.random.default_rng(1).uniform(-1, 1, model.nv), 1)
    mujoco.mj_kinematics(model, data)
    worlds = worlds_of(double, model, 1)
    state = state_at(double, model, worlds, data.qpos[None], data.qvel[None])
    body, own = (np.array(array.numpy()) for array in (state.body_q, worlds.shape_transform))
    for geom, X in enumerate(own):
        at = _rotation.compose(body[0], X)
        np.testing.assert_allclose(at[:3], data.geom_xpos[geom], atol=1e-14)
        np.testing.assert_allclose(_rotation.to_matrix(at[3:]).ravel(), data.geom_xmat[geom], atol=1e-14)
    np.testing.assert_allclose(worlds.body_com.numpy()[1], np.zeros(3), atol=0)
