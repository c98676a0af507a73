"""Model.to_mjcf(): MuJoCo reads back the same dynamics, and load_mjcf() the same model."""

import pathlib

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import CASES
from mujoco_states import find_model, mujoco
from test_mjcf_files import COMPLETE, PACKAGES, files_of
from test_mujoco_controllers import ACTUATORS, FULL, compile_scene

INEXPRESSIBLE = ["options"]  # import_mjcf() refuses it: friction that differs between the tangents
# What does not belong to the motion: how MuJoCo looks for the optimum.
HARDEST = 1e12  # of a constraint that nothing gives way to: rounding decides its force
SOLVER = {"solver": mujoco.mjtSolver.mjSOL_NEWTON, "iterations": 200, "tolerance": 0.0, "ls_iterations": 100}


def collides_by_mesh(m):
    of_mesh = np.isin(m.geom_type, (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD))
    paired = np.isin(np.arange(m.ngeom), np.concatenate([m.pair_geom1, m.pair_geom2]))
    return bool((of_mesh & ((m.geom_contype != 0) | (m.geom_conaffinity != 0) | paired)).any())


def forces(m, qpos, qvel, act, ctrl, mocap):
    data = mujoco.MjData(m)
    data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
    data.act[:] = act
    data.mocap_pos[:], data.mocap_quat[:] = mocap
    mujoco.mj_forward(m, data)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, data, M)
    return {
        "M": M, "qfrc_bias": data.qfrc_bias, "qfrc_passive": data.qfrc_passive, "qfrc_actuator": data.qfrc_actuator,
        "qfrc_smooth": data.qfrc_smooth, "qacc_smooth": data.qacc_smooth, "act_dot": data.act_dot,
        "qfrc_constraint": data.qfrc_constraint, "qacc": data.qacc, "hardest": np.max(data.efc_D, initial=0),
    }  # fmt: skip


def settings(m):
    for name, value in SOLVER.items():
        setattr(m.opt, name, value)
    return m


def touching(m, qpos, qvel):
    """The data of a state, and what touches in it: the points of each pair of geoms, and how deep the deepest is."""
    data = mujoco.MjData(m)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(m, data)
    points, depths = {}, {}
    for contact in data.contact:
        pair = tuple(sorted(contact.geom.tolist()))
        points.setdefault(pair, []).append(contact.pos.tolist())
        depths[pair] = max(depths.get(pair, -np.inf), -contact.dist)
    return data, {pair: np.array(sorted(found)) for pair, found in points.items()}, depths


# The vertices of a mesh are written as MuJoCo has them, in single precision, and its compiler centres and turns them
# once more: they come back by 1e-8 elsewhere. Where faces lie on each other, rounding of this size decides which points
# of them MuJoCo chooses. So the same geoms touch as deep, but forces are compared where the points are the same, too.
# What is below the base of a heightfield, of which carom's know nothing, touches it in one model alone: those have a
# test of their own.
DEPTH, SAME_POINT, SAME_FORCE = 1e-4, 1e-5, 1e-3  # [m], [m], of the largest force


def assert_same_contacts(m, written, states=10, reach=0.3, fields=False):
    """Around qpos0. Returns in how many states the points were the same, and something touched."""
    rng, same = np.random.default_rng(2), 0
    for _ in range(states):
        qpos, qvel = m.qpos0.copy(), rng.normal(size=m.nv)
        mujoco.mj_integratePos(m, qpos, qvel, reach)
        data, my_points, my_depths = touching(m, qpos, qvel)
        other, points, depths = touching(written, qpos, qvel)
        for pair in my_depths.keys() | depths.keys():
            if fields or mujoco.mjtGeom.mjGEOM_HFIELD not in m.geom_type[list(pair)]:
                assert abs(depths.get(pair, np.nan) - my_depths.get(pair, np.nan)) < DEPTH, pair
        if my_points.keys() != points.keys() or any(
            mine.shape != points[pair].shape or np.abs(mine - points[pair]).max() > SAME_POINT
            for pair, mine in my_points.items()
        ):
            continue
        same += data.ncon > 0
        for name in ("qfrc_constraint", "qacc"):
            expected, found = getattr(data, name), getattr(other, name)
            assert np.abs(found - expected).max(initial=0) < SAME_FORCE * max(np.abs(expected).max(initial=0), 1), name
    return same


