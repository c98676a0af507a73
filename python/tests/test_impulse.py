"""Impulses of collisions and what they do to bodies, one by one and in arrays."""

import numpy as np
import pytest

DRONE = (0.0061, 0.00653, 0.0116)
ZERO = (0, 0, 0)


@pytest.fixture
def near(real):
    """Compares with figures of nine digits: to 1e-8, or to what seven digits of input allow."""
    tolerance = 1e-8 if real is np.float64 else 2e-6

    def compare(a, b, scale=1.0):
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)

    return compare


def random_contacts(count, seed=1):
    rng = np.random.default_rng(seed)

    def vectors(size):
        return rng.uniform(-size, size, (count, 3))

    return dict(
        v1=vectors(2), w1=vectors(2), self_euler=vectors(3), v2=vectors(2), w2=vectors(2), target_euler=vectors(3),
        r1=vectors(1), r2=vectors(1), m1=rng.uniform(0.2, 3, count), m2=rng.uniform(0.2, 3, count),
        I1=rng.uniform(0.1, 1, (count, 3)), I2=rng.uniform(0.1, 1, (count, 3)), normal=vectors(1),
        e=rng.uniform(0, 1, count),
    )


def rotation(euler):
    (sx, sy, sz), (cx, cy, cz) = np.sin(euler), np.cos(euler)
    x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return z @ y @ x


def reference(c):
    """The textbook formula in float64."""
    n = c["normal"] / np.linalg.norm(c["normal"])
    u = c["v1"] + np.cross(c["w1"], c["r1"]) - c["v2"] - np.cross(c["w2"], c["r2"])
    k = 1 / c["m1"] + 1 / c["m2"]
    for r, moments, euler in ((c["r1"], c["I1"], c["self_euler"]), (c["r2"], c["I2"], c["target_euler"])):
        R = rotation(euler)
        k += np.cross(r, n) @ (R @ np.diag(1 / moments) @ R.T) @ np.cross(r, n)
    return -(1 + c["e"]) * (u @ n) / k * n


def test_reference_figures(carom, near):
    """The derived figures of spheres, a wall, a rod and drones."""
    ones = (1, 1, 1)
    near(carom.impulse_by_collision((1, 0, 0), ZERO, ZERO, (-1, 0, 0), ZERO, ZERO, (1, 0, 0), (-1, 0, 0), 1, 1, ones,
                                    ones, (1, 0, 0), 1), (-2, 0, 0))
    near(carom.impulse_by_collision((10, 10, 10), ZERO, ZERO, ZERO, (0, 0, 1), 1, ones, (0, 0, 1), 0.5), (0, 0, -15))
    rod = (1 / 12, 1, 1 / 12)
    J = carom.impulse_by_collision((1, 0, 0), ZERO, ZERO, ZERO, (0, 0.5, 0), 1, rod, (-1, 0, 0), 1)
    near(J, (-0.5, 0, 0))
    near(carom.delta_angular_velocity_from_impulse(J, (0, 0.5, 0), rod), (0, 0, 3))
    J = carom.impulse_by_collision((3, 0, 0), ZERO, ZERO, ZERO, (0.1, 0.1, 0), 0.71, DRONE, (-1, 0, 0), 0.8)
    near(J, (-2.37831016, 0, 0))
    near(carom.delta_velocity_from_impulse(J, 0.71), (-3.34973262, 0, 0))
    near(carom.delta_angular_velocity_from_impulse(J, (0.1, 0.1, 0), DRONE), (0, 0, 20.5026738), 5)
    J = carom.impulse_by_collision((1, 0, 0), (0, 0, 2), ZERO, (-1, 0.2, 0), (0.5, 0, 0), (0.3, 0.2, 0.1),
                                   (0.1, 0.05, 0), (-0.1, 0.05, 0.02), 0.71, 0.71, DRONE, DRONE, (1, 0.2, 0), 0.5)
    near(J, (-0.820622249, -0.16412445, 0))
    near(carom.delta_angular_velocity_from_impulse(-J, (-0.1, 0.05, 0.02), DRONE, euler=(0.3, 0.2, 0.1)),
         (0.463167322, 1.4371127, -5.1195), 10)


def test_usage_of_the_design_document(carom, near):
    """Both methods of the document, velocities at once and through an integrator."""
    mass, r1, dt = 0.71, np.array((0.1, 0.1, 0)), 0.01
    v_current, w_current = np.array((3.0, 0, 0)), np.zeros(3)
    impulse = carom.impulse_by_collision(v_current, w_current, ZERO, ZERO, r1, mass, DRONE, (-1, 0, 0), 0.8)
    v_after = v_current + carom.delta_velocity_from_impulse(impulse, mass)
    near(v_current + dt * carom.acceleration_from_impulse(impulse, mass, dt), v_after)
    near(carom.acceleration_by_force(carom.force_from_impulse(impulse, dt), mass) * dt, v_after - v_current)
    w_after = w_current + carom.delta_angular_velocity_from_impulse(impulse, r1, DRONE)
    near(w_current + dt * carom.angular_acceleration_from_impulse(impulse, r1, DRONE, dt), w_after, 10)
    torque = carom.torque_from_impulse(impulse, r1, dt)
    near(carom.angular_acceleration_by_torque(torque, DRONE) * dt, w_after - w_current, 10)


