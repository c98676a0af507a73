"""Contact sensors against MuJoCo, in double precision: the vectors of its own tests, and random scenes with every kind
of criterion, field and reduction."""

import itertools

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import solve_strictly
from mujoco_states import find_model, mujoco

CONES = ["pyramidal", "elliptic"]
FIELDS = "found force torque dist pos normal tangent linvel angvel"


def load(text_or_path, cone=None):
    """The same model on both sides, MuJoCo's with data; both solve to the end."""
    if "<mujoco" in str(text_or_path):
        native = mujoco.MjModel.from_xml_string(text_or_path)
    else:
        native = mujoco.MjModel.from_xml_path(str(text_or_path))
    if cone:
        native.opt.cone = CONES.index(cone)
    solve_strictly(native)
    model = carom.from_mujoco(native).finalize()
    solver = carom.SolverMuJoCo(model, tolerance=1e-18, iterations=200)
    return native, mujoco.MjData(native), carom.Simulation(model, solver, contacts="mujoco")


def sensor_name(native, sensor):
    return mujoco.mj_id2name(native, mujoco.mjtObj.mjOBJ_SENSOR, sensor) or f"sensor_{sensor}"


def expected(native, data, sensor):
    first = native.sensor_adr[sensor]
    return data.sensordata[first:first + native.sensor_dim[sensor]]


