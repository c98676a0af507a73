"""Sensors of motion against MuJoCo, in double precision: every type, on random trees that touch the ground and each
other, in several worlds, at poses and speeds that are theirs alone."""

import numpy as np
import pytest

from mujoco_motion import make_simulation, solve_strictly
from mujoco_states import MODELS, find_model, mujoco

WORLDS = 4
TOLERANCE = 1e-6  # of what is compared, beside its size

FRAMES = ["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"]
OF_JOINTS = ["jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "ballquat", "ballangvel"]
OF_SITES = ["accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"]
OF_SUBTREES = ["subtreecom", "subtreelinvel", "subtreeangmom"]
OTHERS = ["touch", "camprojection", "framelinacc", "frameangacc", "insidesite", "e_potential", "e_kinetic", "clock"]
MOTION = FRAMES + OF_JOINTS + OF_SITES + OF_SUBTREES + OTHERS
CONDIMS = [1, 3, 4, 6]


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


class RandomTree:
    """MJCF of trees of bodies on a plane, with sensors of every type that looks at what they have."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.bodies = self.sites = self.cameras = 0
        self.hinges, self.balls, self.sensors = [], [], []

    def uniform(self, low, high, size=None):
        return self.rng.uniform(low, high, size)

    def pose(self, reach=0.3):
        return f'pos="{numbers(self.uniform(-reach, reach, 3))}" euler="{numbers(self.uniform(-180, 180, 3))}"'

    def joints(self, free):
        if free:
            return f'<freejoint name="free{self.bodies}"/>'
        kind = self.rng.integers(5)
        if kind == 0:
            return ""
        name = f"j{self.bodies}"
        spring = f'stiffness="{self.uniform(0, 5):.6f}" armature="{self.uniform(0, 0.1):.6f}" damping="0.1"'
        if kind == 1:
            self.balls.append(name)
            return f'<joint name="{name}" type="ball" {spring} limited="true" range="0 40" margin="0.2"/>'
        axes = []
        for k in range(1 if kind < 4 else 3):
            slides = kind == 3 or (kind == 4 and k == 0)
            size = "-.1 .1" if slides else "-20 20"
            axes.append(f'<joint name="{name}_{k}" type="{"slide" if slides else "hinge"}" {spring} limited="true" '
                        f'range="{size}" margin="0.05" axis="{numbers(self.uniform(-1, 1, 3))}" '
                        f'pos="{numbers(self.uniform(-0.1, 0.1, 3)) if kind < 4 else "0 0 0"}"/>')
            self.hinges.append(f"{name}_{k}")
        return "".join(axes)

    def body(self, depth):
        self.bodies += 1
        mine = self.bodies
        joints = self.joints(depth == 0)
        condim = self.rng.choice(CONDIMS)
        place = f'pos="{numbers(self.uniform(-2, 2, 2))} .12"' if depth == 0 else self.pose()
        text = (f'<body name="b{mine}" {place}>{joints}<geom name="g{mine}" size="{self.uniform(0.1, 0.2):.6f}" '
                f'condim="{condim}" friction="1 .02 .01" pos="{numbers(self.uniform(-0.05, 0.05, 3))}"/>'
                f'<site name="s{mine}" {self.pose(0.1)} type="box" size="{numbers(self.uniform(0.1, 0.25, 3))}"/>'
                f'<camera name="c{mine}" {self.pose()} resolution="640 480" fovy="{self.uniform(30, 90):.6f}"/>')
        self.sites += 1
        for _ in range(0 if depth == 3 else self.rng.integers(1, 3)):
            text += self.body(depth + 1)
        return text + "</body>"

    def objects(self):
        i = self.rng.integers(1, self.bodies + 1)
        kind = self.rng.choice(["body", "xbody", "geom", "site", "camera"])
        return kind, {"body": "b", "xbody": "b", "geom": "g", "site": "s", "camera": "c"}[kind] + str(i)

    def add(self, kind, attributes=""):
        self.sensors.append(f'<{kind} name="{kind}{len(self.sensors)}" {attributes}/>')

    def add_sensors(self):
        for i in range(1, self.bodies + 1):
            for kind in OF_SITES + ["touch"]:
                self.add(kind, f'site="s{i}"')
            for kind in OF_SUBTREES:
                self.add(kind, f'body="b{i}"')
            self.add("camprojection", f'site="s{i}" camera="c{self.rng.integers(1, self.bodies + 1)}"')
        for kind in FRAMES + ["framelinacc", "frameangacc"]:
            for related in (False, False, True, True):
                thing, name = self.objects()
                text = f'objtype="{thing}" objname="{name}"'
                if related and not kind.endswith("acc"):
                    thing, name = self.objects()
                    text += f' reftype="{thing}" refname="{name}"'
                self.add(kind, text)
        for kind in ("jointpos", "jointvel", "jointlimitpos", "jointlimitvel"):
            for name in self.hinges:
                self.add(kind, f'joint="{name}"')
        for kind in ("ballquat", "ballangvel", "jointlimitpos", "jointlimitvel"):
            for name in self.balls:
                self.add(kind, f'joint="{name}"')
        for i in range(1, self.bodies + 1):
            thing, name = self.objects()
            self.add("insidesite", f'site="s{i}" objtype="{thing}" objname="{name}"')
        for kind in ("e_potential", "e_kinetic", "clock"):
            self.add(kind)
        self.add("subtreecom", 'body="world"')

    def tendon(self):
        if not self.hinges:
            return ""
        parts = "".join(f'<joint joint="{name}" coef="{self.uniform(-2, 2):.6f}"/>' for name in self.hinges[:3])
        spring = 'stiffness="3 2 1" springlength="-.02 .01"'
        return f'<tendon><fixed name="t" {spring} armature=".2">{parts}</fixed></tendon>'

    def scene(self):
        bodies = "".join(self.body(0) for _ in range(2))
        self.add_sensors()
        return (f'<mujoco><option magnetic="{numbers(self.uniform(-1, 1, 3))}"/>'
                f'<worldbody><geom name="ground" type="plane" size="5 5 1"/>{bodies}</worldbody>'
                f'{self.tendon()}<sensor>{"".join(self.sensors)}</sensor></mujoco>')


def states(model, rng, count, speed=2.0):
    """Poses near qpos0, as MuJoCo moves there, and velocities: (count, nq), (count, nv)."""
    qpos = np.tile(model.qpos0, (count, 1))
    for q in qpos:
        mujoco.mj_integratePos(model, q, rng.uniform(-0.3, 0.3, model.nv), 1)
    return qpos, rng.uniform(-speed, speed, (count, model.nv))


def check_sensors(model, steps=2, seed=0, atol=TOLERANCE):
    """What sensors of motion read in every world, with each step, is what MuJoCo's read. Returns the types compared."""
    model.sensor_noise[:] = 0  # which MuJoCo keeps and never adds
    solve_strictly(model)
    rng = np.random.default_rng(seed)
    qpos, qvel = states(model, rng, WORLDS)
    simulation = make_simulation(model, qvel, qpos, contacts="mujoco")
    push = rng.uniform(-3, 3, (WORLDS, model.nbody - 1, 6))
    bodies = len(simulation.state.body_f) // WORLDS  # joints of one body may need others between
    applied = np.zeros((WORLDS, bodies, 6))
    applied[:, :model.nbody - 1] = push
    simulation.state.body_f.assign(applied.reshape(-1, 6))
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for world, data in enumerate(datas):
        data.qpos[:], data.qvel[:], data.xfrc_applied[1:] = qpos[world], qvel[world], push[world]
    compared = set()
    for step in range(steps):
        simulation.step()
        for world, data in enumerate(datas):
            mujoco.mj_step(model, data)
            for sensor in range(model.nsensor):
                kind = mujoco.mjtSensor(model.sensor_type[sensor]).name.removeprefix("mjSENS_").lower()
                if kind not in MOTION:
                    continue
                name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, sensor)
                first, dim = model.sensor_adr[sensor], model.sensor_dim[sensor]
                wanted = data.sensordata[first:first + dim]
                got = simulation.sensor(name, layout="mujoco").numpy()[world]
                np.testing.assert_allclose(got, wanted, rtol=atol, atol=atol * max(1, np.abs(wanted).max()),
                                           err_msg=f"{name} of world {world}, step {step}")
                compared.add(kind)
    return compared


