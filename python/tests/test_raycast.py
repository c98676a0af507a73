"""Rays in all worlds at once: shapes of arrays, rays that bodies carry, lidars, and bad input."""

import math

import numpy as np
import pytest

TOLERANCE = {np.float32: 2e-5, np.float64: 1e-9}


def worlds_of_balls(carom, worlds=3, ground=True):
    """A plane for all; in world w a ball at x = 2 + w and a carrier at the origin with a ball of its own."""
    builder = carom.ModelBuilder()
    if ground:
        builder.add_ground_plane()
    for world in range(worlds):
        builder.begin_world()
        builder.add_shape_sphere(builder.add_body(xform=(2 + world, 0, 1, 0, 0, 0, 1)), radius=0.5, key="ball")
        builder.add_shape_sphere(builder.add_body(xform=(0, 0, 1, 0, 0, 0, 1), key="carrier"), radius=0.25)
        builder.end_world()
    return builder.finalize()


def test_shapes_of_arrays(carom, real):
    model = worlds_of_balls(carom)
    state = model.state()
    one = carom.cast_rays(model, state, (-1, 0, 1), (1, 0, 0))
    assert one.distance.shape == one.shape.shape == (3, 1) and one.normal.shape == (3, 1, 3)
    assert one.distance.numpy().ravel() == pytest.approx([0.75] * 3, abs=TOLERANCE[real])
    fan = carom.cast_rays(model, state, (0.5, 0, 1), [(1, 0, 0), (0, 0, -2), (0, 0, 1)])
    assert fan.distance.numpy() == pytest.approx(np.array([[1 + w, 1, -1] for w in range(3)]), abs=TOLERANCE[real])
    ball = [model.find_shape("ball", w) for w in range(3)]
    assert fan.shape.numpy().tolist() == [[b, 0, -1] for b in ball]
    expected = np.tile([(-1, 0, 0), (0, 0, 1), (0, 0, 0)], (3, 1, 1))
    assert fan.normal.numpy() == pytest.approx(expected, abs=TOLERANCE[real])
    origin = np.zeros((3, 1, 3), real)
    origin[:, 0] = [(0.5 * w + 0.5, 0, 1) for w in range(3)]
    each = carom.cast_rays(model, state, origin, [(1, 0, 0), (0, 0, -1)])
    assert each.distance.numpy() == pytest.approx(np.array([[1 + 0.5 * w, 1] for w in range(3)]), abs=TOLERANCE[real])


def test_a_model_without_worlds(carom, real):
    """Its arrays have no axis for worlds."""
    builder = carom.ModelBuilder()
    builder.add_shape_box(builder.add_body(xform=(0, 0, 1, 0, 0, 0, 1), key="box"), hx=0.5, hy=0.5, hz=0.5)
    model = builder.finalize()
    hits = carom.cast_rays(model, model.state(), [(0, 0, 3), (0, 0, 1)], [(0, 0, -1), (1, 0, 0)])
    assert hits.distance.numpy() == pytest.approx([1.5, 0.5], abs=TOLERANCE[real])
    assert hits.normal.numpy() == pytest.approx(np.array([(0, 0, 1), (1, 0, 0)]), abs=TOLERANCE[real])
    rays = carom.Rays(model, (0, 0, 0), [(1, 0, 0), (0, 1, 0)], body="box")
    assert rays.body.numpy().tolist() == [0, 0] and rays.origin.shape == (2, 3)
    assert carom.RayCaster(model).cast(model.state(), rays).shape.numpy().tolist() == [-1, -1]


