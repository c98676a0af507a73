"""States belong to their model, and their two sides, joint coordinates and body poses, to each other."""

import numpy as np
import pytest


def robots(carom, worlds=6):
    """A free trunk with a link on a hinge, at other angles in every world, beside a ball; over a floor.

    Coordinates of a world: 7 of the ball, 7 of the trunk, 1 of the hinge.
    """
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    for world in range(worlds):
        builder.begin_world()
        trunk = builder.add_link(xform=(0, 0, 2 + 0.1 * world, 0, 0, 0, 1))
        leg = builder.add_link()
        ball = builder.add_body(xform=(3, 0, 1, 0, 0, 0, 1))
        builder.add_shape_sphere(trunk, radius=0.2)
        builder.add_shape_capsule(leg, radius=0.05, half_height=0.2, xform=(0, 0, -0.3, 0, 0, 0, 1))
        builder.add_shape_sphere(ball, radius=0.5)
        root = builder.add_joint_free(trunk)
        hip = builder.add_joint_revolute(trunk, leg, axis=(0, 1, 0), parent_xform=(0.4, 0, 0, 0, 0, 0, 1))
        builder.set_joint_q(hip, [0.1 * world])
        builder.add_articulation([root, hip])
        builder.end_world()
    return builder.finalize()


def assert_in_line(carom, model, state):
    """Poses and twists are those of the joint coordinates, to the bit."""
    other = model.state()
    other.assign(state)
    carom.eval_fk(model, state.joint_q, state.joint_qd, other)
    np.testing.assert_array_equal(state.body_q.numpy(), other.body_q.numpy())
    np.testing.assert_array_equal(state.body_qd.numpy(), other.body_qd.numpy())


def test_first_observation(carom, tmp_path):
    """Poses are right before the first step: new, simulated, reset in part and as a whole, restored, loaded."""
    model = robots(carom)
    assert_in_line(carom, model, model.state())
    np.testing.assert_allclose(model.state().body_q.numpy()[1, :3], (0.4, 0, 2), atol=1e-6)
    assert model.collide(model.state()).rigid_contact_count[0] == 0
    sim = carom.Simulation(model)
    assert_in_line(carom, model, sim.state)
    snapshot = sim.snapshot()
    sim.step(3)
    assert_in_line(carom, model, sim.state)
    sim.reset([True, False, False, True, False, False])
    assert_in_line(carom, model, sim.state)
    np.testing.assert_array_equal(sim.state.world(3).body_q.numpy(), model.state().world(3).body_q.numpy())
    sim.step()
    sim.reset()
    assert_in_line(carom, model, sim.state)
    sim.step()
    sim.restore(snapshot)
    assert_in_line(carom, model, sim.state)
    np.testing.assert_array_equal(sim.state.body_q.numpy(), model.body_q.numpy())
    model.save(tmp_path / "robots.carom")
    loaded = carom.load(tmp_path / "robots.carom")
    assert_in_line(carom, loaded, loaded.state())
    np.testing.assert_array_equal(loaded.body_q.numpy(), model.body_q.numpy())


def test_first_observation_of_a_mujoco_model(carom):
    """Links of a converted model stand where MuJoCo puts them."""
    mujoco = pytest.importorskip("mujoco")
    xml = """<mujoco><worldbody><body pos="0 0 1"><joint type="hinge" axis="0 1 0"/><geom size=".1"/>
             <body pos=".5 0 0"><joint type="slide" axis="1 0 0"/><geom size=".1"/></body></body></worldbody></mujoco>"""
    source = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(source)
    mujoco.mj_forward(source, data)
    model = carom.from_mujoco(source).finalize()
    np.testing.assert_allclose(model.state().body_q.numpy()[:, :3], data.xpos[1:], atol=1e-6)
    assert_in_line(carom, model, model.state())


def test_written_joints_are_seen(carom):
    """By sim.state, by collide() and by align(), without a step."""
    model = robots(carom)
    sim = carom.Simulation(model)
    sim.state.joint_q.numpy()[14] = 1.5
    assert_in_line(carom, model, sim.state)
    np.testing.assert_allclose(sim.state.body_q.numpy()[1, 3:], (0, np.sin(0.75), 0, np.cos(0.75)), atol=1e-6)
    state = model.state()
    state.joint_q.numpy()[2] = 0.4  # the ball of world 0
    contacts = model.collide(state)
    assert contacts.rigid_contact_count[0] == 1
    assert contacts.rigid_contact_depth[0] == pytest.approx(0.1, abs=1e-6)
    state.joint_qd.numpy()[12] = 2
    model.align(state)
    assert_in_line(carom, model, state)


