"""Boxes that lie on each other a little askew, beside MuJoCo's own box-box: as many points, as large an area."""

import numpy as np
import pytest

import carom.f64 as carom

mujoco = pytest.importorskip("mujoco")

SCENE = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <geom name="lower" type="box" size=".5 .5 .5"/>
    <body><freejoint/><geom name="upper" type="box" size=".5 .5 .5" mass="1"/></body>
  </worldbody>
</mujoco>
"""


def quaternion(axis, angle):
    """wxyz"""
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(axis))])


def product(p, q):
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def lowest_corner(q):
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, q)
    return (corners @ matrix.reshape(3, 3).T)[:, 2].min()


def poses(tilt, depth, count):
    """One box on the other, turned by `tilt` about a level axis, its lowest corner `depth` below the other's top."""
    random = np.random.default_rng(7)
    for _ in range(count):
        about, yaw = random.uniform(-np.pi, np.pi, 2)
        q = product(quaternion([np.cos(about), np.sin(about), 0], tilt), quaternion([0, 0, 1], yaw))
        x, y = random.uniform(-0.4, 0.4, 2)
        yield np.array([x, y, 0.5 - depth - lowest_corner(q), *q])


def spanned(points):
    """Area of the convex hull of points seen from above."""
    if len(points) < 3:
        return 0.0
    center = points.mean(axis=0)
    order = np.argsort(np.arctan2(points[:, 1] - center[1], points[:, 0] - center[0]))
    x, y = points[order, 0], points[order, 1]
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def carom_points(model, pose):
    state = model.state()
    state.body_q.numpy()[0] = [*pose[:3], *pose[4:], pose[3]]
    contacts = model.collide(state)
    count = int(contacts.rigid_contact_count.numpy()[0])
    points, depths = contacts.rigid_contact_point.numpy()[:count], contacts.rigid_contact_depth.numpy()[:count]
    return points[depths >= 0], depths[depths >= 0]  # MuJoCo's scene has no margin


def mujoco_points(model, data, pose):
    data.qpos[:] = pose
    mujoco.mj_forward(model, data)
    return np.array(data.contact.pos).reshape(-1, 3), -np.array(data.contact.dist)


@pytest.mark.parametrize("depth", [1e-4, 1e-3, 0.01, 0.03, 0.05])
@pytest.mark.parametrize("tilt", [0.0, 0.005, 0.02, 0.05, 0.1, 0.2])
def test_as_many_points_and_as_wide_as_mujoco(tilt, depth):
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(theirs)
    builder = carom.ModelBuilder()
    builder.add_shape_box(-1, hx=0.5, hy=0.5, hz=0.5)
    builder.add_shape_box(builder.add_body(), hx=0.5, hy=0.5, hz=0.5)
    model = builder.finalize()
    counts, areas, deepest = np.zeros(2), np.zeros(2), np.zeros(2)
    for pose in poses(tilt, depth, 60):
        found = carom_points(model, pose), mujoco_points(theirs, data, pose)
        assert (len(found[0][0]) == 0) == (len(found[1][0]) == 0)
        if len(found[0][0]) == 0:
            continue
        for k, (points, depths) in enumerate(found):
            counts[k] += len(points)
            areas[k] += spanned(points)
            deepest[k] += depths.max()
    assert counts[0] >= 0.95 * counts[1]
    assert areas[0] >= 0.95 * areas[1] - 1e-9
    assert deepest[0] == pytest.approx(deepest[1], rel=0.05)
