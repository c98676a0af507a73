"""contacts="mujoco" beside MuJoCo: how many points, where and how deep, for random poses of each pair of shapes."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import mujoco
from test_tilted_boxes import product, quaternion

POSES = 60


def prism(corners, radius, half_height):
    angle = np.arange(corners) * 2 * np.pi / corners
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return np.concatenate([np.c_[ring, np.full(corners, z)] for z in (-half_height, half_height)])


def rounded(count):
    points = np.random.default_rng(3).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [0.2, 0.15, 0.1]


MESHES = {"brick": np.array([[x, y, z] for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.2, 0.2)]),
          "prism": prism(7, 0.15, 0.1), "stone": rounded(40)}
SHAPES = {"plane": 'type="plane" size="0 0 1"', "capsule": 'type="capsule" size=".1 .2"',
          "cylinder": 'type="cylinder" size=".15 .1"', "box": 'type="box" size=".2 .15 .1"',
          **{name: f'type="mesh" mesh="{name}"' for name in MESHES}}


class Pair:
    """Shape a in the world, shape b free; margin: the sum of both."""

    def __init__(self, a, b, margin):
        vertices = {name: " ".join(map(repr, map(float, points.ravel()))) for name, points in MESHES.items()}
        assets = "".join(f'<mesh name="{name}" vertex="{text}"/>' for name, text in vertices.items() if name in (a, b))
        self.mujoco = mujoco.MjModel.from_xml_string(
            f"""<mujoco><asset>{assets}</asset><default><geom margin="{margin / 2}"/></default><worldbody>
            <geom {SHAPES[a]}/><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom {SHAPES[b]}/>
            </body></worldbody></mujoco>"""
        )
        self.data = mujoco.MjData(self.mujoco)
        self.size = min(bound for bound in self.mujoco.geom_rbound if bound > 0)
        builder = carom.ModelBuilder()
        builder.add_world(carom.from_mujoco(self.mujoco))
        self.model = builder.finalize()
        self.pipeline = carom.CollisionPipeline(self.model, contacts="mujoco")
        self.margin, self.has_plane = margin, a == "plane"

    def distance(self, pose):
        self.data.qpos[:] = pose
        mujoco.mj_kinematics(self.mujoco, self.data)
        return mujoco.mj_geomDistance(self.mujoco, self.data, 0, 1, 3.0, None)

    def poses(self, seed):
        """b moved up to a from any side, turned any way, or by right angles and a little more; overlapping by 1e-4 to
        0.1 of the size, or within the margin."""
        random = np.random.default_rng(seed)
        for k in range(POSES):
            q = random.normal(size=4)
            if k % 3 > 0:
                turns = [quaternion(np.eye(3)[random.integers(3)], random.integers(4) * np.pi / 2) for _ in range(2)]
                q = product(quaternion([0, 0, 1], random.uniform(-np.pi, np.pi)), product(*turns))
                axis = random.normal(size=3)
                q = product(quaternion(axis / np.linalg.norm(axis), 10 ** random.uniform(-5, -0.5)), q)
            q /= np.linalg.norm(q)
            way = np.array([0, 0, 1.0]) if self.has_plane else random.normal(size=3)
            way, aside = way / np.linalg.norm(way), random.uniform(-0.1, 0.1, 3)
            wanted = -self.size * 10 ** random.uniform(-4, -1)
            if self.margin > 0 and k % 4 == 0:
                wanted = self.margin * random.uniform(0.1, 0.9)
            low, high = -2.0 if self.has_plane else 0.0, 2.0
            for _ in range(40):
                middle = (low + high) / 2
                above = self.distance([*(aside + way * middle), *q]) > wanted
                low, high = (low, middle) if above else (middle, high)
            pose = np.array([*(aside + way * low), *q])
            if abs(self.distance(pose) - wanted) < 0.2 * abs(wanted):
                yield pose

    def found(self, pose):
        """Points, normals from a to b, distances: carom's and MuJoCo's."""
        state = self.model.state()
        state.body_q.numpy()[0] = [*pose[:3], *pose[4:], pose[3]]
        contacts = self.pipeline.collide(state)
        count = int(contacts.rigid_contact_count.numpy()[0])
        ours = contacts.rigid_contact_point, contacts.rigid_contact_normal, contacts.rigid_contact_depth
        point, normal, depth = (np.array(column.numpy()[:count]) for column in ours)
        self.data.qpos[:] = pose
        mujoco.mj_fwdPosition(self.mujoco, self.data)
        theirs = self.data.contact
        sign = np.where(np.array(theirs.geom).reshape(-1, 2)[:, 0] == 0, 1, -1)
        normals = np.array(theirs.frame).reshape(-1, 9)[:, :3] * sign[:, None]
        return (point, normal, -depth), (np.array(theirs.pos).reshape(-1, 3), normals, np.array(theirs.dist))


def difference(ours, theirs):
    """The greatest of all points, in place, normal and distance, from the nearest of the others."""
    if len(ours[0]) != len(theirs[0]):
        return np.inf
    gaps = [np.abs(a[:, None] - b[None]).reshape(len(a), len(b), -1).max(axis=2) for a, b in zip(ours, theirs)]
    gap = np.maximum.reduce(gaps)
    return max(gap.min(axis=0).max(initial=0), gap.min(axis=1).max(initial=0))


# Pairs with a formula: the same points. A capsule exactly along an edge is left to rounding by MuJoCo, and so is which
# vertex of a face that lies flat is lowest.
SAME = ["plane-cylinder", "plane-box", "plane-brick", "plane-prism", "plane-stone", "capsule-capsule", "capsule-box",
        "box-capsule", "box-box"]


@pytest.mark.parametrize("margin", [0, 0.02])
@pytest.mark.parametrize("pair", SAME)
def test_the_same_points(pair, margin):
    shapes = Pair(*pair.split("-"), margin)
    differences = [difference(*shapes.found(pose)) for seed in range(3) for pose in shapes.poses(seed)]
    assert len(differences) > 2 * POSES
    assert np.mean(np.array(differences) < 1e-7) > (0.98 if pair == "plane-prism" else 0.995)


# The others: as many points, as deep. MuJoCo ends its searches over curved shapes at 1e-6, which turns normals by 1e-3.
# Bounds: of how many poses the number, and the depth within 1e-5 of the size, is the same.
ALIKE = {"box-brick": (0.99, 0.97), "box-prism": (0.99, 0.97), "box-stone": (0.99, 0.97), "prism-brick": (0.99, 0.97),
         "stone-prism": (0.98, 0.95), "capsule-brick": (0.98, 0.88), "capsule-stone": (0.97, 0.88),
         "cylinder-box": (0.88, 0.72), "prism-cylinder": (0.85, 0.7), "cylinder-cylinder": (0.85, 0.8),
         "capsule-cylinder": (0.88, 0.88)}


@pytest.mark.parametrize("margin", [0, 0.02])
@pytest.mark.parametrize("pair", ALIKE)
def test_as_many_and_as_deep(pair, margin):
    shapes = Pair(*pair.split("-"), margin)
    counts, depths = [], []
    for seed in range(3):
        for pose in shapes.poses(seed):
            ours, theirs = shapes.found(pose)
            assert (len(ours[0]) == 0) == (len(theirs[0]) == 0)
            if len(ours[0]) > 0:
                counts.append(len(ours[0]) == len(theirs[0]))
                depths.append(abs(ours[2].min() - theirs[2].min()) < 1e-5 * shapes.size)
    assert np.mean(counts) >= ALIKE[pair][0] and np.mean(depths) >= ALIKE[pair][1]


def test_a_simulation_passes_it_on():
    """A cylinder stands on four points of its rim, or on MuJoCo's three."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 0.0999, 0, 0, 0, 1))
    builder.add_shape_cylinder(body, radius=0.15, half_height=0.1)
    model = builder.finalize()
    counts = {}
    for contacts in ("carom", "mujoco"):
        simulation = carom.Simulation(model, contacts=contacts)
        counts[contacts] = int(simulation.contacts.rigid_contact_count.numpy()[0])
        simulation.step(10)
        simulation.reset()
        assert int(simulation.contacts.rigid_contact_count.numpy()[0]) == counts[contacts]
    assert counts == {"carom": 4, "mujoco": 3}


def test_bad_names_are_refused():
    builder = carom.ModelBuilder()
    builder.add_shape_sphere(builder.add_body(), radius=1)
    model = builder.finalize()
    for make in (carom.Simulation, carom.CollisionPipeline, carom.CollisionPipelineUnified.from_model):
        with pytest.raises(carom.Error, match='no contacts \'newton\'; use "carom" or "mujoco"'):
            make(model, contacts="newton")