def test_arrays_are_single_contacts(carom, real):
    """Rows have the bits of single calls, and the values of the formula."""
    contacts = random_contacts(200)
    for options in ({}, {"friction": 0.4}, {"friction": np.linspace(0, 1, 200), "oriented": True}):
        J = carom.impulse_by_collision(**contacts, **options)
        assert J.shape == (200, 3) and J.dtype == real
        for i in range(200):
            one = {name: column[i] for name, column in contacts.items()}
            own = options | ({"friction": options["friction"][i]} if np.ndim(options.get("friction")) else {})
            single = carom.impulse_by_collision(**one, **own)
            assert single.shape == (3,) and single.tobytes() == J[i].tobytes()
            if not options:
                np.testing.assert_allclose(single, reference(one), atol=200 * np.finfo(real).eps)


def test_rows_and_single_values_mix(carom):
    """One value stands for all rows; inertias may be moments or tensors."""
    contacts = random_contacts(50)
    mixed = contacts | {"m1": 2.0, "v2": (1, 0, 0), "I2": (1, 2, 3), "e": 0.5}
    rows = {name: np.broadcast_to(column, (50, *np.shape(contacts[name])[1:])) for name, column in mixed.items()}
    J = carom.impulse_by_collision(**mixed)
    assert (carom.impulse_by_collision(**rows) == J).all()
    one_row = mixed | {name: np.asarray(mixed[name])[None] for name in ("m1", "v2", "e")}
    assert (carom.impulse_by_collision(**one_row) == J).all()
    tensors = mixed | {"I1": np.array([np.diag(moments) for moments in contacts["I1"]]), "I2": np.diag((1, 2, 3))}
    np.testing.assert_allclose(carom.impulse_by_collision(**tensors), J, rtol=1e-6)
    assert (carom.impulse_by_collision(**mixed, queue=carom.Queue(threads=1)) == J).all()


def test_helpers_take_rows(carom, real):
    """Every function gives for rows what it gives for each of them."""
    rng = np.random.default_rng(2)
    J, r, w = (rng.normal(size=(20, 3)) for _ in range(3))
    mass, dt = rng.uniform(1, 2, 20), rng.uniform(0.1, 1, 20)
    moments, euler = rng.uniform(1, 2, (20, 3)), rng.uniform(-1, 1, (20, 3))
    e = rng.uniform(0, 1, 20)
    P = carom.ImpulseProfile
    for function, *arguments in (
        (carom.delta_velocity_from_impulse, J, mass),
        (carom.acceleration_from_impulse, J, mass, dt),
        (carom.acceleration_by_force, J, mass),
        (carom.force_from_impulse, J, dt),
        (carom.torque_from_impulse, J, r, dt),
        (carom.delta_angular_velocity_from_impulse, J, r, moments, euler),
        (carom.angular_acceleration_from_impulse, J, r, moments, dt, euler),
        (carom.angular_acceleration_by_torque, J, moments, w, euler),
        (carom.velocity_after_contact_with_wall, J, r, e),
        (carom.velocity_after_contact_with_wall, J, r, w, e),
        (lambda J, T, t: carom.force_at(J, T, P.HERTZ, t), J, mass, dt),
        (lambda J, T, t: carom.impulse_until(J, T, P.HALF_SINE, t), J, mass, dt),
    ):
        all_rows = function(*arguments)
        assert all_rows.shape == (20, 3) and all_rows.dtype == real
        for i in range(20):
            assert function(*(argument[i] for argument in arguments)).tobytes() == all_rows[i].tobytes()


def test_the_older_function_differs(carom, near):
    """velocity_after_contact_with_wall scales the tangential velocity, an impulse does not."""
    v = np.array((10.0, 10, 10))
    near(carom.velocity_after_contact_with_wall(v, (0, 0, 1), 0.5), (5, 5, -5))
    near(carom.velocity_after_contact_with_wall(v, (1, 2, 3), (1, 2, 4), 0.5), (5, 5, -5))
    J = carom.impulse_by_collision(v, ZERO, ZERO, ZERO, (0, 0, 1), 1, (1, 1, 1), (0, 0, 1), 0.5)
    near(v + J, (10, 10, -5))


