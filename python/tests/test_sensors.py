"""Sensors in Python: layouts, memory that steps write to, members, instants, noise, and what is refused."""

import numpy as np
import pytest

WEIGHT = 4 * 9.81  # of the robot [N]


def robot(carom):
    """A hull on two feet, each a link of its own."""
    builder = carom.ModelBuilder()
    hull = builder.add_body(xform=(0, 0, 0.4, 0, 0, 0, 1), mass=2, inertia=np.eye(3) * 0.05, key="hull")
    for key, y in (("left_foot", 0.2), ("right_foot", -0.2)):
        foot = builder.add_link(xform=(0, y, 0.1, 0, 0, 0, 1), mass=1, inertia=np.eye(3) * 0.01, key=key)
        builder.add_joint_fixed(hull, foot, parent_xform=(0, y, -0.3, 0, 0, 0, 1))
        builder.add_shape_box(foot, 0.15, 0.05, 0.1, key=key, cfg=carom.ShapeConfig(density=0))
    return builder


def scene(carom, worlds=3, noise=0.0):
    builder = carom.ModelBuilder()
    builder.add_ground_plane(key="floor")
    for _ in range(worlds):
        builder.begin_world()
        builder.add_builder(robot(carom))
        builder.add_sensor_contact(key="feet", geom1="floor", body2="*_foot", data="found force", num=4)
        builder.add_sensor_contact(key="net", body2="hull", subtree1="hull", reduce="netforce")
        builder.add_sensor_contact(key="weight", body1="world", subtree2="hull", data="found force", reduce="netforce")
        builder.add_sensor("framepos", body="hull", key="place", noise=noise)
        builder.end_world()
    return builder.finalize()


def test_feet_read_the_weight_with_every_solver(carom):
    model = scene(carom)
    for solver in carom.solver_names():
        sim = carom.Simulation(model, solver=solver, dt=0.002)
        sim.step(600)
        feet = sim.sensor("feet").numpy()
        assert feet.shape == (3, 2, 13) and feet.dtype == np.float32  # worlds, feet, found and four forces
        np.testing.assert_array_equal(feet[..., 0], 4)
        np.testing.assert_allclose(feet[..., 1::3].sum(axis=(1, 2)), WEIGHT, rtol=0.005)
        np.testing.assert_allclose(sim.sensor("weight").numpy()[:, 3], WEIGHT, rtol=0.005)
        np.testing.assert_array_equal(sim.sensor("net").numpy(), 1)  # the hull itself touches nothing
        readings = sim.contact_sensor("feet")
        assert readings.found.numpy().tolist() == [[4, 4]] * 3
        np.testing.assert_allclose(readings.force_on_second.numpy().sum(axis=1)[:, 2], WEIGHT, rtol=0.005)
        assert (readings.contact_time.numpy() > 1).all() and not readings.air_time.numpy().any()
        mean = readings.mean_force_on_second.numpy()
        np.testing.assert_allclose(mean.sum(axis=1)[:, 2], WEIGHT, rtol=0.02)  # of all 600 steps, the landing among them
        np.testing.assert_allclose(mean * readings.duration.numpy()[:, None, None], readings.impulse_on_second.numpy(),
                                   rtol=1e-5)
        np.testing.assert_array_equal(readings.force_on_first.numpy(), -readings.force_on_second.numpy())