# Points that a shape is the convex hull of, without the ball around them; and how far points are outside of a shape.
def core_of(kind, size):
    x, y, z = (list(size) + [0, 0])[:3]
    turn = np.linspace(0, 2 * np.pi, 20000, endpoint=False)
    rim = np.stack([x * np.cos(turn), x * np.sin(turn), 0 * turn], 1)
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(-1, 3)
    return {"sphere": (np.zeros((1, 3)), x), "capsule": (np.array([[0, 0, y], [0, 0, -y]]), x),
            "box": (corners * [x, y, z], 0), "cylinder": (np.concatenate([rim + [0, 0, y], rim - [0, 0, y]]), 0)}[kind]


def outside(kind, size, points):
    round_part = np.hypot(points[:, 0], points[:, 1])
    if kind == "sphere":
        return np.linalg.norm(points, axis=1) - size[0]
    if kind == "capsule":
        return np.hypot(round_part, np.maximum(np.abs(points[:, 2]) - size[1], 0)) - size[0]
    past = np.abs(points) - size if kind == "box" else np.stack([round_part, np.abs(points[:, 2])], 1) - size
    return np.linalg.norm(np.maximum(past, 0), axis=1) + np.minimum(past.max(axis=1), 0)


@pytest.mark.parametrize("seed", range(4))
def test_enclosed_shapes_jut_out_by_their_farthest_point(seed):
    """MuJoCo looks for that point, too, and finds one that is less far out here and there: it bounds the result."""
    rng, sizes = np.random.default_rng(seed), {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}
    shapes, bodies, sensors = [], "", ""
    for i in range(30):
        kind, zone = rng.choice(list(sizes), 2)
        size, room = rng.uniform(0.1, 0.5, sizes[kind]), rng.uniform(0.2, 0.9, sizes[zone])
        shapes.append((kind, size, zone, room))
        bodies += (f'<body pos="{3 * i} 0 0"><freejoint/><geom name="g{i}" type="{kind}" size="{numbers(size)}" '
                   f'pos="{numbers(rng.uniform(-0.3, 0.3, 3))}" euler="{numbers(rng.uniform(-180, 180, 3))}"/>'
                   f'<site name="s{i}" type="{zone}" size="{numbers(room)}" '
                   f'euler="{numbers(rng.uniform(-180, 180, 3))}"/></body>')
        sensors += f'<insidesite name="{i}" objtype="geom" objname="g{i}" site="s{i}" enclosed="true"/>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{bodies}</worldbody><sensor>{sensors}</sensor></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    simulation = make_simulation(model, np.zeros((1, model.nv)))
    simulation.step()
    for i, (kind, size, zone, room) in enumerate(shapes):
        points, ball = core_of(kind, size)
        there = points @ data.geom_xmat[i].reshape(3, 3).T + data.geom_xpos[i] - data.site_xpos[i]
        farthest = outside(zone, room, there @ data.site_xmat[i].reshape(3, 3)).max() + ball
        got = simulation.sensor(str(i), layout="mujoco").numpy()[0, 0]
        np.testing.assert_allclose(got, farthest, atol=1e-6, err_msg=f"{kind} in {zone}")
        assert data.sensordata[i] <= got + 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    model = mujoco.MjModel.from_xml_string(RandomTree(seed).scene())
    compared = check_sensors(model, seed=seed)
    assert compared >= set(MOTION) - set(OF_JOINTS)  # hinges and balls are not in every tree