def test_spread(carom, real):
    """Steps of any lengths add up to the impulse and its moment."""
    J, r = np.array((1.0, -2, 3)), np.array((0.5, 0, 1))
    for profile in (carom.ImpulseProfile.RECTANGLE, carom.ImpulseProfile.HALF_SINE, carom.ImpulseProfile.HERTZ):
        spread = carom.ImpulseSpread(J, r, 0.02, profile)
        total, moment = np.zeros(3), np.zeros(3)
        for dt in (0.001, 0.004, 0.0005, 0.01, 0.01):
            assert not spread.finished
            force, torque = spread.step(dt)
            total += force * real(dt)
            moment += torque * real(dt)
        assert spread.finished and spread.time > 0.02
        np.testing.assert_allclose(total, J, rtol=20 * np.finfo(real).eps)
        np.testing.assert_allclose(moment, np.cross(r, J), rtol=40 * np.finfo(real).eps)
        np.testing.assert_allclose(spread.given, J, rtol=20 * np.finfo(real).eps)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"m1": 0}, "m1 must be positive, is 0"),
        ({"I1": (1, -1, 1)}, "I1 must have positive moments"),
        ({"I1": np.ones((3, 3))}, "I1 must be symmetric and positive definite"),
        ({"normal": ZERO}, "normal must be finite and unequal to zero"),
        ({"e": 1.5}, "e must be in [0, 1], is 1.5"),
        ({"friction": -1}, "friction must be finite and not negative, is -1"),
        ({"v1": (1, 2)}, "v1: expected (3,) or (N, 3) numbers, got an array of shape (2)"),
        ({"v1": "fast"}, "v1: expected numbers, got 'fast'"),
        ({"m1": [[1]]}, "m1: expected a number or (N,) of them"),
        ({"I1": (1, 2)}, "I1: expected (3,) moments"),
        ({"v1": np.ones((4, 3)), "m1": np.ones(5)}, "m1: has 5 rows, others have 4"),
        ({"m1": [1, 2, 0, 4]}, "m1 of row 2 must be positive, is 0"),
        ({"m1": np.inf, "I1": (np.inf,) * 3}, "m1 and m2 are infinite"),
    ],
)
def test_bad_input(carom, change, message):
    """Errors name the argument, its value and its row."""
    good = dict(v1=(1, 0, 0), w1=ZERO, self_euler=ZERO, v2=ZERO, r1=ZERO, m1=1, I1=(1, 1, 1), normal=(1, 0, 0), e=1)
    carom.impulse_by_collision(**good)
    with pytest.raises(carom.Error) as caught:
        carom.impulse_by_collision(**good | change)
    assert message in str(caught.value)


def test_bad_rows_of_helpers(carom):
    """The other functions name the row, too."""
    with pytest.raises(carom.Error, match=r"mass must be positive, is -1 \(row 1\)"):
        carom.delta_velocity_from_impulse(np.ones((3, 3)), [1, -1, 1])
    with pytest.raises(carom.Error, match="delta_time must be positive and finite, is 0"):
        carom.force_from_impulse((1, 2, 3), 0)
    with pytest.raises(carom.Error, match="contact_position - center_position"):
        carom.velocity_after_contact_with_wall((1, 2, 3), (1, 1, 1), (1, 1, 1), 0.5)
    with pytest.raises(carom.Error, match="duration"):
        carom.ImpulseSpread((1, 2, 3), ZERO, -1)


CUBE = dict(self_euler=ZERO, v2=ZERO, w2=ZERO, target_euler=ZERO, r2=ZERO, m1=1, m2=np.inf, I1=(1 / 6,) * 3,
            I2=(np.inf,) * 3)


def test_a_box_lands_on_four_corners(carom, real):
    """Together the corners make it bounce without spin, with one mean impulse."""
    corners = np.array([(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    J, converged = carom.solve_pair(v1=(0, 0, -1), w1=ZERO, r1=corners, normal=(0, 0, -1), e=0.5, friction=0.5, **CUBE)
    assert converged and J.shape == (4, 3) and J.dtype == real
    np.testing.assert_allclose(J.sum(axis=0), (0, 0, 1.5), atol=1e-5)
    np.testing.assert_allclose(np.cross(corners, J).sum(axis=0), ZERO, atol=1e-5)


def test_one_point_of_a_pair_is_a_collision(carom):
    one = dict(CUBE, v1=(1, 0, -1), w1=(1, 2, 0), r1=(0.5, 0.2, -0.5), normal=(0, 0, -2), e=0.5)
    J, _ = carom.solve_pair(friction=0.3, tangential_restitution=0.2, **one)
    expected = carom.impulse_by_collision(friction=0.3, tangential_restitution=0.2, oriented=True, **one)
    np.testing.assert_allclose(J, expected, atol=1e-5)


def test_bad_pairs_are_refused(carom):
    good = dict(CUBE, v1=(0, 0, -1), w1=ZERO, r1=np.zeros((2, 3)), normal=(0, 0, -1), e=0.5)
    with pytest.raises(carom.Error, match="one velocity"):
        carom.solve_pair(**dict(good, v1=np.zeros((2, 3))))
    with pytest.raises(carom.Error, match="r2.*3 rows"):
        carom.solve_pair(**dict(good, r2=np.zeros((3, 3))))
    with pytest.raises(carom.Error, match="e .*row 1"):
        carom.solve_pair(**dict(good, e=(0.5, 2)))
    with pytest.raises(carom.Error, match="max_iterations"):
        carom.solve_pair(max_iterations=0, **good)
