"""SolverSemiImplicit and SolverFeatherstone in Python: options, what they refuse, cloth beside bodies, worlds apart."""

import numpy as np
import pytest

NAMES = ("semi_implicit", "featherstone")


def box_on_the_ground(carom, **material):
    builder = carom.ModelBuilder()
    cfg = carom.ShapeConfig(**{"ke": 1e5, "kd": 2e3, "kf": 1e5, "mu": 0.6, **material})
    builder.add_ground_plane(cfg=cfg)
    box = builder.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    return builder.finalize()


def test_options_and_classes(carom):
    model = box_on_the_ground(carom)
    semi = carom.SolverSemiImplicit(model, iterations=150, joint_attach_ke=1e5)
    sim = carom.Simulation(model, semi, dt=0.004)
    assert isinstance(sim.solver, carom.SolverSemiImplicit)
    assert not sim.step(100).numpy().any()
    reports = semi.reports()
    assert reports.contacts.numpy().tolist() == [4] and 1 <= reports.iterations.numpy()[0] <= 150
    feather = carom.SolverFeatherstone(model)
    assert isinstance(carom.Simulation(model, feather).solver, carom.SolverFeatherstone)
    with pytest.raises(carom.Error, match="joint_attach_ke must not be negative, is -1"):
        carom.SolverSemiImplicit(model, joint_attach_ke=-1)
    with pytest.raises(carom.Error, match="tolerance must be positive, is 0"):
        carom.SolverFeatherstone(model, tolerance=0)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_by_hand(carom, name):
    """A solver without a Simulation, from one state to another; without contacts it falls."""
    model = box_on_the_ground(carom)
    solver = {"semi_implicit": carom.SolverSemiImplicit, "featherstone": carom.SolverFeatherstone}[name](model)
    before, after, control = model.state(), model.state(), model.control()
    before.body_q.numpy()[0, 2] = 0.0999
    contacts = model.collide(before)
    solver.step(before, after, control, contacts, 0.002)
    assert contacts.rigid_contact_force.numpy()[:4, 2].sum() > 0
    solver.step(before, after, control, None, 0.002)
    np.testing.assert_allclose(after.body_qd.numpy()[0, 2], -9.81 * 0.002, rtol=1e-5)
    np.testing.assert_allclose(after.joint_q.numpy()[2], after.body_q.numpy()[0, 2], rtol=1e-6)
    other = box_on_the_ground(carom)
    with pytest.raises(carom.Error, match="contacts belongs to another model|contacts belong to another model"):
        solver.step(before, after, control, other.collide(other.state()), 0.002)


@pytest.mark.parametrize("name", NAMES)
def test_combine(carom, name):
    """The depth of a ball tells which ke counts."""
    depths = {}
    for rule in ("average", "min", "max", "geometric"):
        builder = carom.ModelBuilder()
        builder.options.combine = rule
        builder.add_ground_plane(cfg=carom.ShapeConfig(ke=8000, kd=300))
        ball = builder.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1))
        builder.add_shape_sphere(ball, radius=0.1, cfg=carom.ShapeConfig(ke=2000, kd=300))
        model = builder.finalize()
        sim = carom.Simulation(model, name, dt=0.002)
        sim.step(2000)
        depths[rule] = 9.81 * model.body_mass.numpy()[0] / (0.1 - sim.state.body_q.numpy()[0, 2])
    for rule, ke in {"average": 5000, "min": 2000, "max": 8000, "geometric": 4000}.items():
        assert abs(depths[rule] / ke - 1) < 0.01, rule


@pytest.mark.parametrize("name", (*NAMES, "xpbd"))
def test_cloth_in_worlds(carom, name):
    """Cloth over a ball, in worlds at the same place: each falls as if it were alone, and rests on its ball."""
    world = carom.ModelBuilder()
    ball = world.add_link()
    world.add_joint_fixed(-1, ball, parent_xform=(0, 0, 0.3, 0, 0, 0, 1))
    world.add_shape_sphere(ball, radius=0.3)
    world.add_cloth_grid(pos=(-0.3, -0.3, 0.65), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=8, dim_y=8, cell_x=0.075,
                         cell_y=0.075, mass=0.02, particle_radius=0.02, tri_ke=50, tri_ka=50, tri_kd=0.01,
                         edge_ke=0.01, edge_kd=0)

    def fallen(worlds):
        builder = carom.ModelBuilder()
        builder.options.soft_contact_ke = 200.0
        builder.options.soft_contact_kd = 1.0
        for _ in range(worlds):
            builder.add_world(world)
        sim = carom.Simulation(builder.finalize(), name, dt=0.001)
        assert not sim.step(800).numpy().any()
        return sim.state.particle_q.numpy().reshape(worlds, -1, 3)

    alone, together = fallen(1), fallen(3)
    for w in range(3):
        np.testing.assert_array_equal(together[w], alone[0])
    distance = np.linalg.norm(alone[0] - [0, 0, 0.3], axis=1)
    assert distance.min() > 0.28  # nothing went through
    assert (distance < 0.34).sum() > 8  # some of it lies there
