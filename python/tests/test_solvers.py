"""Solvers by name, their reports as arrays, and the contacts of a Simulation after resets."""

import numpy as np
import pytest

COLUMNS = ("status", "contacts", "rows", "iterations", "needed", "frictional", "padded", "residual")


def balls(carom):
    """Two worlds with a ball that stands on the ground, and one with a ball that flies."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    for height in (0.0999, 0.0999, 5):
        builder.begin_world()
        ball = builder.add_body(xform=(0, 0, height, 0, 0, 0, 1))
        builder.add_shape_sphere(ball, radius=0.1)
        builder.end_world()
    return builder.finalize()


def test_solvers_are_found_by_name(carom):
    model = balls(carom)
    assert "mujoco" in carom.solver_names()
    for name in carom.solver_names():
        assert carom.Simulation(model, name).step().numpy().tolist() == [0, 0, 0]
    with pytest.raises(carom.Error, match="'bullet' is unknown; there is \"mujoco\""):
        carom.Simulation(model, "bullet")


def test_simulation_shows_the_real_solver(carom):
    """sim.solver is an object of the solver's own class, the same one for every look, and shares the one that was given."""
    model = balls(carom)
    given = carom.SolverMuJoCo(model, iterations=7)
    sim = carom.Simulation(model, solver=given, dt=0.01)
    assert isinstance(sim.solver, carom.SolverMuJoCo)
    assert sim.solver is sim.solver
    assert isinstance(carom.Simulation(model).solver, carom.SolverMuJoCo)
    sim.step()
    assert given.reports().rows.numpy().tolist() == [4, 4, 0]
    with pytest.raises(TypeError):
        carom.Simulation(model, solver=3)
    with pytest.raises(carom.Error, match="has its own queue"):
        carom.Simulation(model, solver=given, queue=carom.Queue())


def test_reports_are_arrays(carom, real):
    """Each column is an array over the worlds, in the memory that the next step writes."""
    model = balls(carom)
    sim = carom.Simulation(model, dt=0.01)
    reports = sim.solver.reports()
    seen = {name: getattr(reports, name).numpy() for name in COLUMNS}
    sim.step()
    assert seen["contacts"].tolist() == [1, 1, 0]
    assert seen["rows"].tolist() == [4, 4, 0]
    assert seen["frictional"].tolist() == [1, 1, 0]
    assert seen["residual"].dtype == real and seen["status"].dtype == np.int32
    for name in COLUMNS:
        assert np.shares_memory(seen[name], getattr(sim.solver.reports(), name).numpy()), name
    assert np.shares_memory(seen["status"], sim.solver.status.numpy())


def test_contacts_after_resets(carom):
    """Those of the last step, with forces; where there is none, those of the state."""
    model = balls(carom)
    sim = carom.Simulation(model, dt=0.01)
    assert sim.contacts.rigid_contact_count[0] == 2
    sim.step(30)
    assert (sim.contacts.rigid_contact_force.numpy()[:2, 2] > 1).all()
    standing = sim.snapshot()
    sim.reset([True, False, False])
    assert sim.contacts.rigid_contact_force.numpy()[1, 2] > 1
    sim.state.joint_q.numpy()[[2, 9]] = 3
    sim.step()
    assert sim.contacts.rigid_contact_count[0] == 0
    for go_back in (sim.reset, lambda: sim.restore(standing)):
        go_back()
        assert sim.contacts.rigid_contact_count[0] == 2
        assert (sim.contacts.rigid_contact_force.numpy()[:2] == 0).all()
        sim.step()