def add_sensor(spec, kind, objtype, objname):
    kind_of = getattr(mujoco.mjtSensor, f"mjSENS_{kind}")
    spec.add_sensor(name=f"{kind} of {objname}", type=kind_of, objtype=objtype, objname=objname)


def add_sensors_everywhere(path, rng):
    """The model of a file with a site and its sensors on every body."""
    spec = mujoco.MjSpec.from_file(str(path))
    for i, body in enumerate(spec.bodies[1:]):
        body.name = body.name or f"body{i}"
        site = body.add_site(name=f"felt{i}", pos=rng.uniform(-0.1, 0.1, 3), quat=rng.normal(size=4),
                             type=mujoco.mjtGeom.mjGEOM_BOX, size=rng.uniform(0.05, 0.2, 3))
        for kind in ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE"):
            add_sensor(spec, kind, mujoco.mjtObj.mjOBJ_SITE, site.name)
        for kind in ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM"):
            add_sensor(spec, kind, mujoco.mjtObj.mjOBJ_BODY, body.name)
    return spec.compile()


# A ball of that one touches the ground by the last bit of its height: whether it does is rounding.
@pytest.mark.parametrize("name", [name for name in MODELS if name != "gymnasium/point.xml"])
def test_sensors_on_every_body(name):
    check_sensors(add_sensors_everywhere(find_model(name), np.random.default_rng(3)))


# Those that have sensors of motion.
@pytest.mark.parametrize("name", ["agility_cassie/cassie.xml", "bitcraze_crazyflie_2/cf2.xml", "skydio_x2/x2.xml"])
def test_sensors_of_robots(name):
    check_sensors(mujoco.MjModel.from_xml_path(str(find_model(f"menagerie/{name}"))))
