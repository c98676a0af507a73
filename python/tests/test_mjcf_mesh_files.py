"""Mesh files as MuJoCo reads them: notations of OBJ, corners of STL that are one vertex, files that meshes share."""

import math
import struct

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_fields import differences, our_fields
from mujoco_states import mujoco

OBJ = """# a wedge
o wedge
v 0 0 0
v\t1  0 0
 v 0 1 0 \r
v 0 0 1e0
v 1 0 1
v 0 1 1
vn 0 0 1
vt 0 0

g faces
s off
f 1/1/1 3/1/1 2/1/1
f -3/1/1 5/1/1 6/1/1
f 1/1/1 2/1/1 5/1/1 4/1/1
f 2/1/1 3/1/1 6/1/1 5/1/1
f 3/1/1 1/1/1 4/1/1 6/1/1"""
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 4)]
TRIANGLES = [[CORNERS[i] for i in corners] for corners in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]


def stl_bytes(triangles, zero=0.0):
    """Half of the zeros are `zero`: -0 is another point."""
    data = b"stl".ljust(80) + struct.pack("<I", len(triangles))
    for i, triangle in enumerate(triangles):
        corners = [zero if x == 0 and i % 2 else x for corner in triangle for x in corner]
        data += struct.pack("<12fH", 0, 0, 0, *corners, 0)
    return data


def model_of(tmp_path, meshes, geoms):
    path = tmp_path / "model.xml"
    bodies = "".join(f'<body pos="{2 * i} 0 0"><freejoint/>{geom}</body>' for i, geom in enumerate(geoms))
    path.write_text(f"<mujoco><asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>")
    return path


def assert_as_mujoco(path):
    assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []


def test_notations_of_obj(tmp_path):
    for end in ("", "\n", "\n\n# end"):
        (tmp_path / "wedge.obj").write_text(OBJ + end)
        assert_as_mujoco(model_of(tmp_path, '<mesh file="wedge.obj"/>', ['<geom type="mesh" mesh="wedge"/>']))


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_corners_of_stl_are_joined(tmp_path, zero):
    (tmp_path / "tetra.stl").write_bytes(stl_bytes(TRIANGLES, zero))
    path = model_of(tmp_path, '<mesh file="tetra.stl"/>', ['<geom type="mesh" mesh="tetra"/>'])
    assert our_fields(path)["mesh_vertnum"] == [4 if math.copysign(1, zero) > 0 else 8]
    assert_as_mujoco(path)


def test_large_stl(tmp_path):
    """A sphere of 20,000 triangles on a grid of latitude and longitude."""
    n = 100
    angle = np.linspace(0, np.pi, n + 1)[:, None], np.linspace(0, 2 * np.pi, n, endpoint=False)[None]
    grid = np.stack([np.sin(angle[0]) * np.cos(angle[1]), np.sin(angle[0]) * np.sin(angle[1]),
                     np.cos(angle[0]) + 0 * angle[1]], -1).astype(np.float32)
    grid[0], grid[-1] = (0, 0, 1), (0, 0, -1)
    triangles = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = grid[i, j], grid[i + 1, j], grid[i + 1, (j + 1) % n], grid[i, (j + 1) % n]
            for t in ([a, b, c], [a, c, d]):
                if not any(np.array_equal(t[k], t[k - 1]) for k in range(3)):
                    triangles.append(t)
    (tmp_path / "ball.stl").write_bytes(stl_bytes([[tuple(map(float, p)) for p in t] for t in triangles]))
    seen = '<geom type="mesh" mesh="ball" contype="0" conaffinity="0"/>'
    path = model_of(tmp_path, '<mesh file="ball.stl"/>', [seen])
    assert our_fields(path)["mesh_vertnum"] == [n * (n - 1) + 2]


def test_meshes_of_one_file(tmp_path):
    """Each has its own scale and inertia; one that is wrong is told, the first of several."""
    (tmp_path / "wedge.obj").write_text(OBJ)
    meshes = '<mesh name="a" file="wedge.obj"/><mesh name="b" file="wedge.obj" scale="1 -2 1"/>' \
             '<mesh name="c" file="wedge.obj" refpos="1 2 3" inertia="exact"/><mesh name="d" file="wedge.obj"/>'
    geoms = [f'<geom type="mesh" mesh="{name}"/>' for name in "abcd"]
    assert_as_mujoco(model_of(tmp_path, meshes, geoms))
    bad = meshes.replace('name="b"', 'name="b" content_type="model/stl"').replace('name="d"', 'name="c"')
    with pytest.raises(carom.Error, match="wedge.obj: not a binary STL"):
        carom.load_mjcf(model_of(tmp_path, bad, geoms))


def test_hulls_of_files_are_hulls(tmp_path):
    """A collidable mesh becomes the hull that the builder makes of its vertices."""
    (tmp_path / "wedge.obj").write_text(OBJ)
    model = carom.load_mjcf(model_of(tmp_path, '<mesh file="wedge.obj"/>', ['<geom type="mesh" mesh="wedge"/>'] * 2))
    assert model.shape_count == 2
    sim = carom.Simulation(model)
    assert sim.step(5).numpy().tolist() == [0]