def assert_same_dynamics(m, written, states=3, tolerance=1e-9):
    """In random states; where meshes or heightfields collide, without contacts, and those by themselves."""
    assert (m.nq, m.nv, m.nu, m.na, m.ntendon, m.neq) == (
        written.nq, written.nv, written.nu, written.na, written.ntendon, written.neq)  # fmt: skip
    for model in (m, written):
        settings(model)
    if collides_by_mesh(m):
        assert_same_contacts(m, written)
        for model in (m, written):
            model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    rng = np.random.default_rng(1)
    for _ in range(states):
        qpos, qvel = m.qpos0.copy(), rng.normal(size=m.nv)
        mujoco.mj_integratePos(m, qpos, qvel, 0.1)
        data = mujoco.MjData(m)
        state = (qpos, qvel, rng.uniform(0, 1, m.na), rng.normal(size=m.nu), (data.mocap_pos, data.mocap_quat))
        mine, others = forces(m, *state), forces(written, *state)
        for name, expected in mine.items():
            if mine["hardest"] > HARDEST and name in ("qfrc_constraint", "qacc"):
                continue
            scale = max(np.abs(expected).max(initial=0), 1)
            error = np.abs(others[name] - expected).max(initial=0) / scale
            assert error < tolerance, (name, error)


def columns(model):
    """The arrays of a model that numbers or structure are in; keys are compared as names."""
    found = {}
    for name in dir(model):
        if name.startswith("_") or name.endswith("key_id"):
            continue
        value = getattr(model, name)
        if hasattr(value, "numpy"):
            found[name] = value.numpy()
    return found


def assert_same_model(model, again):
    """Column by column; of meshes MuJoCo's compiler moves the frames, so theirs are left out here."""
    mine, others = columns(model), columns(again)
    assert mine.keys() == others.keys() and len(mine) > 200
    shapes = model.shape_type.numpy()
    by_frame = ~np.isin(shapes, (int(carom.ShapeType.MESH), int(carom.ShapeType.CONVEX_HULL)))
    skipped = ("body_inv_inertia", "joint_frames")
    for name, expected in mine.items():
        got = others[name]
        assert got.shape == expected.shape, name
        if name in skipped or expected.dtype.kind not in "if":
            continue
        if name in ("shape_transform", "shape_collision_radius", "shape_collision_aabb_lower",
                    "shape_collision_aabb_upper", "shape_source", "shape_scale", "shape_surface_velocity"):  # fmt: skip
            expected, got = expected[by_frame], got[by_frame]
        scale = np.maximum(np.abs(expected).max(initial=0), 1e-3)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * scale, err_msg=name)
    for name in ("body_key", "joint_key", "shape_key", "tendon_key", "actuator_key"):
        assert getattr(model, name) == getattr(again, name), name


def check_file(path):
    compile_it = mujoco.MjModel.from_xml_path if isinstance(path, pathlib.Path) else mujoco.MjModel.from_xml_string
    m, model = compile_it(str(path)), load(path)
    text = model.to_mjcf()
    assert_same_dynamics(m, mujoco.MjModel.from_xml_string(text))
    return model, text


def load(path_or_text):
    builder, scene = carom.ModelBuilder(), carom.ModelBuilder()
    builder.add_mjcf(path_or_text)
    scene.add_world(builder)
    return scene.finalize()


@pytest.mark.parametrize("name", COMPLETE)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files(name):
    """MuJoCo on what is written moves as on the file itself; and it is read back to the same model."""
    model, text = check_file(find_model(name))
    assert_same_model(model, load(text))


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files_of_packages(package):
    for path in files_of(package):
        model, text = check_file(path)
        assert_same_model(model, load(text))


@pytest.mark.parametrize("name", [name for name in CASES if name not in INEXPRESSIBLE])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_small_models(name):
    """One model for each rule of reading is written so that MuJoCo moves it alike."""
    model, text = check_file(CASES[name])
    assert_same_model(model, load(text))


def finalized(build):
    scene = carom.ModelBuilder()
    scene.begin_world()
    build(scene)
    scene.end_world()
    return scene.finalize()


