"""Sensors of motion against MuJoCo, in double precision: every type, on random trees that touch the ground and each
other, in several worlds, at poses and speeds that are theirs alone."""

import numpy as np
import pytest

from mujoco_motion import make_simulation
from mujoco_sensors import check_sensors
from mujoco_states import compile_xml, mujoco

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
    compared = check_sensors(model, seed=seed, kinds=MOTION)
    assert compared >= set(MOTION) - set(OF_JOINTS)  # hinges and balls are not in every tree


TIED = """
<body name="base" pos="0 0 1"><joint type="ball"/><geom type="box" size=".1 .1 .1" mass="1"/><site name="s0"/>
  <body name="arm" pos="0 0 .3"><joint type="hinge" axis="0 1 0" damping=".1"/><site name="s1" euler="10 20 30"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="2"/>
    <body name="hand" pos=".5 0 0"><joint type="hinge" axis="1 1 0"/><geom size=".1" mass="1"/>
      <site name="s2" pos=".1 .2 .3" euler="40 50 60"/></body>
  </body>
</body>
<body name="box" pos=".5 .2 1.2" euler="20 30 40"><freejoint/><geom type="box" size=".1 .2 .1" mass="3"/>
  <site name="s3" pos=".1 0 0"/></body>"""
TIES = {
    "connect to the world": '<connect body1="hand" anchor=".1 0 .1"/>',
    "connect": '<connect body1="hand" body2="box" anchor=".1 .05 0"/>',
    "weld to the world": '<weld body1="arm" torquescale=".3"/>',
    "weld": '<weld body1="hand" body2="box" torquescale="2" anchor=".1 .2 .3" relpose=".1 .2 .3 1 .2 .3 .4"/>',
    "several": '<weld body1="base" body2="box"/><connect body1="arm" body2="box" anchor=".2 0 0"/>'
               '<weld body1="hand" active="false"/><connect site1="s2" site2="s3"/>',
}


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
@pytest.mark.parametrize("ties", TIES)
def test_forces_of_bodies_that_are_tied(ties, integrator):
    """What connects and welds do to a body is not carried by its joint."""
    lines = "".join(f'<{kind} name="{kind}{i}" site="s{i}"/>' for kind in ("force", "torque") for i in range(4))
    model = compile_xml(TIED, option=f'integrator="{integrator}"', flags='contact="disable"', equality=TIES[ties],
                        sensor=lines)
    check_sensors(model, steps=4)


PATHS = {
    "spring": '<spatial stiffness="30" springlength=".4"><site site="s0"/><site site="s2"/></spatial>',
    "dead band": '<spatial stiffness="30 -5 20" springlength=".2 .6"><site site="s1"/><site site="s3"/></spatial>',
    "pulley": '<spatial stiffness="20" springlength=".1"><site site="s0"/><site site="s1"/><pulley divisor="2"/>'
              '<site site="s2"/><site site="s3"/></spatial>',
    "with one of joints": '<fixed stiffness="3" springlength=".1"><joint joint="elbow" coef="2"/></fixed>'
                          '<spatial stiffness="30"><site site="s0"/><site site="s3"/></spatial><spatial><site '
                          'site="s0"/><site site="s1"/></spatial>',
}


@pytest.mark.parametrize("path", PATHS)
def test_energies_of_tendons_through_space(path):
    body = TIED.replace('axis="0 1 0"', 'axis="0 1 0" name="elbow"')
    model = compile_xml(body, flags='contact="disable"', tendon=PATHS[path],
                        sensor='<e_potential name="potential"/><e_kinetic name="kinetic"/>')
    check_sensors(model, steps=4)
