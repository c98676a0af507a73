"""Meshes and heightfields of MJCF files: hulls, fitted shapes, shells, pictures; with the numbers of MuJoCo."""

import struct
import zlib

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import CORNERS, FACES, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco


def check(text):
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def solid(geom: str, mesh: str = f"{CORNERS} {FACES}", before: str = "") -> str:
    return mjcf(f"<body><freejoint/>{geom}</body>", f'{before}<asset><mesh name="m" {mesh}/></asset>')


FITTED = ("sphere", "capsule", "ellipsoid", "cylinder", "box")


@pytest.mark.parametrize("kind", FITTED)
@pytest.mark.parametrize("around", ("false", "true"))
def test_shapes_are_fitted_to_meshes(kind, around):
    """... to the box of their inertia, or to the one around them."""
    check(solid(f'<geom type="{kind}" mesh="m" pos="1 2 3" euler="10 20 30" fitscale="1.5" size="1 1 1"/>',
                before=f'<compiler fitaabb="{around}"/>'))  # fmt: skip


def test_a_fitted_cube_is_its_mesh():
    """The box of the inertia of a box is this box."""
    corners = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-2, 2) for z in (-3, 3))
    fields = our_fields(solid('<geom type="box" mesh="m"/>', f'vertex="{corners}"'))
    np.testing.assert_allclose(sorted(fields["geom_size"]), [1, 2, 3], rtol=1e-7)


@pytest.mark.parametrize("inertia", ("convex", "exact", "legacy", "shell"))
@pytest.mark.parametrize("geom", ('type="mesh"', 'type="mesh" contype="0" conaffinity="0"', 'type="box"',
                                  'type="sdf" mass="3"', 'type="mesh" fluidshape="ellipsoid" fluidcoef="1 2 3"'))
def test_inertia_of_meshes(inertia, geom):
    """All four modes, for what collides, what is seen alone, and what is fitted."""
    check(solid(f'<geom {geom} mesh="m" pos="1 2 3"/>', f'{CORNERS} {FACES} inertia="{inertia}"'))


SIZES = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .2", "ellipsoid": ".1 .2 .3", "box": ".1 .2 .3"}


@pytest.mark.parametrize("kind", SIZES)
def test_shells_and_fluid(kind):
    """Mass on the surface alone; coefficients of the fluid."""
    size = f'type="{kind}" size="{SIZES[kind]}"'
    check(mjcf(f"""<body><freejoint/><geom {size} shellinertia="true" pos="1 2 3" euler="10 20 30"/></body>
        <body><freejoint/><geom {size} shellinertia="true" mass="2" fluidshape="ellipsoid"/><geom {size}
        shellinertia="true" density="7" pos="1 2 3" fluidshape="ellipsoid" fluidcoef="1 2"/></body>"""))


def test_shell_of_a_ball_is_two_thirds():
    """2/3 m r^2, and the area times the density."""
    fields = our_fields(mjcf('<body><freejoint/><geom size=".5" shellinertia="true" density="3"/></body>'))
    assert fields["body_mass"][1] == pytest.approx(3 * np.pi, rel=1e-14)
    assert fields["body_inertia"][3] == pytest.approx(3 * np.pi * 0.25 * 2 / 3, rel=1e-14)


def cloud(count=60):
    points = np.random.default_rng(1).normal(size=(count, 3)) * (1, 2, 3)
    return " ".join(f"{x:.6f}" for x in points.ravel())


@pytest.mark.parametrize("most", (-1, 4, 5, 8, 20, 59, 100))
@pytest.mark.parametrize("inertia", ("convex", "legacy"))
def test_hulls_with_few_corners(most, inertia):
    """maxhullvert: those corners that qhull finds first."""
    check(solid('<geom type="mesh" mesh="m"/>', f'vertex="{cloud()}" maxhullvert="{most}" inertia="{inertia}"'))


def test_sites_of_meshes():
    check(mjcf('<site type="mesh" mesh="m" pos="1 0 0"/>', f'<asset><mesh name="m" {CORNERS} {FACES}/></asset>'))