def robot(b):
    """Frames that are turned at both ends of joints, two axes, a link without a name, limits, a tendon, a motor."""
    base = b.add_link(xform=(0, 0, 1, 0, 0, 0, 1), key="base")
    free = b.add_joint_free(base)
    b.add_shape_box(base, hx=0.3, hy=0.2, hz=0.1)
    arm = b.add_link(key="arm")
    b.add_shape_capsule(arm, radius=0.05, half_height=0.2, xform=(0, 0, 0.1, 0, 0.6, 0, 0.8))
    turned, other = (0.1, 0.2, 0.3, 0.6, 0, 0, 0.8), (0.05, 0, 0, 0, 0.8, 0, 0.6)
    elbow = b.add_joint_revolute(
        base, arm, axis=(0, 1, 0), limit_lower=-1, limit_upper=2, damping=0.1, armature=0.01,
        parent_xform=turned, child_xform=other, key="elbow")  # fmt: skip
    b.set_joint_q(elbow, [0.3])
    hand = b.add_link()
    b.add_shape_sphere(hand, radius=0.1)
    axis = carom.JointDofConfig
    wrist = b.add_joint_d6(
        arm, hand, linear_axes=[axis(axis=(1, 0, 0))], angular_axes=[axis(axis=(0, 1, 0)), axis(axis=(0, 0, 1))],
        parent_xform=other, child_xform=turned)  # fmt: skip
    b.set_joint_q(wrist, [0.1, 0.2, 0.4])
    b.add_articulation([free, elbow, wrist])
    b.add_tendon_fixed([(elbow, 2.0), (wrist, -1.0, 1)], stiffness=3.0)
    b.add_actuator(elbow, gear=2.0, ctrl_lower=-1, ctrl_upper=1, key="motor")


ORIENTATIONS = {
    "orientation": '<orientation joint="ball" kp="3" kv="1" forcerange="0 3"/>',
    "orientation by quaternions": '<orientation joint="ball" kp="3" kv="1" input="quat"/>',
    "orientation of a site": '<orientation site="turned" refsite="base" kp="3" kv="1" ctrlrange="-1 2"/>',
    "orientation that integrates": '<general joint="ball" gaintype="so3" biastype="so3" dyntype="integrator" '
    'gainprm="3" biasprm="0 -3 -1"/>',
    "ranges of a pid": '<pid joint="a" ctrlrange="-3 4" velrange="-1 2" ffrange="-5 6" input="pos vel ff"/>',
    "range of a motor": f'<dcmotor joint="a" {FULL} ctrlrange="-3 4" input="pos vel" controller="1 2 3"/>',
}


@pytest.mark.parametrize("name", [*ACTUATORS, *ORIENTATIONS])
def test_actuators_with_several_inputs(name):
    """Pid controllers, DC motors and orientations, through from_mujoco()."""
    m = compile_scene({**ACTUATORS, **ORIENTATIONS}[name])
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(m))
    assert_same_dynamics(m, mujoco.MjModel.from_xml_string(scene.finalize().to_mjcf()))


def assert_same_step(model):
    """MuJoCo begins with carom's poses, and comes to carom's next coordinates."""
    m = settings(mujoco.MjModel.from_xml_string(model.to_mjcf()))
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    body = model.state().body_q.numpy()
    np.testing.assert_allclose(data.xpos[1:], body[:, :3], atol=1e-12)
    turns = data.xquat[1:, [1, 2, 3, 0]]
    np.testing.assert_allclose(np.abs((turns * body[:, 3:]).sum(axis=1)), 1, atol=1e-12)
    simulation = carom.Simulation(model, solver="mujoco", contacts="mujoco")
    for _ in range(3):
        simulation.step(1)
        mujoco.mj_step(m, data)
    mujoco.mj_kinematics(m, data)
    np.testing.assert_allclose(simulation.state.body_q.numpy()[:, :3], data.xpos[1:], atol=1e-10)
    return m


def test_models_of_the_builder():
    m = assert_same_step(finalized(robot))
    assert m.njnt == 5 and m.ntendon == 1 and m.actuator("motor").gear[0] == 2


