"""Boxes of which one is a mesh, beside MuJoCo, which takes the mesh's convex hull: the box again. The same way out and the
same depth at seams and over edges, and the same motion."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import mujoco
from test_mujoco_parity import make_solver, solve_to_the_end
from test_tilted_boxes import product, quaternion

LOWER = np.array([1, 0.3, 0.5])


def box_mesh(half, cells):
    """Corners and triangles of a closed box whose faces are grids of cells x cells squares, each of two triangles."""
    corners, triangles = {}, []
    steps = np.linspace(-1, 1, cells + 1)

    def corner(axis, side, u, v):
        p = np.empty(3)
        p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = side, u, v
        return corners.setdefault(tuple(p), len(corners))

    for axis in range(3):
        for side in (-1, 1):
            for u0, u1 in zip(steps, steps[1:]):
                for v0, v1 in zip(steps, steps[1:]):
                    a, b, c, d = (corner(axis, side, *uv) for uv in ((u0, v0), (u1, v0), (u1, v1), (u0, v1)))
                    triangles += [(a, b, c), (a, c, d)] if side > 0 else [(a, c, b), (a, d, c)]
    return np.array(list(corners)) * half, np.array(triangles)


class Pair:
    """A box upon LOWER, which stands still; `mesh` says which of them is one."""

    def __init__(self, mesh, upper, cells, lower=LOWER):
        points, triangles = box_mesh(lower if mesh == "lower" else upper, cells)
        text = lambda array: " ".join(map(repr, map(float, np.ravel(array))))
        shape = lambda name, half: 'type="mesh" mesh="m"' if name == mesh else f'type="box" size="{text(half)}"'
        faces = " ".join(map(str, triangles.ravel()))
        self.mujoco = mujoco.MjModel.from_xml_string(
            f"""<mujoco><option timestep=".002"/>
            <asset><mesh name="m" vertex="{text(points)}" face="{faces}"/></asset>
            <worldbody><geom {shape("lower", lower)}/>
              <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".02 .02 .02"/>
                <geom {shape("upper", upper)}/></body></worldbody></mujoco>"""
        )
        solve_to_the_end(self.mujoco)
        self.data = mujoco.MjData(self.mujoco)
        builder = carom.ModelBuilder()
        cfg = carom.ShapeConfig(density=0)
        body = builder.add_body(mass=1, inertia=0.02 * np.eye(3))
        for owner, name, half in ((-1, "lower", lower), (body, "upper", upper)):
            if name == mesh:
                builder.add_shape_mesh(owner, mesh=carom.Mesh(points, triangles.ravel()), cfg=cfg)
            else:
                builder.add_shape_box(owner, hx=half[0], hy=half[1], hz=half[2], cfg=cfg)
        self.carom = builder.finalize()

    def contacts(self, pose):
        """(depths, normals from the lower to the upper) of carom, then of MuJoCo; overlaps alone."""
        state = self.carom.state()
        state.body_q.numpy()[0] = [*pose[:3], *pose[4:], pose[3]]
        found = self.carom.collide(state)
        count = int(found.rigid_contact_count.numpy()[0])
        depths, normals = found.rigid_contact_depth.numpy()[:count], found.rigid_contact_normal.numpy()[:count]
        self.data.qpos[:] = pose
        mujoco.mj_forward(self.mujoco, self.data)
        theirs = np.array(self.data.contact.frame).reshape(-1, 9)[:, :3]
        first = np.array(self.data.contact.geom).reshape(-1, 2)[:, 0]
        theirs = theirs * np.where(first == 0, 1, -1)[:, None]
        return (depths[depths > 0], normals[depths > 0]), (-np.array(self.data.contact.dist), theirs)


def poses(upper, tilt, count):
    """The box on LOWER, anywhere from well inside to far over its end, on any of its faces, turned and tilted."""
    random = np.random.default_rng(5)
    for _ in range(count):
        about, yaw = random.uniform(-np.pi, np.pi), random.choice([0.0, random.uniform(-0.7, 0.7)])
        on_face = quaternion(np.eye(3)[random.integers(3)], random.integers(4) * np.pi / 2)
        q = product(quaternion([np.cos(about), np.sin(about), 0], tilt), product(quaternion([0, 0, 1], yaw), on_face))
        matrix = np.empty(9)
        mujoco.mju_quat2Mat(matrix, q)
        reach = np.abs(matrix.reshape(3, 3)) @ upper
        depth = 10 ** random.uniform(-4, -2)
        x, y = 1 + random.uniform(-1.9, 0.9) * reach[0], random.uniform(-0.3, 0.3)
        yield np.array([x, y, LOWER[2] + reach[2] - depth, *q])


@pytest.mark.parametrize("tilt", [0.0, 1e-4, 0.01, 0.05])
@pytest.mark.parametrize("cells", [1, 3])
@pytest.mark.parametrize("mesh", ["lower", "upper"])
def test_the_same_way_out(mesh, cells, tilt):
    """As deep as MuJoCo says, and along its normal, unless the way aside is less than twice as long, or 16 times
    where a triangle is cut at its tip."""
    upper = np.array([0.1, 0.2, 0.4])
    pair = Pair(mesh, upper, cells)
    for pose in poses(upper, tilt, 60):
        (depths, normals), (their_depths, their_normals) = pair.contacts(pose)
        assert (len(depths) == 0) == (len(their_depths) == 0)
        if len(depths) == 0:
            continue
        deepest = their_depths.max()
        along = normals @ their_normals[their_depths.argmax()] > 0.5
        assert depths[~along].max(initial=0) < 16 * deepest + 1e-9
        assert depths[along].max() == pytest.approx(deepest, rel=0.06)


# The lower box, the upper one, squares along a side of the mesh, where it starts: large boxes, seams, over an edge.
SCENES = {
    "small mesh on a large box": ("upper", [5, 5, 0.5], [0.1, 0.1, 0.1], 1, [0.3, 0.2]),
    "mesh of many triangles on a large box": ("upper", [5, 5, 0.5], [0.1, 0.1, 0.1], 3, [0.3, 0.2]),
    "on a node of the mesh": ("lower", [1, 1, 0.5], [0.1, 0.1, 0.1], 4, [-0.5, 0.5]),
    "across the seams of the mesh": ("lower", [1, 1, 0.5], [0.2, 0.3, 0.1], 4, [-0.45, 0.1]),
    "over an edge of the mesh": ("lower", [1, 1, 0.5], [0.2, 0.1, 0.1], 4, [0.85, 0.1]),
}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("speed", [0.0, 0.7])
def test_the_same_motion(scene, speed):
    """200 steps at rest, or sliding until friction stops the box. The points are more than MuJoCo's, so that the ground is a
    little harder."""
    mesh, lower, upper, cells, place = SCENES[scene]
    pair = Pair(mesh, np.array(upper), cells, np.array(lower))
    pair.data.qpos[:3], pair.data.qvel[1] = [*place, lower[2] + upper[2]], speed
    sim = carom.Simulation(pair.carom, solver=make_solver(pair.carom), dt=0.002)
    sim.state.joint_q.numpy()[:3], sim.state.joint_qd.numpy()[1] = pair.data.qpos[:3], speed
    for _ in range(200):
        mujoco.mj_step(pair.mujoco, pair.data)
        assert not np.asarray(sim.step(1)).any()
        pose, theirs = sim.state.joint_q.numpy(), pair.data.qpos
        assert np.abs(pose[:3] - theirs[:3]).max() < 2e-3  # of 25 mm that it slides
        assert np.abs(pose[3:6] - theirs[4:7]).max() < 2e-3