def picture(rows, width, depth, color, palette=b"", interlace=0):
    """A PNG file."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, len(rows), depth, color, 0, 0, interlace)
    data = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
    colors = chunk(b"PLTE", palette) if palette else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + colors + data + chunk(b"IEND", b"")


GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
COLORS = bytes([0, 0, 0, 255, 255, 255, 50, 100, 150, 250, 0, 0])
PICTURES = {
    "grey": picture([bytes([3, 10, 20]), bytes([100, 200, 250])], 3, 8, GREY),
    "grey, 16 bits": picture([struct.pack(">2H", 5, 1000), struct.pack(">2H", 30000, 65000)], 2, 16, GREY),
    "grey, 4 bits": picture([b"\x01", b"\xf7"], 2, 4, GREY),
    "grey, 1 bit": picture([b"\x40", b"\x80"], 2, 1, GREY),
    "colours": picture([bytes([1, 9, 9, 255, 0, 0]), bytes([90, 1, 255, 7, 255, 60])], 2, 8, RGB),
    "colours, 16 bits": picture(
        [struct.pack(">6H", 0, 9, 9, 65535, 1, 2), struct.pack(">6H", 7, 5, 0, 999, 5, 6)], 2, 16, RGB
    ),
    "palette": picture([b"\0\1", b"\2\3"], 2, 8, PALETTE, COLORS),
    "palette, 4 bits": picture([b"\x01", b"\x23"], 2, 4, PALETTE, COLORS),
    "transparent": picture([bytes([0, 255, 50, 100]), bytes([100, 0, 255, 128])], 2, 8, GREY_ALPHA),
    "transparent colours": picture(
        [bytes([0, 1, 2, 3, 9, 8, 7, 6]), bytes([5, 5, 5, 5, 250, 0, 0, 0])], 2, 8, RGB_ALPHA
    ),
    "flat": picture([b"\7\7", b"\7\7"], 2, 8, GREY),
}  # fmt: skip


def field(path, content, attributes=""):
    """A model with this file as a heightfield."""
    path.write_bytes(content)
    model = path.parent / "model.xml"
    asset = f'<asset><hfield name="h" file="{path.name}" size="1 2 3 4" {attributes}/></asset>'
    model.write_text(mjcf('<geom type="hfield" hfield="h"/>', asset))
    return model


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("file,attributes", (("h.png", ""), ("h.PNG", ""), ("h.bin", 'content_type="image/png"')))
def test_heights_of_pictures(name, file, attributes, tmp_path):
    """Grey or red, eight bits, the last row first."""
    model = field(tmp_path / file, PICTURES[name], attributes)
    assert differences(our_fields(model), mujoco.MjModel.from_xml_path(str(model))) == []


GOOD = PICTURES["grey"]
BAD_PICTURES = {
    "nothing": (b"", "not a PNG file"),
    "no picture": (b"P5 3 3 255", "not a PNG file"),
    "cut off": (GOOD[:-30], "not a PNG file"),
    "head alone": (GOOD[:40], "not a PNG file"),
    "wrong checksum": (GOOD.replace(GOOD[29:33], b"\0\0\0\0"), "not a PNG file"),
    "one pixel": (picture([b"\7"], 1, 8, GREY), "at least 2"),
    "too few rows": (picture([b"\1\2"] * 2, 2, 8, GREY)[:16] + struct.pack(">II", 2, 9) + GOOD[24:], "not a PNG file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_PICTURES)
def test_pictures_that_are_none(name, tmp_path):
    """... say so, with the element and the file."""
    content, said = BAD_PICTURES[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(field(tmp_path / "h.png", content))
    assert said in str(caught.value) and "<hfield>" in str(caught.value)


def test_pictures_that_lie_about_their_size(tmp_path):
    """A head that asks for 3.6 billion pixels is refused before any is unpacked."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 60000, 60000, 8, GREY, 0, 0, 0)
    content = GOOD[:12] + head + struct.pack(">I", zlib.crc32(head)) + GOOD[33:]
    with pytest.raises(carom.Error, match="60000 x 60000 pixels"):
        our_fields(field(tmp_path / "h.png", content))


