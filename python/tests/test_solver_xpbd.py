"""SolverXPBD in Python: options, bouncing, memory, worlds apart."""

import numpy as np
import pytest


def stack_of(carom, boxes, **cfg):
    builder = carom.ModelBuilder()
    cfg = carom.ShapeConfig(mu=0.6, **cfg)
    builder.add_ground_plane(cfg=cfg)
    for k in range(boxes):
        box = builder.add_body(xform=(0, 0, 0.1 + 0.2 * k, 0, 0, 0, 1))
        builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    return builder.finalize()


def test_options(carom):
    model = stack_of(carom, 1)
    solver = carom.SolverXPBD(model, iterations=2, substeps=3, enable_restitution=True)
    sim = carom.Simulation(model, solver, dt=1 / 240)
    assert isinstance(sim.solver, carom.SolverXPBD)
    assert not sim.step(10).numpy().any()
    reports = solver.reports()
    assert reports.contacts.numpy().tolist() == [4] and reports.iterations.numpy().tolist() == [6]
    for bad in ({"iterations": 0}, {"substeps": 0}, {"contact_frequency": 0}, {"max_contacts": 0}):
        with pytest.raises(carom.Error, match=f"{next(iter(bad))} must be positive, is 0"):
            carom.SolverXPBD(model, **bad)
    with pytest.raises(carom.Error, match="push_speed must not be negative, is -1"):
        carom.SolverXPBD(model, push_speed=-1)
    with pytest.raises(TypeError):
        carom.SolverXPBD(model, tolerance=1)


def test_snapshots_hold_the_memory(carom):
    sim = carom.Simulation(stack_of(carom, 4), "xpbd", dt=1 / 240)
    sim.step(50)
    snapshot = sim.snapshot()
    sim.step(50)
    once = sim.state.body_q.numpy().copy()
    sim.restore(snapshot)
    sim.step(50)
    np.testing.assert_array_equal(sim.state.body_q.numpy(), once)


def test_a_reset_begins_without_memory(carom):
    model = stack_of(carom, 4)
    sim = carom.Simulation(model, "xpbd", dt=1 / 240)
    sim.step(20)
    once = sim.state.body_q.numpy().copy()
    sim.reset()
    sim.step(20)
    np.testing.assert_array_equal(sim.state.body_q.numpy(), once)


def test_memory_by_hand(carom):
    """Two steps from the same state and memory are the same; without the memory they are not."""
    model = stack_of(carom, 4)
    solver = carom.SolverXPBD(model)
    state, after, control = model.state(), model.state(), model.control()
    for _ in range(30):
        solver.step(state, state, control, model.collide(state), 1 / 240)
    memory = solver.remember()
    results = []
    for recalls in (True, True, False):
        if recalls:
            solver.recall(memory)
        solver.step(state, after, control, model.collide(state), 1 / 240)
        results.append(after.body_qd.numpy().copy())
    np.testing.assert_array_equal(results[0], results[1])
    assert (results[0] != results[2]).any()


def test_memory_of_another_model(carom):
    memory = carom.SolverXPBD(stack_of(carom, 2)).remember()
    with pytest.raises(carom.Error, match="recall: the memory belongs to another model"):
        carom.SolverXPBD(stack_of(carom, 4)).recall(memory)


def test_snapshots_of_another_solver(carom):
    """They hold no memory, so what comes next is as from a fresh start in their state."""
    model = stack_of(carom, 4)
    snapshot = carom.Simulation(model, "mujoco", dt=1 / 240).snapshot()
    results = []
    for steps_before in (0, 20):
        sim = carom.Simulation(model, "xpbd", dt=1 / 240)
        if steps_before:
            sim.step(steps_before)
        sim.restore(snapshot)
        sim.step(10)
        results.append(sim.state.body_q.numpy().copy())
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize("substeps", [1, 4])
def test_bounces(carom, substeps):
    builder = carom.ModelBuilder()
    cfg = carom.ShapeConfig(restitution=0.5)
    builder.add_ground_plane(cfg=cfg)
    ball = builder.add_body(xform=(0, 0, 0.6, 0, 0, 0, 1))
    builder.add_shape_sphere(ball, radius=0.1, cfg=cfg)
    model = builder.finalize()
    sim = carom.Simulation(model, carom.SolverXPBD(model, substeps=substeps, enable_restitution=True), dt=0.001)
    heights = []
    for _ in range(600):
        sim.step()
        heights.append(sim.state.body_q.numpy()[0, 2] - 0.1)
    assert abs(max(heights[330:]) / 0.125 - 1) < 0.01
