"""Rays beside MuJoCo's mj_ray: distances, shapes and normals in random scenes of every type of geom,
from outside and inside, with bodies excluded and without what never moves."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import mujoco
from test_mujoco_contacts import MESHES

SCENES, RAYS = 12, 150
TYPES = {"sphere": ".3", "capsule": ".15 .3", "ellipsoid": ".2 .3 .4", "cylinder": ".2 .3", "box": ".2 .3 .25"}
MESH = next(iter(MESHES))
EXACT, RANGE = 1e-9, 50  # [m]; rays that graze a plane meet it farther away, where a digit more or less is metres


def numbers(values):
    return " ".join(map(repr, map(float, np.ravel(values))))


def scene(seed):
    """Free bodies, one for motion capture, welded ones and geoms of the world, over a heightfield with a flat border.
    Meshes collide, so that they are hulls in carom, or do not; a convex one has the same surface either way."""
    random = np.random.default_rng(seed)
    heights = random.uniform(0, 1, (7, 9))
    heights[0] = heights[-1] = heights[:, 0] = heights[:, -1] = 0

    def geom(kind, at=""):
        size = f'type="{kind}" size="{TYPES[kind]}"' if kind in TYPES else f'type="mesh" mesh="{MESH}"'
        collides = "" if random.uniform() < 0.5 else 'contype="0" conaffinity="0"'
        return f"<geom {size} {collides} {at}/>"

    def pose():
        return f'pos="{numbers(random.uniform((-2, -2, 0.5), (2, 2, 2.5)))}" quat="{numbers(random.normal(size=4))}"'

    kinds = [*TYPES, "mesh"]
    parts = [geom(kind, pose()) for kind in kinds]
    parts += [f"<body {pose()}>{geom(kind)}</body>" for kind in kinds]
    parts += [f'<body mocap="true" {pose()}>{geom("box")}</body>']
    parts += [f"<body {pose()}><freejoint/>{geom(kind)}{geom('sphere', pose())}</body>" for kind in kinds]
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset><mesh name="{MESH}" vertex="{numbers(MESHES[MESH])}"/>
        <hfield name="hills" nrow="7" ncol="9" size="6 6 .5 .01" elevation="{numbers(heights)}"/></asset>
        <worldbody><geom type="hfield" hfield="hills"/><geom type="plane" size="0 0 1" pos="0 0 -1"/>
        <geom type="plane" size="0 0 1" pos="0 -5 0" quat="1 -1 0 0"/>{''.join(parts)}</worldbody></mujoco>"""
    )


def rays_over(random, count):
    origin = random.uniform((-2.5, -2.5, 0.6), (2.5, 2.5, 3), (count, 3))
    target = random.uniform((-2, -2, -0.5), (2, 2, 2.5), (count, 3))
    return origin, (target - origin) * random.uniform(0.2, 3, (count, 1))


class Scene:
    def __init__(self, seed, worlds=2):
        self.mujoco = scene(seed)
        self.data = mujoco.MjData(self.mujoco)
        mujoco.mj_forward(self.mujoco, self.data)
        builder = carom.ModelBuilder()
        for _ in range(worlds):
            builder.add_world(carom.from_mujoco(self.mujoco))
        self.model = builder.finalize()
        self.state = self.model.state()
        self.shapes = self.model.shape_count // worlds  # of a world: geoms, in their order
        self.bodies = self.model.body_count // worlds

    def theirs(self, origin, direction, static=True, exclude=-1):
        """Distance [m], geom and normal of each ray."""
        found = []
        for p, d in zip(origin, direction):
            geom, normal = np.zeros(1, np.int32), np.zeros(3)
            t = mujoco.mj_ray(self.mujoco, self.data, p, d, None, static, exclude, geom, normal)
            distance = t * np.linalg.norm(d)
            found.append((distance, geom[0], *normal) if 0 <= distance <= RANGE else (-1, -1, 0, 0, 0))
        table = np.array(found)
        return table[:, 0], table[:, 1].astype(int), table[:, 2:]

    def check(self, hits, expected):
        """All worlds alike, and as MuJoCo has it. Where two surfaces are at one place either may be met."""
        distance, geom, normal = expected
        shape = hits.shape.numpy()
        assert (np.where(shape[0] >= 0, shape[1] - self.shapes, -1) == shape[0]).all()
        for world in range(2):
            assert hits.distance.numpy()[world] == pytest.approx(distance, abs=EXACT)
        assert (shape[0] == geom).mean() > 0.99
        same = shape[0] == geom
        steep = np.abs(hits.normal.numpy()[0][same] - normal[same]).max(axis=1)
        assert np.sort(steep)[:-1].max() < 1e-6  # but for a ray through an edge