def test_written_bodies_are_seen(carom):
    """A free body goes where it was put, with its links; what a hinge cannot follow is reported in the status."""
    model = robots(carom)
    model.set_gravity((0, 0, 0))
    sim = carom.Simulation(model, dt=0.001)
    state = sim.state
    state.body_q.numpy()[0, :3] = (5, 6, 7)
    state.body_q.numpy()[2, :3] = (8, 6, 7)
    state.body_qd.numpy()[2, :3] = (1, 0, 0)
    assert not sim.step().numpy().any()
    np.testing.assert_allclose(state.joint_q.numpy()[7:10], (5, 6, 7), atol=1e-5)
    np.testing.assert_allclose(state.body_q.numpy()[1, :3], (5.4, 6, 7), atol=1e-5)
    np.testing.assert_allclose(state.joint_q.numpy()[:3], (8.001, 6, 7), atol=1e-5)
    state.body_q.numpy()[3 + 1, 1] += 0.5  # the leg of world 1, off its hinge
    assert sim.step().numpy().tolist() == [0, 8, 0, 0, 0, 0]
    assert_in_line(carom, model, state)
    assert not sim.step().numpy().any()


def test_edits_keep_the_initial_state_in_line(carom):
    """Poses follow coordinates and frames of joints, also in states that were made before."""
    model = robots(carom)
    old = model.state()
    with model.edit():
        model.joint_q[14] = 0.7
        model.joint_X_p[2] = (0.5, 0, 0, 0, 0, 0, 1)
    assert model.body_q.numpy()[1, 0] == pytest.approx(0.5)
    assert_in_line(carom, model, model.state())
    model.collide(old)
    assert_in_line(carom, model, old)
    assert old.body_q.numpy()[1, 0] == pytest.approx(0.5)


def test_states_of_a_twin_are_refused(carom):
    """Two models of the same sizes do not take each other's states, controls, contacts, snapshots and Jacobians."""
    own, twin = robots(carom), robots(carom)
    state, other = own.state(), twin.state()
    solver, sim, control = carom.SolverMuJoCo(own), carom.Simulation(own), own.control()
    contacts, pipeline = twin.collide(other), carom.CollisionPipeline(twin)
    query = carom.ShapeQuery(own)
    mask = [True] * own.world_count
    doors = [
        ("collide: state", lambda: own.collide(other)),
        ("collide: collision_pipeline", lambda: own.collide(other, collision_pipeline=pipeline)),
        ("collide: state", lambda: pipeline.collide(state)),
        ("step: state_in", lambda: solver.step(other, state, control, None, 0.01)),
        ("step: state_out", lambda: solver.step(state, other, control, None, 0.01)),
        ("step: control", lambda: solver.step(state, state, twin.control(), None, 0.01)),
        ("step: contacts", lambda: solver.step(state, state, control, contacts, 0.01)),
        ("forward: contacts", lambda: solver.forward(state, control, contacts)),
        ("forward: state", lambda: solver.forward(other, control, None)),
        ("forward: control", lambda: solver.forward(state, twin.control(), None)),
        ("eval_fk: state", lambda: carom.eval_fk(own, state.joint_q, state.joint_qd, other)),
        ("eval_ik: state", lambda: carom.eval_ik(own, other, state.joint_q, state.joint_qd)),
        ("eval_jacobian: state", lambda: carom.eval_jacobian(own, other)),
        ("eval_jacobian: jacobian", lambda: carom.eval_jacobian(own, state, carom.make_jacobian(twin))),
        ("align: state", lambda: own.align(other)),
        ("reset: state", lambda: own.reset(other)),
        ("reset: state", lambda: own.reset(other, mask)),
        ("assign: other", lambda: state.assign(other)),
        ("copy_worlds: other", lambda: state.copy_worlds(other, mask)),
        ("copy_worlds: other", lambda: control.copy_worlds(twin.control(), mask)),
        ("restore: snapshot.state", lambda: sim.restore(carom.Simulation(twin).snapshot())),
        ("distance: state", lambda: query.distance(other, 1, 2)),
        ("overlap: state", lambda: query.overlap(other, 1, 2)),
        ("closest_point: state", lambda: query.closest_point(other, 1, (0, 0, 0))),
        ("ray_cast: state", lambda: query.ray_cast(other, (0, 0, 5), (0, 0, -1))),
        ("Simulation: solver", lambda: carom.Simulation(twin, solver=solver)),
    ]
    for words, door in doors:
        with pytest.raises(carom.Error, match=f"^{words}.* belongs to another model"):
            door()
    assert contacts.rigid_contact_count[0] == 0
    with pytest.raises(carom.Error, match="collide: state belongs to no model"):
        own.collide(state.world(0))
    with pytest.raises(carom.Error, match="collide: state belongs to another model"):
        own.collide(state.read_worlds(mask))
    for door in (lambda: sim.reset([True]), lambda: state.copy_worlds(state, [True])):
        with pytest.raises(carom.Error, match="the mask has 1 entries"):
            door()