REFUSED = {
    "maxhullvert": (solid('<geom type="mesh" mesh="m"/>', f'{CORNERS} maxhullvert="3"'), "is at least 4"),
    "plane": (mjcf('<geom type="plane" mesh="m"/>', f"<asset><mesh name='m' {CORNERS}/></asset>"), "not fitted"),
    "fromto": (solid('<geom type="capsule" mesh="m" fromto="0 0 0 1 1 1" size=".1"/>'), "together with mesh"),
    "shell of a mesh": (solid('<geom type="mesh" mesh="m" shellinertia="true"/>'), "shellinertia"),
    "no mesh": (mjcf('<geom type="box" mesh="m"/>'), "no mesh 'm'"),
    "nothing to measure": (mjcf('<geom type="sdf"/>'), "names no mesh"),
    "flat hull": (solid('<geom type="mesh" mesh="m"/>', 'vertex="0 0 0 1 0 0 0 1 0 1 1 0"'), "MJCF:1: <mesh>"),
    "site with a mesh": (mjcf('<site type="box" mesh="m"/>'), "sites of type mesh"),
    "site that is a plane": (mjcf('<site type="plane" size="1 1 1"/>'), "no plane"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    """... by MuJoCo, too."""
    text, said = REFUSED[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


def test_distance_fields_are_refused_by_name():
    """The reader has their numbers, but no shape is made of them."""
    with pytest.raises(carom.Error, match="signed distance field"):
        carom.ModelBuilder().add_mjcf(solid('<geom type="sdf" mesh="m"/>'))


BUILTIN = (
    "sphere 0", "sphere 2", "hemisphere 0", "hemisphere 3", "cone 3 0", "cone 7 .5", "cone 5 1", "supersphere 3 1 1",
    "supersphere 7 .5 2", "supertorus 3 .5 1 1", "supertorus 6 .3 2 .5", "wedge 3 4 40 60 .3", "wedge 4 2 100 80 0",
    "plate 3 4", "grid 2 3 4 1 .5 .3", "grid 4 3 1 1 .5 .3 2", "box 2 3 4 1 .5 .3", "box 4 3 2 1 .5 .3 2",
    "box 2 2 2 1 1 1.5 3", "cylinder 3 4 5 1 .5 .3", "cylinder 4 3 3 1 .5 .3 2", "ellipsoid 5 4 3 1 .5 .3",
    "ellipsoid 3 4 5 1 .5 .3 2", "square 4 3 1 1 .5 0", "disc 5 5 1 1 .5 0", "disc 4 7 1 1 .5 0", "grid 2.9 2 2 1 2 3",
)  # fmt: skip


@pytest.mark.parametrize("what", BUILTIN)
def test_builtin_meshes(what):
    """Their vertices are MuJoCo's in number, order and place."""
    kind, params = what.split(maxsplit=1)
    text = solid('<geom type="mesh" mesh="m" contype="0" conaffinity="0"/>',
                 f'builtin="{kind}" params="{params}" scale="1 1.3 1.7"')  # fmt: skip
    fields, model = our_fields(text), mujoco.MjModel.from_xml_string(text)
    if model.mesh_graphadr[0] >= 0:  # polygons of a hull are cut into triangles in more than one way
        fields["mesh_face"], fields["mesh_facenum"] = model.mesh_face, list(model.mesh_facenum)
    assert differences(fields, model, single=True) == []


BAD_BUILTIN = (
    "sphere 5", "sphere -1", "sphere 1 2", "hemisphere 11", "cone 2 .5", "cone 3", "cone 3 2", "supersphere 2 1 1",
    "supersphere 3 -1 1", "supertorus 3 0 1 1", "supertorus 3 .5 0 1", "wedge 0 2 40 60 0", "wedge 3 3 181 50 0",
    "wedge 3 3 40 50 2", "plate 0 2", "grid 3 3 1 1 1 1", "grid 3 3 3 1 1 1 2", "grid 2 2 2 1 1 1 1",
    "box 1 2 2 1 1 1", "square 2 2 2 1 1 1", "square 3 3 1 1 1 0 2", "disc 3 3 1 1 1",
)  # fmt: skip


@pytest.mark.parametrize("what", BAD_BUILTIN)
def test_builtin_meshes_out_of_range(what):
    """... are refused, by MuJoCo, too."""
    kind, params = what.split(maxsplit=1)
    text = solid('<geom type="mesh" mesh="m"/>', f'builtin="{kind}" params="{params}"')
    with pytest.raises(carom.Error, match="<mesh>: attribute 'params'"):
        our_fields(text)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("what", ("cone 1e9 1", "supersphere 1e6 1 1", "grid 1e5 1e5 1e5 1 1 1", "plate 1e9 1e9"))
def test_builtin_meshes_that_are_huge(what):
    """... end before anything is made."""
    kind, params = what.split(maxsplit=1)
    with pytest.raises(carom.Error, match="<mesh>: attribute 'params'"):
        our_fields(solid('<geom type="mesh" mesh="m"/>', f'builtin="{kind}" params="{params}"'))


TETRAHEDRON = [((0, 0, 0), (0, 2, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 3)),
               ((0, 0, 0), (0, 0, 3), (0, 2, 0)), ((1, 0, 0), (0, 2, 0), (0, 0, 3))]  # fmt: skip


def stl(triangles, count=None, after=b""):
    faces = b"".join(struct.pack("<12fH", 0, 0, 0, *sum(triangle, ()), 0) for triangle in triangles)
    return b" " * 80 + struct.pack("<I", len(triangles) if count is None else count) + faces + after


def msh(counts, numbers):
    return struct.pack("<4i", *counts) + struct.pack(f"<{len(numbers)}f", *numbers)


NAN = float("nan")
CORNER_NUMBERS = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
MESH_FILES = {
    "good.stl": (stl(TETRAHEDRON), None),
    "long.stl": (stl(TETRAHEDRON, after=b"abc"), "287 bytes are too many for 4 triangles"),
    "short.stl": (stl(TETRAHEDRON, 5), "too few for 5 triangles"),
    "lies.stl": (stl(TETRAHEDRON, 2**32 - 1), "too few for 4294967295 triangles"),
    "empty.stl": (stl([]), "at least 4 vertices"),
    "nan.stl": (stl([*TETRAHEDRON[:3], ((NAN, 0, 0), (0, 2, 0), (0, 0, 3))]), "not finite"),
    "good.msh": (msh((4, 0, 0, 0), CORNER_NUMBERS), None),
    "three.msh": (msh((3, 0, 0, 0), CORNER_NUMBERS[:9]), "at least 4 vertices"),
    "negative.msh": (msh((4, 0, 0, -1), CORNER_NUMBERS), "do not fit its counts"),
    "overflow.msh": (msh((2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1), []), "do not fit its counts"),
    "inf.msh": (msh((4, 0, 0, 0), [*CORNER_NUMBERS[:-1], float("inf")]), "not finite"),
    "empty.obj": (b"", "at least 4 vertices"),
    "index.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 99999999999\n", "no vertex"),
    "before.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -9 2 3\n", "no vertex"),
    "cut.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0", "'' is not a number"),
    "huge.obj": (b"v 0 0 0\nv 1e999 0 0\n", "is not a number"),
    "model.ply": (b"ply\nformat ascii 1.0\nelement vertex 4\n", "OBJ, STL, DAE or MSH"),
}