def test_they_are_read_back():
    """Coordinates and numbers are the same; frames are those of MuJoCo, which has none at the parent's side."""
    model = finalized(robot)
    again = load(model.to_mjcf())
    for name in ("joint_q", "body_mass", "body_com", "joint_limit_upper", "joint_damping", "tendon_stiffness"):
        np.testing.assert_allclose(getattr(again, name).numpy(), getattr(model, name).numpy(), atol=1e-12, err_msg=name)


BALLS = """<mujoco><option><flag contact="disable"/></option><worldbody>
<body name="a" pos="1 2 3" euler="10 20 30"><joint name="h" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/>
<body name="b" pos=".1 .2 .3" euler="30 0 0"><joint name="o" type="ball" pos=".1 0 .2" {0}/>
<geom type="box" size=".3 .2 .1" pos=".2 0 0"/><site name="s" pos=".3 .2 .1"/><body name="c" pos="0 .3 0">
<joint name="p" type="ball"/><geom type="capsule" size=".1 .3"/></body></body></body></worldbody>
<tendon><spatial stiffness="3"><site site="s"/><site site="w"/></spatial></tendon>
<actuator><motor joint="o" gear="1 2 3"/><motor joint="p" gear="1 -2 3"/></actuator></mujoco>""".replace(
    "</worldbody>", '<site name="w" pos="1 1 1"/></worldbody>')  # fmt: skip
TURN, OTHER = np.array([0.5, -0.5, 0.1, 0.7]), np.array([0.1, 0.2, -0.9, 0.3])  # xyzw
TURN, OTHER = TURN / np.linalg.norm(TURN), OTHER / np.linalg.norm(OTHER)


def turned_balls(joint=""):
    """The same scene with balls that begin turned."""
    builder, scene = carom.ModelBuilder(), carom.ModelBuilder()
    builder.add_mjcf(BALLS.format(joint))
    builder.set_joint_q(builder.joint_key.index("o"), TURN)
    builder.set_joint_q(builder.joint_key.index("p"), OTHER)
    scene.add_world(builder)
    return scene.finalize()