def test_rays_are_written_in_place(carom, real):
    """Rays are made once; what is written to their arrays counts at the next cast."""
    model = worlds_of_balls(carom)
    state, caster = model.state(), carom.RayCaster(model)
    rays = carom.Rays(model, (0.5, 0, 1), (1, 0, 0))
    assert caster.cast(state, rays).distance.numpy().ravel() == pytest.approx([1, 2, 3], abs=TOLERANCE[real])
    rays.origin.numpy()[1] = (1.5, 0, 1)
    assert caster.cast(state, rays).distance.numpy().ravel() == pytest.approx([1, 1, 3], abs=TOLERANCE[real])
    hits = caster.cast(state, rays, max_distance=2, with_normals=False)
    assert hits.shape.numpy()[2, 0] == -1 and hits.normal.shape == (0, 3)


def test_carried_rays(carom, real):
    """A body carries its rays, and they pass its shapes; by key, by index, or with nothing excluded."""
    model = worlds_of_balls(carom)
    state = model.state()
    half = math.sqrt(0.5)
    carriers = [model.find_body("carrier", w) for w in range(3)]
    for body in carriers:
        state.body_q.numpy()[body, 3:] = (0, 0, half, half)  # its -y is the world's x
    for body in ("carrier", carriers, np.array(carriers)[:, None]):
        hits = carom.cast_rays(model, state, (0, 0, 0), (0, -1, 0), body=body)
        assert hits.distance.numpy().ravel() == pytest.approx([1.5, 2.5, 3.5], abs=TOLERANCE[real])
    own = carom.cast_rays(model, state, (0, 0, 0), (0, -1, 0), body="carrier", exclude_body=-1)
    assert own.distance.numpy().ravel() == pytest.approx([0.25] * 3, abs=TOLERANCE[real])
    passed = carom.cast_rays(model, state, (-1, 0, 1), (1, 0, 0), exclude_body="carrier")
    assert passed.distance.numpy().ravel() == pytest.approx([2.5, 3.5, 4.5], abs=TOLERANCE[real])


def test_rays_at_sites(carom, real):
    """In the frame of a site: those that its body carries, displaced and turned; of the world, where it has no body."""
    half = math.sqrt(0.5)
    world = carom.ModelBuilder()
    carrier = world.add_body(xform=(1, 2, 3, 0, 0, half, half), key="carrier")  # its x is the world's y
    world.add_shape_sphere(carrier, radius=0.1)
    world.add_site(carrier, xform=(0.5, 0, 0, 0, half, 0, half), key="eye")  # its z is the body's x
    world.add_site(-1, xform=(0, 0, 5, 1, 0, 0, 0), key="lamp")  # its z looks down
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(-1, hx=9, hy=0.5, hz=9, xform=(0, 8, 0, 0, 0, 0, 1))
    builder.replicate(world, 2)
    model = builder.finalize()
    state, ahead = model.state(), ((0, 0, 0.5), (0, 0, 2))
    for site in ("eye", [model.find_shape("eye", w) for w in range(2)]):
        hits = carom.cast_rays(model, state, *ahead, site=site)
        assert hits.shape.numpy().ravel().tolist() == [1, 1]
        assert hits.distance.numpy().ravel() == pytest.approx([7.5 - 2 - 0.5 - 0.5] * 2, abs=TOLERANCE[real])
    down = carom.cast_rays(model, state, *ahead, site="lamp")
    assert down.distance.numpy().ravel() == pytest.approx([4.5] * 2, abs=TOLERANCE[real])
    assert carom.Rays(model, *ahead, site="lamp").body.numpy().ravel().tolist() == [-1, -1]


def test_chosen_shapes(carom):
    model = worlds_of_balls(carom)
    state, down = model.state(), ((2, 0, 5), (0, 0, -1))
    assert carom.cast_rays(model, state, *down).shape.numpy()[0, 0] == model.find_shape("ball", 0)
    assert carom.cast_rays(model, state, *down, shapes=[0]).shape.numpy().tolist() == [[0]] * 3
    moving = carom.cast_rays(model, state, *down, include_static=False).shape.numpy().ravel()
    assert moving.tolist() == [model.find_shape("ball", 0), -1, -1]
    assert carom.cast_rays(model, state, *down, shapes=[]).shape.numpy().tolist() == [[-1]] * 3