@pytest.mark.parametrize("name", MESH_FILES)
def test_mesh_files(name, tmp_path):
    """Files that are not what they say are refused with the element and the file; by MuJoCo, too."""
    content, said = MESH_FILES[name]
    (tmp_path / name).write_bytes(content)
    path = tmp_path / "model.xml"
    path.write_text(mjcf('<geom type="mesh" mesh="m"/>', f'<asset><mesh name="m" file="{name}"/></asset>'))
    if said is None:
        assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []
        return
    with pytest.raises(carom.Error) as caught:
        our_fields(path)
    message = str(caught.value)
    assert said in message and "model.xml:1: <mesh>: attribute 'file'" in message and name in message
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))


BAD_MESHES = {
    "turned inside out": (f'{CORNERS} face="0 1 2 0 3 1 0 2 3 1 3 2" inertia="exact"', "no volume"),
    "one face inside out": (f'{CORNERS} face="0 1 2 0 1 3 0 3 2 1 2 3" inertia="exact"', "inside out"),
    "scale of 0": (f'{CORNERS} {FACES} scale="0 1 1"', "MJCF:1: <mesh>"),
    "scale that is too large": (f'{CORNERS} {FACES} scale="1e308 1e308 1e308"', "not finite"),
    "reference of 0": (f'{CORNERS} {FACES} refquat="0 0 0 0"', "'refquat': is zero"),
    "file and vertices": (f'{CORNERS} file="x.obj"', "'vertex': is given together with file"),
    "vertices of 4": ('vertex="0 0 0 1"', "vertices of 3 numbers"),
    "faces of 4": (f'{CORNERS} face="0 1 2 3"', "faces have 3"),
    "face of nothing": (f'{CORNERS} face="0 1 9"', "a face has vertex 9"),
}


@pytest.mark.parametrize("name", BAD_MESHES)
def test_meshes_that_are_none(name):
    """... in the file itself."""
    attributes, said = BAD_MESHES[name]
    text = solid('<geom type="mesh" mesh="m"/>', attributes)
    with pytest.raises(carom.Error) as caught:
        our_fields(text)
    assert said in str(caught.value) and "<mesh>" in str(caught.value)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


FIELDS = {
    "huge": ('nrow="100000" ncol="100000"', "10000000000 numbers"),
    "negative": ('nrow="-5" ncol="-5" elevation="' + "1 " * 25 + '"', "at least 2 rows"),
    "one row": ('nrow="1" ncol="9"', "at least 2 rows"),
    "too few heights": ('nrow="2" ncol="3" elevation="1 2 3"', "has 3 numbers, expected 6"),
    "unknown type": ('file="x" content_type="image/gif"', "x"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_heightfields_that_are_none(name):
    """... are refused before anything is made of them."""
    attributes, said = FIELDS[name]
    with pytest.raises(carom.Error) as caught:
        our_fields(mjcf("", f'<asset><hfield name="h" size="1 1 1 1" {attributes}/></asset>'))
    assert said in str(caught.value) and "<hfield>" in str(caught.value)