def test_balls_that_are_turned_at_first():
    """MuJoCo counts their coordinates from there: M, forces and accelerations are those of the scene itself."""
    joint = 'damping="2" armature=".1"'
    written = settings(mujoco.MjModel.from_xml_string(turned_balls(joint).to_mjcf()))
    m = settings(mujoco.MjModel.from_xml_string(BALLS.format(joint)))
    rng = np.random.default_rng(2)
    for _ in range(20):
        turns = rng.normal(size=(2, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        angle, qvel, ctrl = rng.normal(size=1), rng.normal(size=m.nv), rng.normal(size=m.nu)
        counted = []
        for turn, first in zip(turns, (TURN, OTHER)):
            back, product = np.array([first[3], -first[0], -first[1], -first[2]]), np.zeros(4)
            mujoco.mju_mulQuat(product, back, turn)
            counted.append(product)
        none = (np.zeros((0, 3)), np.zeros((0, 4)))
        expected = forces(m, np.concatenate([angle, *turns]), qvel, [], ctrl, none)
        found = forces(written, np.concatenate([angle, *counted]), qvel, [], ctrl, none)
        for name, value in expected.items():
            scale = max(np.abs(value).max(initial=0), 1)
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-9 * scale, err_msg=name)


def test_turned_balls_begin_where_they_were():
    assert_same_step(turned_balls())


@pytest.mark.parametrize("joint, more, said", [
    ('range="0 2"', "", "joint 'o' is a ball that is turned at first and has limits"),
    ("", '<position name="servo" joint="o" kp="3"/>', "joint 'o' .* and actuator 'servo' acts by its turn"),
    ("", '<motor name="in" jointinparent="o"/>', "joint 'o' .* and actuator 'in' acts by its turn")])  # fmt: skip
def test_turned_balls_whose_angle_counts(joint, more, said):
    builder, scene = carom.ModelBuilder(), carom.ModelBuilder()
    builder.add_mjcf(BALLS.format(joint).replace("</actuator>", more + "</actuator>").replace("<mujoco>", "<mujoco>"
                     '<compiler angle="radian"/>'))  # fmt: skip
    scene.add_world(builder)
    scene.finalize().to_mjcf()
    builder.set_joint_q(builder.joint_key.index("o"), TURN)
    scene = carom.ModelBuilder()
    scene.add_world(builder)
    with pytest.raises(carom.Error, match="to_mjcf: " + said):
        scene.finalize().to_mjcf()


def scene(b):
    """All kinds of shapes, a site, a heightfield, a ball joint, a kinematic body, a pair, a weld, a connect."""
    b.add_ground_plane()
    heights = np.array([[0.0, 0.1, 0.3], [0.2, 0.5, 0.1]])
    b.add_shape_heightfield(carom.Heightfield(heights, 2, 3, hx=1.0, hy=2.0), xform=(5, 0, 0.2, 0, 0, 0, 1))
    cube = carom.Mesh([(x, y, z) for x in (-0.1, 0.2) for y in (-0.1, 0.1) for z in (-0.1, 0.3)], [0, 1, 2])
    first = b.add_body(xform=(0, 0, 0.25, 0, 0, 0, 1), key="first")
    second = b.add_link(key="second")
    b.add_shape_convex_hull(first, mesh=cube)
    b.add_shape_ellipsoid(first, 0.1, 0.2, 0.1, xform=(0.3, 0, 0.1, 0, 0, 0, 1), key="egg")
    b.add_shape_cylinder(second, radius=0.1, half_height=0.2, key="drum")
    b.add_site(second, key="eye", xform=(0, 0, 0.1, 0, 0, 0, 1))
    b.add_joint_ball(first, second, parent_xform=(0, 0.3, 0.3, 0, 0, 0, 1), child_xform=(0, 0, 0.2, 0, 0, 0, 1))
    b.add_contact_pair(b.shape_key.index("egg"), b.shape_key.index("drum"), condim=1, margin=0.02)
    hand = b.add_body(xform=(2, 0, 3, 0, 0, 0, 1), is_kinematic=True, key="hand")
    b.add_shape_sphere(hand, radius=0.1)
    held = b.add_body(xform=(2, 0, 2.5, 0.6, 0, 0, 0.8), key="held")
    b.add_shape_capsule(held, radius=0.1, half_height=0.1)
    b.add_equality_constraint_connect(hand, held, anchor=(0, 0, -0.3))
    tied = b.add_body(xform=(4, 0, 2, 0, 0, 0, 1), key="tied")
    b.add_shape_box(tied, hx=0.1, hy=0.2, hz=0.3)
    b.add_equality_constraint_weld(tied, held, anchor=(0.1, 0, 0), relpose=(-2, 0, 0.5, 0.6, 0, 0, 0.8), torquescale=2)


FIELD = """<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="1 1 .5 {base}" elevation="0 2 1 3 1 0 4 2 3 1 0 2"/>
</asset><worldbody><geom type="hfield" hfield="h"/>
<body><freejoint/><geom {geom}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("geom, base", [('size=".2"', 0.1), ('size=".2"', 3), ('type="capsule" size=".1 .2"', 0.1),
                                        ('type="capsule" size=".1 .2"', 3),
                                        ('type="box" size=".1 .2 .3"', 1)])  # fmt: skip
def test_contacts_on_heightfields(geom, base):
    """A model knows nothing of the base of a heightfield, and 1 m is written. MuJoCo's columns of ground end there,
    which changes the depth that it finds of a box by millimetres, so that has the same base here; and vertices that
    came back by 1e-8 elsewhere do so to a mesh, which is therefore left out."""
    text = FIELD.format(base=base, geom=geom)
    m = settings(mujoco.MjModel.from_xml_string(text))
    written = settings(mujoco.MjModel.from_xml_string(load(text).to_mjcf()))
    m.qpos0[:3] = [0.1, 0.2, 1]
    while touching(m, m.qpos0, np.zeros(6))[0].ncon == 0:
        m.qpos0[2] -= 0.01
    assert assert_same_contacts(m, written, states=20, reach=0.01, fields=True) > 3


def test_a_scene_of_everything():
    m = assert_same_step(finalized(scene))
    assert (m.nhfield, m.nmesh, m.nmocap, m.npair, m.neq) == (1, 1, 1, 1, 2) and m.site("eye").bodyid[0] == 2


def two_links(touch_parent, groups=(1, 1, 1)):
    def build(b):
        cfg = [carom.ShapeConfig(collision_filter_parent=not touch_parent, collision_group=group) for group in groups]
        bodies = [b.add_body(key="a"), b.add_link(key="b"), b.add_link(key="c")]
        for body, of_shape in zip(bodies, cfg):
            b.add_shape_sphere(body, radius=0.3, cfg=of_shape)
        for parent, child in zip(bodies, bodies[1:]):
            b.add_joint_revolute(parent, child, parent_xform=(0.2, 0, 0, 0, 0, 0, 1))

    return build


@pytest.mark.parametrize(
    "touch_parent, groups, pairs",
    [(False, (1, 1, 1), 1), (True, (1, 1, 1), 3), (True, (1, 2, -1), 2), (True, (-1, -1, 1), 2), (True, (0, 1, 1), 1)],
)
def test_who_touches_whom(touch_parent, groups, pairs):
    """Groups and filters of shapes become excludes and masks: MuJoCo finds contacts of as many pairs."""
    m = mujoco.MjModel.from_xml_string(finalized(two_links(touch_parent, groups)).to_mjcf())
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    assert len({tuple(contact.geom) for contact in data.contact}) == pairs


def test_worlds():
    """MJCF has one: of several, one is chosen; what is global stands in it, too."""
    scene = carom.ModelBuilder()
    scene.add_ground_plane()
    for mass in (1.0, 2.0):
        scene.begin_world()
        scene.add_shape_sphere(scene.add_body(key="ball", mass=mass), radius=0.1)
        scene.end_world()
    model = scene.finalize()
    with pytest.raises(carom.Error, match="has 2 worlds"):
        model.to_mjcf()
    with pytest.raises(carom.Error, match="world 2 does not exist"):
        model.to_mjcf(world=2)
    m = mujoco.MjModel.from_xml_string(model.to_mjcf(world=1))
    assert m.ngeom == 2 and m.body("ball").mass[0] == pytest.approx(model.body_mass.numpy()[1])


def test_files_are_written(tmp_path):
    model = finalized(robot)
    text = model.to_mjcf(tmp_path / "robot.xml")
    assert (tmp_path / "robot.xml").read_text() == text == model.to_mjcf()
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]
    with pytest.raises(carom.Error, match="cannot be written"):
        model.to_mjcf(tmp_path / "none" / "robot.xml")


def test_names_that_xml_cannot_hold():
    """Quotes and brackets in keys come back."""
    model = finalized(lambda b: b.add_shape_sphere(b.add_body(key='a "b" <c> & d'), radius=0.1))
    assert load(model.to_mjcf()).body_key == ['a "b" <c> & d']


def shape(add):
    def build(b):
        body = b.add_body(key="ball", mass=1)
        add(b, body)

    return build


def loop(b):
    first, second = b.add_body(key="a", mass=1), b.add_link(key="b", mass=1)
    b.add_joint_distance(first, second, key="rod")


def mixed(b):
    one, two = b.add_body(key="a"), b.add_body(key="b")
    shapes = [b.add_shape_sphere(body, radius=0.1, key=f"s{i}") for i, body in enumerate((one, one, two))]
    b.add_shape_collision_filter_pair(shapes[0], shapes[2])


REFUSED = {
    "cone": (shape(lambda b, body: b.add_shape_cone(body, key="hat")), "shape 'hat' is a cone"),
    "thickness": (
        shape(lambda b, body: b.add_shape_sphere(body, key="s", cfg=carom.ShapeConfig(thickness=0.1))),
        "'s' has a thickness",
    ),
    "plane": (lambda b: b.add_shape_plane(width=1, length=1, key="tile"), "'tile' is a finite plane"),
    "distance joint": (loop, "joint 'rod' is a distance joint"),
    "some shapes of two bodies": (mixed, "'s0' and shape 's2' do not touch"),
    "particle": (lambda b: b.add_particle((0, 0, 0), (0, 0, 0), 1.0), "no particles"),
    "drive": (
        lambda b: b.add_joint_revolute(-1, b.add_link(mass=1, key="a"), target_ke=1, key="j"), "joint 'j' has a drive"
    ),
    "no mass": (lambda b: b.add_joint_revolute(-1, b.add_link(key="a"), key="j"), "body 'a' moves and has no mass"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_mjcf_cannot_say(name):
    """... is refused, with the name of who has it."""
    build, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        finalized(build).to_mjcf()
    assert said in str(caught.value)