@pytest.mark.parametrize("cone", CONES)
def test_vectors_of_contact(cone):
    """engine_sensor_test.cc of MuJoCo: two spheres that gravity pushes into a corner, at 2 s."""
    _, _, sim = load(find_model("mujoco_tests/contact.xml"), cone)
    sim.step(round(2 / sim.dt))
    vectors = {"all": [4], "world": [3], "b1": [3], "g1": [3], "b1:g2": [1], "b1:world": [2], "site": [2],
               "site:wall": [1],
               "wall": [1, 8, 0, 0, -1, 0, 0] + [0] * 7,
               "b2": [3, 0, 0, 0, 0, -1, 4, 0, 0, 1, 0, 0],
               "b2_flipped": [3, 0, 0, 0, 0, 1, 4, 0, 0, -1, 0, 0],
               "b2_reduced": [4, 0, 0, -1, 0, 0]}
    for name, vector in vectors.items():
        np.testing.assert_allclose(sim.sensor(name, layout="mujoco").numpy(), vector, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("cone", CONES)
def test_a_net_force_stands_for_its_contacts(cone):
    """Applied at its point it does to the second body what all contacts between the two do, force and moment, and the
    sensor of the opposite direction is its mirror."""
    native, data, sim = load(find_model("mujoco_tests/contact_net.xml"), cone)
    touched = 0
    while data.time < 0.2:
        mujoco.mj_step(native, data)
        sim.step()
        net = sim.sensor("net12", layout="mujoco").numpy().copy()
        force, torque, point = net.reshape(3, 3)
        count = sim.contacts.rigid_contact_count.numpy()[0]
        shapes = [np.array(getattr(sim.contacts, f"rigid_contact_shape{i}").numpy())[:count] for i in (0, 1)]
        body = native.geom_bodyid - 1
        sign = np.where((body[shapes[0]] == 0) & (body[shapes[1]] == 1), 1.0,
                        np.where((body[shapes[0]] == 1) & (body[shapes[1]] == 0), -1.0, 0.0))[:, None]
        f, t, p = (np.array(getattr(sim.contacts, f"rigid_contact_{field}").numpy())[:count]
                   for field in ("force", "torque", "point"))
        np.testing.assert_allclose(force, (sign * f).sum(axis=0), atol=1e-9)
        np.testing.assert_allclose(torque + np.cross(point, force), (sign * (t + np.cross(p, f))).sum(axis=0),
                                   atol=1e-9)
        mirror = sim.sensor("net21", layout="mujoco").numpy()
        np.testing.assert_allclose(mirror, net * np.repeat([-1, -1, 1], 3), atol=1e-12)
        for sensor in range(native.nsensor):
            np.testing.assert_allclose(sim.sensor(sensor_name(native, sensor), layout="mujoco").numpy(),
                                       expected(native, data, sensor), atol=1e-6)
        touched += bool(np.abs(torque).max() > 1e-3)
    assert touched > 10


def test_subtrees_of_humanoids():
    """Counts of subtrees and of pairs of them add up, as MuJoCo's test has it."""
    native, data, sim = load(find_model("mujoco_tests/contact_subtree.xml"))
    found = False
    for _ in range(60):
        mujoco.mj_step(native, data, 5)
        sim.step(5)
        count = {name: sim.sensor(name, layout="mujoco").numpy()[0] for name in sim.sensor_keys}
        assert count["t1"] == count["w_t1"] + count["t1_t1"] + count["t1_t2"]
        assert count["all"] == count["w_t1"] + count["w_t2"] + count["t1_t1"] + count["t2_t2"] + count["t1_t2"]
        found = found or count["all"] > 4
    assert found


def test_parts_of_a_subtree():
    _, _, sim = load(find_model("mujoco_tests/contact_subtree_partial.xml"))
    sim.step(round(0.6 / sim.dt))
    names = ["all", "world", "thigh", "shin", "foot", "foot_w", "foot_w2"]
    assert [sim.sensor(name, layout="mujoco").numpy()[0] for name in names] == [4, 4, 4, 2, 1, 0, 1]


def test_sorted():
    _, _, sim = load(find_model("mujoco_tests/contact_sorted.xml"))
    sim.step(50)
    dist = sim.sensor("sorted dist", layout="mujoco").numpy()
    force = np.linalg.norm(sim.sensor("sorted force", layout="mujoco").numpy().reshape(4, 3), axis=1)
    assert (np.diff(dist) > 0).all() and (np.diff(force) < 0).all()
    assert sim.sensor("smallest dist", layout="mujoco").numpy()[0] == dist[0]
    assert np.linalg.norm(sim.sensor("largest force", layout="mujoco").numpy()) == force[0]
    assert set(sim.sensor("unsorted", layout="mujoco").numpy()) == set(dist)


class RandomPile:
    """MJCF of solids that fall onto each other, and contact sensors of every kind."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def numbers(self, low, high, count):
        return " ".join(f"{x:.9f}" for x in self.rng.uniform(low, high, count))

    def geom(self, name):
        # Points of other pairs come out of searches that end at a tolerance, and forces feel its last micrometre.
        kind = self.rng.choice(["sphere", "capsule", "box"])
        return (f'<geom name="{name}" type="{kind}" size="{self.numbers(0.08, 0.15, 3)}" mass="1" '
                f'condim="{self.rng.choice([1, 3, 4, 6])}" friction="1 .05 .02" margin="0.01" '
                f'gap="{self.rng.choice([0, 0.02])}"/>')

    def scene(self, bodies=5):
        solids = ""
        for i in range(bodies):
            at = self.rng.uniform(-0.15, 0.15, 2)
            child = (f'<body name="c{i}" pos=".2 0 0"><joint type="ball"/>{self.geom(f"h{i}")}</body>'
                     if i % 2 else "")
            solids += (f'<body name="b{i}" pos="{at[0]} {at[1]} {0.2 + 0.25 * i}" euler="{self.numbers(-180, 180, 3)}">'
                       f'<freejoint/>{self.geom(f"g{i}")}{child}</body>')
        first = [""] + [f'{kind}="{name}"' for kind, name in
                        (("geom1", "g1"), ("body1", "b0"), ("body1", "world"), ("subtree1", "b1"), ("site", "volume"))]
        second = [""] + [f'{kind}="{name}"' for kind, name in
                         (("geom2", "floor"), ("geom2", "h1"), ("body2", "b2"), ("subtree2", "b3"),
                          ("subtree2", "b1"))]
        sensors = ""
        for k, (one, two) in enumerate(itertools.product(first, second)):
            for reduce in ("none", "mindist", "maxforce", "netforce"):
                data = FIELDS if reduce != "netforce" else FIELDS.replace(" linvel angvel", "")
                sensors += f'<contact name="{reduce} {k}" {one} {two} data="{data}" num="30" reduce="{reduce}"/>'
        cone = self.rng.choice(CONES)
        return (f'<mujoco><option cone="{cone}" timestep=".004"/><worldbody>'
                f'<geom name="floor" type="plane" size="0 0 1"/>'
                f'<site name="volume" type="cylinder" size=".3 .1" pos=".1 .05 .05" euler="10 20 30"/>{solids}'
                f'</worldbody><sensor>{sensors}</sensor></mujoco>')


def check_rows(ours, theirs, name):
    """The same entries; where contacts are equally near or pushed, whoever comes first may differ."""
    assert (ours[:, 0] == theirs[:, 0]).all(), name
    used = int((theirs[:, 0] > 0).sum())
    order = [np.lexsort(np.round(rows[:used, ::-1], 5).T) for rows in (ours, theirs)]
    np.testing.assert_allclose(ours[order[0]], theirs[order[1]], atol=1e-6 * max(1, np.abs(theirs).max()), err_msg=name)
    assert not ours[used:].any()


@pytest.mark.parametrize("seed", range(8))
def test_random_piles(seed):
    """From states of MuJoCo's own motion, so that what differs is the sensors' doing."""
    native, data, sim = load(RandomPile(seed).scene())
    for _ in range(4):
        mujoco.mj_step(native, data, 60)
        qpos, qvel = data.qpos.copy()[None], data.qvel.copy()[None]
        sim.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(native, qpos).reshape(-1))
        sim.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(native, qpos, qvel).reshape(-1))
        sim.step()
        mujoco.mj_step(native, data)
        for sensor in range(native.nsensor):
            name = sensor_name(native, sensor)
            slots = native.sensor_intprm[sensor, 2]
            theirs = expected(native, data, sensor).reshape(slots, -1)
            check_rows(sim.sensor(name, layout="mujoco").numpy().reshape(slots, -1), theirs, name)