def test_the_side_that_is_named(carom):
    """What the ground does to a foot, whichever side of the sensor the foot is."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    builder.add_builder(robot(carom))
    builder.add_sensor_contact(key="second", body2="left_foot")
    builder.add_sensor_contact(key="first", body1="left_foot")
    sim = carom.Simulation(builder.finalize(), dt=0.002)
    sim.step(600)
    first, second = sim.contact_sensor("first"), sim.contact_sensor("second")
    up = second.force_on_second.numpy()[0, 2]
    assert abs(up - WEIGHT / 2) < 0.01 * WEIGHT
    assert first.force_on_first.numpy()[0, 2] == up and first.force_on_second.numpy()[0, 2] == -up
    now = sim.contact_sensor("second", when="now")  # no time passes there
    np.testing.assert_array_equal(now.mean_force_on_second.numpy(), now.force_on_second.numpy())
    assert abs(now.mean_force_on_second.numpy()[0, 2] - WEIGHT / 2) < 0.01 * WEIGHT


def test_dlpack_shares_the_memory_that_steps_write_to(carom):
    sim = carom.Simulation(scene(carom, worlds=2), dt=0.002)
    shared = {layout: np.from_dlpack(sim.sensor("feet", layout=layout)) for layout in ("flat", "mujoco")}
    force = np.from_dlpack(sim.contact_sensor("feet").force_on_second)
    assert shared["flat"].shape == (2, 2, 13) and shared["mujoco"].shape == (2, 2, 16) and force.shape == (2, 2, 3)
    for lifted in (False, True):
        if lifted:
            sim.state.joint_q.numpy()[2::7] += 1
        sim.step(20)  # of which the last one is told
        for layout, values in shared.items():
            np.testing.assert_array_equal(values, sim.sensor("feet", layout=layout).numpy())
            assert values.any() != lifted
        assert force.any() != lifted


def test_memory_layouts_and_instants(carom):
    model = scene(carom, worlds=2)
    sim = carom.Simulation(model, dt=0.002)
    flat, native = sim.sensor("feet").numpy(), sim.sensor("feet", layout="mujoco").numpy()
    place, now = sim.sensor("place").numpy(), sim.sensor("place", when="now").numpy()
    assert native.shape == (2, 2, 16) and place.shape == (2, 3)
    np.testing.assert_allclose(place, [[0, 0, 0.4]] * 2, atol=1e-6)  # before the first step: as it is
    joint_q = sim.state.joint_q.numpy()
    joint_q[2] = 1.0  # world 0 is lifted
    sim.step()
    assert flat[0, 0, 0] == 0 and flat[1, 0, 0] == 4  # the same memory
    np.testing.assert_allclose(native[1, 0, [0, 4, 8, 12]], 4)
    assert abs(place[0, 2] - 1.0) < 1e-6  # of the beginning of the step
    sim.step(50)
    sim.sensor("place", when="now")
    assert now[0, 2] < place[0, 2] < 1.0  # it has fallen on since
    np.testing.assert_array_equal(model.get_sensor_value("feet", sim), flat)
    state = model.state()
    np.testing.assert_allclose(model.get_sensor_value("place", state)[:, 2], 0.4, atol=1e-6)
    sim.reset([True, False])
    before = native[1].copy()
    assert sim.sensor("feet", layout="mujoco").numpy()[0, 0, 0] == 4  # world 0 as it is now
    np.testing.assert_array_equal(native[1], before)  # world 1 as it was


def test_a_model_without_worlds_has_the_plain_vector(carom):
    builder = robot(carom)
    builder.add_ground_plane(key="floor")
    builder.add_sensor_contact(key="floor", geom1="floor", data="found force", num=2)
    sim = carom.Simulation(builder.finalize())
    sim.step()
    assert sim.sensor("floor").shape == (7,) and sim.sensor("floor", layout="mujoco").shape == (8,)
    assert sim.sensor("floor").numpy()[0] == 2 and sim.contact_sensor("floor").found.numpy()[0] == 8


def test_noise_is_that_of_its_seed(carom):
    model = scene(carom, worlds=50, noise=0.1)
    seen = []
    for seed in (0, 0, 1):
        sim = carom.Simulation(model, sensor_seed=seed)
        sim.step(3)
        seen.append(np.array(sim.sensor("place").numpy()))
    np.testing.assert_array_equal(seen[0], seen[1])
    assert (seen[0] != seen[2]).all()
    spread = (seen[0] - scene_place(sim)).std()
    assert 0.08 < spread < 0.12  # 150 numbers
    sim.step()
    assert (sim.sensor("place").numpy() != seen[2]).all()  # another reading, another draw


def scene_place(sim):
    return np.array(sim.state.body_q.numpy()).reshape(50, 3, 7)[:, 0, :3]


def test_what_is_refused(carom):
    model = scene(carom)
    sim = carom.Simulation(model)
    with pytest.raises(carom.Error, match="no sensor 'foot'; near are 'feet'"):
        sim.sensor("foot")
    with pytest.raises(carom.Error, match="no layout 'plain'"):
        sim.sensor("feet", layout="plain")
    with pytest.raises(carom.Error, match="no instant 'after'"):
        sim.sensor("feet", when="after")
    with pytest.raises(carom.Error, match="'place' is a framepos sensor"):
        sim.contact_sensor("place")
    other = scene(carom)
    with pytest.raises(carom.Error):
        model.get_sensor_value("feet", other.state())