def test_lidar(carom, real):
    """A lidar at 1 m over the ground: where its rays look down they meet the plane at 1 m / sin."""
    pattern = carom.lidar_pattern(channels=4, horizontal_steps=8, lowest=-0.6, highest=0.3).numpy()
    assert pattern.shape == (32, 3) and np.linalg.norm(pattern, axis=1) == pytest.approx(1, abs=1e-6)
    elevation = np.arcsin(pattern[:, 2]).reshape(8, 4)
    assert elevation == pytest.approx(np.tile([-0.6, -0.3, 0, 0.3], (8, 1)), abs=1e-6)
    azimuth = np.arctan2(pattern[::4, 1], pattern[::4, 0])[1:]  # the first one is behind, at pi or -pi
    assert azimuth == pytest.approx(np.pi * (np.arange(1, 8) / 4 - 1), abs=1e-6)
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    model = builder.finalize()
    distance = carom.cast_rays(model, model.state(), (0, 0, 1), pattern).distance.numpy().reshape(8, 4)
    assert distance[:, :2] == pytest.approx(np.tile(1 / np.sin([0.6, 0.3]), (8, 1)), rel=1e-5)
    assert (distance[:, 3] == -1).all()


def bad_calls(carom):
    model = worlds_of_balls(carom)
    state, x = model.state(), (1, 0, 0)
    first = model.find_body("carrier", 0)

    def cast(*args, **more):
        return lambda: carom.cast_rays(model, state, *args, **more)

    return {
        "direction: expected (3,), (rays, 3) or (worlds, rays, 3) numbers, got an array of shape (2)":
            cast((0, 0, 0), (1, 0)),
        "origin: expected rays of 3 worlds, got an array of shape (2, 1, 3)": cast(np.zeros((2, 1, 3)), x),
        "direction: expected 2 rays of a world": cast(np.zeros((2, 3)), np.ones((4, 3))),
        "origin: expected an array of numbers": cast("here", x),
        "ray 0 of world 0: the direction has no length": cast((0, 0, 0), (0, 0, 0)),
        "ray 1 of world 0: direction": cast((0, 0, 0), [x, (math.nan, 0, 0)]),
        "ray 0 of world 0: origin": cast((0, math.inf, 0), x),
        f"ray 0 of world 1: body {first} is of world 0": cast((0, 0, 0), x, body=first),
        "excluded body 77 does not exist": cast((0, 0, 0), x, exclude_body=77),
        "body -2 does not exist": cast((0, 0, 0), x, body=-2),
        "body: expected one index, one per world (3) or one per ray (3), got 2": cast((0, 0, 0), x, body=[0, 1]),
        "both body and site are given": cast((0, 0, 0), x, body=0, site=0),
        "ray 0: shape 99 does not exist": cast((0, 0, 0), x, site=99),
        "exclude_body: expected an array of integers": cast((0, 0, 0), x, exclude_body=0.5),
        "'nobody'": cast((0, 0, 0), x, body="nobody"),
        "max_distance must be positive": cast((0, 0, 0), x, max_distance=0),
        "shape 99 does not exist": cast((0, 0, 0), x, shapes=[99]),
        "state belongs to another model": lambda: carom.cast_rays(model, worlds_of_balls(carom).state(), (0, 0, 0), x),
        "channels": lambda: carom.lidar_pattern(channels=0),
        "must ascend": lambda: carom.lidar_pattern(lowest=1, highest=0),
        "horizontal_fov": lambda: carom.lidar_pattern(horizontal_fov=7),
    }


def test_bad_input(carom):
    """What is wrong is named, with the ray and its world."""
    for words, call in bad_calls(carom).items():
        with pytest.raises(carom.Error) as error:
            call()
        assert words in str(error.value), (words, str(error.value))