def test_contacts_of_another_model_are_refused(carom):
    """resolve_impulses() reads shapes by their numbers, so it looks first."""

    def balls(count):
        builder = carom.ModelBuilder()
        builder.add_ground_plane()
        for i in range(count):
            builder.add_shape_sphere(builder.add_body(xform=(2 * i, 0, 0.4, 0, 0, 0, 1)), radius=0.5)
        return builder.finalize()

    own = balls(2)
    state = own.state()
    for count in (2, 500):
        other = balls(count)
        contacts = other.collide(other.state())
        with pytest.raises(carom.Error, match="resolve_impulses: contacts belongs to another model"):
            carom.resolve_impulses(own, state, state, contacts)
        with pytest.raises(carom.Error, match="resolve_impulses: contacts belongs to another model"):
            carom.ImpulseResolver(own).resolve(state, state, contacts)
        with pytest.raises(carom.Error, match="resolve_impulses: state_in belongs to another model"):
            carom.resolve_impulses(own, other.state(), state, own.collide(state))
        with pytest.raises(carom.Error, match="resolve_impulses: state_out belongs to another model"):
            carom.resolve_impulses(own, state, other.state(), own.collide(state))


def test_shapes_have_no_thickness_unless_given(carom):
    """A sphere at a distance from a plane has that distance, to rounding."""
    assert carom.ShapeConfig().thickness == 0
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(xform=(0, 0, 0.5 + 2**-9, 0, 0, 0, 1)), radius=0.5)
    model = builder.finalize()
    contacts = model.collide(model.state())
    assert contacts.rigid_contact_depth[0] == -(2**-9)
    assert carom.ShapeQuery(model).distance(model.state(), 0, 1).distance == 2**-9


SOLREFS = [(0.02, 1), (0.05, 0), (0, 0.5), (0, 0), (-100, 0), (0, -10), (0.05, -1), (-100, 1)]


@pytest.mark.parametrize("solref", SOLREFS)
def test_solref_with_zeros_as_mujoco_takes_it(solref):
    """Contacts, joint limits and tendon limits: one number of either form, or a zero, means the default."""
    mujoco = pytest.importorskip("mujoco")
    import carom.f64 as carom

    numbers = f"{solref[0]} {solref[1]}"
    xml = f"""<mujoco><compiler angle="radian"/><option timestep=".002"/><worldbody>
      <geom type="plane" size="1 1 1" solref="{numbers}"/>
      <body pos="0 0 .0995"><freejoint/><geom type="sphere" size=".1" solref="{numbers}"/></body>
      <body pos="2 0 1"><joint name="a" axis="0 1 0" limited="true" range="-1 1" solreflimit="{numbers}"/>
        <geom size=".1" pos=".3 0 0" contype="0" conaffinity="0"/></body>
      <body pos="4 0 1"><joint name="b" axis="0 1 0"/>
        <geom size=".1" pos=".3 0 0" contype="0" conaffinity="0"/></body></worldbody>
      <tendon><fixed limited="true" range="-1 1" solreflimit="{numbers}"><joint joint="b" coef="1"/></fixed></tendon>
      </mujoco>"""
    source = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(source)
    data.qpos[7:] = (1.05, 1.1)
    sim = carom.Simulation(carom.from_mujoco(source).finalize(), dt=0.002)
    sim.state.joint_q.numpy()[7:] = data.qpos[7:]
    for _ in range(20):
        mujoco.mj_step(source, data)
    assert not sim.step(20).numpy().any()
    np.testing.assert_allclose(sim.state.joint_q.numpy()[[2, 7, 8]], data.qpos[[2, 7, 8]], atol=1e-9)
    np.testing.assert_allclose(sim.state.joint_qd.numpy()[6:], data.qvel[6:], atol=1e-7)