@pytest.mark.parametrize("seed", range(SCENES))
def test_random_scenes(seed):
    s, random = Scene(seed), np.random.default_rng(100 + seed)
    origin, direction = rays_over(random, RAYS)
    hits = carom.cast_rays(s.model, s.state, origin, direction, max_distance=RANGE)
    expected = s.theirs(origin, direction)
    s.check(hits, expected)
    assert len(set(expected[1])) > 10 and (hits.distance.numpy() >= 0).mean() > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_excluded_bodies_and_static_geoms(seed):
    s, random = Scene(seed), np.random.default_rng(200 + seed)
    origin, direction = rays_over(random, RAYS)
    body = int(random.integers(s.bodies))
    excluded = [body, body + s.bodies]
    hits = carom.cast_rays(s.model, s.state, origin, direction, exclude_body=excluded, max_distance=RANGE)
    s.check(hits, s.theirs(origin, direction, exclude=body + 1))
    hits = carom.cast_rays(s.model, s.state, origin, direction, include_static=False, max_distance=RANGE)
    s.check(hits, s.theirs(origin, direction, static=False))


@pytest.mark.parametrize("seed", range(3))
def test_multi_ray_and_cutoff(seed):
    """A lidar as mj_ray casts it, ray by ray, and with a shorter range. mj_multiRay of MuJoCo 4.0 passes through some
    geoms that mj_ray meets: it sees nothing nearer, and mostly the same."""
    s = Scene(seed)
    pattern = np.array(carom.lidar_pattern(channels=8, horizontal_steps=40).numpy())
    count, origin = len(pattern), np.array((0.1, 0.2, 1.6))
    distance, geom, _ = s.theirs(np.tile(origin, (count, 1)), pattern)
    ours = carom.cast_rays(s.model, s.state, origin, pattern, max_distance=RANGE)
    assert ours.distance.numpy()[1] == pytest.approx(distance, abs=EXACT)
    assert (ours.shape.numpy()[0] == geom).all()
    near = carom.cast_rays(s.model, s.state, origin, pattern, max_distance=1.5).distance.numpy()[0]
    assert near == pytest.approx(np.where(distance <= 1.5, distance, -1), abs=EXACT)
    assert 0 < (near >= 0).sum() < (distance >= 0).sum()
    multi, ids = np.zeros(count), np.zeros(count, np.int32)
    mujoco.mj_multiRay(s.mujoco, s.data, origin, pattern.ravel(), None, True, -1, ids, multi, None, count, RANGE)
    multi[multi > RANGE] = -1  # the cutoff is of geoms as a whole
    assert (multi[multi >= 0] >= distance[multi >= 0] - EXACT).all()
    assert (np.abs(multi - distance) <= EXACT).mean() > 0.9


def test_rangefinders():
    """Rays along z of a site, carried by its body, read what MuJoCo's rangefinder reads."""
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="0 0 1"/><geom type="box" size=".2 .2 .2" pos="1 0 .2"/>
        <body name="drone" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .02" mass="1"/>
        <site name="down" pos=".05 0 -.01" euler="170 15 0"/><site name="ahead" euler="0 100 0"/></body>
        </worldbody><sensor><rangefinder site="down"/><rangefinder site="ahead"/></sensor></mujoco>"""
    )
    data = mujoco.MjData(model)
    ours = carom.from_mujoco(model).finalize()
    state = ours.state()
    frames = model.site_pos, [np.zeros(9), np.zeros(9)]
    for quat, matrix in zip(model.site_quat, frames[1]):
        mujoco.mju_quat2Mat(matrix, quat)
    direction = [matrix.reshape(3, 3)[:, 2] for matrix in frames[1]]
    rays, caster = carom.Rays(ours, frames[0], direction, body="drone"), carom.RayCaster(ours)
    random, met = np.random.default_rng(3), 0
    for _ in range(50):
        data.qpos[:] = [*random.uniform((-1, -1, 0.4), (1, 1, 2)), *random.normal(size=4)]
        mujoco.mj_forward(model, data)
        q = data.qpos[3:] / np.linalg.norm(data.qpos[3:])
        state.body_q.numpy()[0] = [*data.qpos[:3], *q[1:], q[0]]
        assert caster.cast(state, rays).distance.numpy().ravel() == pytest.approx(data.sensordata, abs=EXACT)
        met += (data.sensordata >= 0).sum()
    assert 20 < met < 100
