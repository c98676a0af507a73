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
        # Nothing else constrains them: what MuJoCo's solver does to the joints is this force and its reaction.
        reproduced = np.zeros(native.nv)
        for sign, name in ((1, "b2"), (-1, "b1")):
            mujoco.mj_applyFT(native, data, sign * force, sign * torque, point, native.body(name).id, reproduced)
        np.testing.assert_allclose(reproduced, data.qfrc_constraint, atol=1e-6)
        touched += bool(np.abs(torque).max() > 1e-3)
    assert touched > 10


@pytest.mark.parametrize("cone", CONES)
def test_subtrees_of_humanoids(cone):
    """Counts of subtrees and of pairs of them add up, as MuJoCo's test has it."""
    native, data, sim = load(find_model("mujoco_tests/contact_subtree.xml"), cone)
    found = False
    for _ in range(60):
        mujoco.mj_step(native, data, 5)
        sim.step(5)
        count = {name: sim.sensor(name, layout="mujoco").numpy()[0] for name in sim.sensor_keys}
        assert count["t1"] == count["w_t1"] + count["t1_t1"] + count["t1_t2"]
        assert count["all"] == count["w_t1"] + count["w_t2"] + count["t1_t1"] + count["t2_t2"] + count["t1_t2"]
        found = found or count["all"] > 4
    assert found


@pytest.mark.parametrize("cone", CONES)
def test_parts_of_a_subtree(cone):
    _, _, sim = load(find_model("mujoco_tests/contact_subtree_partial.xml"), cone)
    sim.step(round(0.6 / sim.dt))
    names = ["all", "world", "thigh", "shin", "foot", "foot_w", "foot_w2"]
    assert [sim.sensor(name, layout="mujoco").numpy()[0] for name in names] == [4, 4, 4, 2, 1, 0, 1]


@pytest.mark.parametrize("cone", CONES)
def test_sorted(cone):
    _, _, sim = load(find_model("mujoco_tests/contact_sorted.xml"), cone)
    sim.step(50)
    dist = sim.sensor("sorted dist", layout="mujoco").numpy()
    force = np.linalg.norm(sim.sensor("sorted force", layout="mujoco").numpy().reshape(4, 3), axis=1)
    assert (np.diff(dist) > 0).all() and (np.diff(force) < 0).all()
    assert sim.sensor("smallest dist", layout="mujoco").numpy()[0] == dist[0]
    assert np.linalg.norm(sim.sensor("largest force", layout="mujoco").numpy()) == force[0]
    assert set(sim.sensor("unsorted", layout="mujoco").numpy()) == set(dist)


# -- Older readings

DT = 0.004
HISTORIES = {
    "whole steps": f'nsample="5" delay="{3 * DT}"',
    "between steps": f'nsample="5" delay="{2.37 * DT}" interp="linear"',
    "longer than what is kept": f'nsample="4" delay="{7.5 * DT}"',
    "interval": f'nsample="2" interval="{2.3 * DT}"',
    "interval, phase and delay": f'nsample="6" interval="{3.4 * DT} {-0.9 * DT}" delay="{4.45 * DT}" interp="cubic"',
}


@pytest.mark.parametrize("history", HISTORIES)
def test_delays_and_intervals(history):
    """All fields, of a box that slides and a ball that bounces on it, step by step."""
    sensors = "".join(f'<contact name="{reduce}" {two} data="{data}" num="3" reduce="{reduce}" {HISTORIES[history]}/>'
                      for reduce, two, data in (("none", 'geom1="floor" body2="box"', FIELDS),
                                                ("maxforce", 'body1="box"', "found force pos"),
                                                ("netforce", 'subtree2="ball"', "found force torque pos")))
    native, data, sim = load(f"""<mujoco><option timestep="{DT}" gravity="1 .4 -9.81"/><worldbody>
      <geom name="floor" type="plane" size="0 0 1"/>
      <body name="box" pos="0 0 .14" euler="3 5 7"><freejoint/>
        <geom type="box" size=".2 .15 .1" mass="2" friction=".3"/></body>
      <body name="ball" pos=".05 .02 .4"><freejoint/><geom size=".1" mass="1" solref="-3000 -5"/></body>
      </worldbody><sensor>{sensors}</sensor></mujoco>""")
    told = 0
    for step in range(150):
        mujoco.mj_step(native, data)
        sim.step()
        for sensor in range(native.nsensor):
            wanted = expected(native, data, sensor)
            np.testing.assert_allclose(sim.sensor(sensor_name(native, sensor), layout="mujoco").numpy(), wanted,
                                       atol=1e-6 * max(1, np.abs(wanted).max()), err_msg=f"step {step}")
            told += wanted.any()
    assert told > 200


# -- A robot

FEET = ["FR", "FL", "RR", "RL"]


@pytest.mark.parametrize("solver", carom.solver_names())
def test_a_robot_that_stands_reads_its_weight(solver):
    """A quadruped with twelve servos, from the keyframe of its file, a second and a half later: what its feet feel,
    what the floor feels and what the joints pass on."""
    spec = mujoco.MjSpec.from_file(str(find_model("menagerie/unitree_go1/scene.xml")))
    contact, body, xbody = mujoco.mjtSensor.mjSENS_CONTACT, mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_XBODY
    force, net = [1 << 1, 3, 1], mujoco.mjtObj.mjOBJ_UNKNOWN  # its data, reduce="netforce", one slot
    for foot in FEET:
        spec.add_sensor(name=foot, type=contact, objtype=net, reftype=xbody, refname=f"{foot}_calf", intprm=force)
    spec.add_sensor(name="trunk", type=contact, objtype=net, reftype=xbody, refname="trunk", intprm=force)
    spec.add_sensor(name="floor", type=contact, objtype=net, reftype=body, refname="world", intprm=force)
    native = spec.compile()
    model = carom.from_mujoco(native).finalize()
    sim = carom.Simulation(model, solver=solver)
    home = native.key("home")
    sim.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(native, home.qpos[None]).reshape(-1))
    sim.control.ctrl.assign(carom.mujoco.ctrl_from_mujoco(native, home.ctrl[None]).reshape(-1))
    sim.step(round(1.5 / sim.dt))
    weight = native.body_mass.sum() * 9.81
    # Under "xpbd" forces tremble by a percent from step to step, as long as it makes one sweep: their mean counts.
    readings = []
    for _ in range(100 if solver == "xpbd" else 1):
        feet = np.array([sim.sensor(foot, layout="mujoco").numpy() for foot in FEET])
        readings.append(feet.sum(axis=0))
        if solver == "xpbd":
            sim.step()
    feet = np.array([sim.sensor(foot, layout="mujoco").numpy() for foot in FEET])
    assert (feet[:, 2] > 0.15 * weight).all()  # it stands on all four
    np.testing.assert_allclose(np.mean(readings, axis=0), [0, 0, weight], atol=0.005 * weight)
    np.testing.assert_allclose(sim.sensor("trunk", layout="mujoco").numpy(), feet.sum(axis=0), atol=1e-9 * weight)
    np.testing.assert_allclose(sim.sensor("floor", layout="mujoco").numpy(), -feet.sum(axis=0), atol=1e-9 * weight)
    mean = sum(sim.contact_sensor(foot).mean_force_on_second.numpy()[0] for foot in FEET)
    assert abs(mean[2] - weight) < 0.05 * weight  # the first steps among them


# -- Random scenes

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
