"""Which way is up: gravity and ground follow ModelBuilder(up_axis=), and models and files keep it."""

import numpy as np
import pytest


def test_gravity_points_down(carom):
    assert carom.ModelBuilder().up_axis == "Z"
    assert carom.ModelBuilder().gravity == (0, 0, -9.81)
    assert carom.ModelBuilder(up_axis="y").gravity == (0, -9.81, 0)
    builder = carom.ModelBuilder(up_axis="X", gravity=(0, 0, 1))
    assert (builder.up_axis, builder.gravity) == ("X", (0, 0, 1))
    with pytest.raises(carom.Error, match="no axis 'up'; use \"X\", \"Y\" or \"Z\""):
        carom.ModelBuilder(up_axis="up")
    with pytest.raises(carom.Error, match="gravity"):
        carom.ModelBuilder(gravity=-9.81)
    with pytest.raises(carom.Error, match="gravity"):
        carom.ModelBuilder(gravity=(0, 0, float("nan")))


@pytest.mark.parametrize("axis", range(3))
def test_a_ball_comes_to_rest_on_the_ground(carom, axis, tmp_path):
    """It falls along the axis and stays on the plane, also in a model that was saved and loaded."""
    builder = carom.ModelBuilder(up_axis="XYZ"[axis])
    builder.add_ground_plane(height=1)
    start = np.zeros(7)
    start[axis], start[6] = 1.11, 1
    ball = builder.add_body(xform=start)
    builder.add_shape_sphere(ball, radius=0.1)
    builder.finalize().save(tmp_path / "ball.carom")
    model = carom.load(tmp_path / "ball.carom")
    assert model.up_axis == "XYZ"[axis]
    sim = carom.Simulation(model, dt=0.005)
    sim.step(200)
    expected = np.zeros(3)
    expected[axis] = 1.1
    np.testing.assert_allclose(sim.state.body_q.numpy()[0, :3], expected, atol=2e-3)
    normal = sim.contacts.rigid_contact_normal.numpy()[0]
    assert normal[axis] == pytest.approx(1)


def test_builders_agree(carom):
    """Builders with different axes are not put together."""
    part = carom.ModelBuilder(up_axis="Y")
    part.add_body(mass=1)
    whole = carom.ModelBuilder()
    for add in (whole.add_builder, whole.add_world, lambda b: whole.replicate(b, 2)):
        with pytest.raises(carom.Error, match="has up_axis Y, this one Z"):
            add(part)
    assert whole.body_count == 0 and whole.world_count == 0
