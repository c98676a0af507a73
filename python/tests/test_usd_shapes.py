"""add_usd(): geometry, transforms with scales, meshes and materials."""

import math

import numpy as np
import pytest
from usd_stages import add, body, collider, moved, prim, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# geometry, scale -> type, sizes
SHAPES = {
    "cube": ("Cube", "double size = 3", (1, 2, 0.5), "BOX", (1.5, 3, 0.75)),
    "default cube": ("Cube", "", (1, 1, 1), "BOX", (1, 1, 1)),
    "sphere": ("Sphere", "double radius = 2", (0.5, 0.5, 0.5), "SPHERE", (1, 0, 0)),
    "ellipsoid": ("Sphere", "double radius = 2", (1, 2, 3), "ELLIPSOID", (2, 4, 6)),
    "capsule": ("Capsule", "double radius = 0.2\ndouble height = 4", (1, 1, 2), "CAPSULE", (0.2, 4, 0)),
    "default capsule": ("Capsule", "", (1, 1, 1), "CAPSULE", (0.5, 0.5, 0)),
    "cylinder": ("Cylinder", "double radius = 0.2\ndouble height = 4", (3, 3, 1), "CYLINDER", (0.6, 2, 0)),
    "cylinder_1": ("Cylinder_1", "double radiusTop = 0.2\ndouble radiusBottom = 0.2\ndouble height = 4", (1, 1, 1),
                   "CYLINDER", (0.2, 2, 0)),
    "cone": ("Cone", "double radius = 0.2\ndouble height = 4", (1, 1, 1), "CONE", (0.2, 2, 0)),
    "plane": ("Plane", "double width = 5", (1, 1, 1), "PLANE", (0, 0, 0)),
    "mirrored cube": ("Cube", "", (1, 1, -1), "BOX", (1, 1, 1)),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes(carom, case):
    """Sizes of geometry, defaults of USD's schemas among them, times the scales of its transform."""
    kind, content, scale, type_name, sizes = SHAPES[case]
    text = prim(kind, "s", ["PhysicsCollisionAPI"], content + "\n" + moved((1, 2, 3), scale=scale))
    builder, result = add(carom, usda(text))
    assert builder.shape_type.numpy().tolist() == [int(getattr(carom.ShapeType, type_name))]
    assert builder.shape_scale.numpy()[0] == pytest.approx(sizes, rel=1e-6)
    assert builder.shape_transform.numpy()[0] == pytest.approx([1, 2, 3, 0, 0, 0, 1], abs=1e-6)


@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("kind", ["Cone", "Capsule", "Plane"])
def test_axes(carom, kind, axis):
    """z of the shape is along the axis that USD names."""
    builder, _ = add(carom, usda(collider(kind, "s", f'uniform token axis = "{axis}"')))
    q = builder.shape_transform.numpy()[0][3:]
    z = [2 * (q[0] * q[2] + q[1] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[0] ** 2 + q[1] ** 2)]
    assert z == pytest.approx([float(axis == a) for a in "XYZ"], abs=1e-6)


def test_a_mirrored_cone(carom):
    """Its apex points the other way."""
    builder, _ = add(carom, usda(prim("Cone", "s", ["PhysicsCollisionAPI"], moved((0, 0, 0), scale=(1, 1, -1)))))
    q = builder.shape_transform.numpy()[0][3:]
    assert 1 - 2 * (q[0] ** 2 + q[1] ** 2) == pytest.approx(-1)


def test_nested_scales(carom):
    """Scales of a body, a group and the geometry multiply, places are scaled by what is above them."""
    inner = prim("Xform", "group", content=moved((1, 0, 0), scale=(2, 2, 2)) + collider("Sphere", "s", at=(1, 0, 0)))
    text = prim("Xform", "b", ["PhysicsRigidBodyAPI"], moved((10, 0, 0), scale=(3, 3, 3)) + "\n" + inner)
    builder, _ = add(carom, usda(text))
    assert builder.shape_transform.numpy()[0][:3] == pytest.approx([9, 0, 0])
    assert builder.shape_scale.numpy()[0][0] == pytest.approx(6)
    assert builder.body_q.numpy()[0][:3] == pytest.approx([10, 0, 0])


def test_all_kinds_of_ops(carom):
    """A pivot, an inverted op, a matrix and !resetXformStack!: where UsdGeom.XformCache puts the prim."""
    ball = collider("Sphere", "s").replace("double3 xformOp:translate = (0, 0, 0)", "").replace(
        'uniform token[] xformOpOrder = ["xformOp:translate"]', """
        float3 xformOp:translate:pivot = (1, 0, 0)
        float xformOp:rotateZ = 90
        matrix4d xformOp:transform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,7,1))
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:transform", "xformOp:translate:pivot",
            "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]
    """)
    text = prim("Xform", "a", content=moved((100, 0, 0)) + ball)
    builder, _ = add(carom, usda(text))
    h = math.sqrt(0.5)
    assert builder.shape_transform.numpy()[0] == pytest.approx([1, -1, 7, 0, 0, h, h], abs=1e-6)


TETRAHEDRON = """
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
"""
BOX = """
    point3f[] points = [(-1,-1,-1), (1,-1,-1), (1,1,-1), (-1,1,-1), (-1,-1,1), (1,-1,1), (1,1,1), (-1,1,1)]
    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
    int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 2,3,7,6, 1,2,6,5, 0,4,7,3]
"""


def mesh(content, approximation=None, ops=""):
    apis = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]
    token = f'uniform token physics:approximation = "{approximation}"\n' if approximation else ""
    return usda(prim("Mesh", "m", apis, token + content + ops))


@pytest.mark.parametrize("ops, volume", [
    ("", 8), (moved((1, 0, 0), scale=(1, 2, 3)), 48), (moved((1, 0, 0), scale=(1, 1, -1)), None)])
def test_meshes_are_closed_and_as_large_as_they_should_be(carom, ops, volume):
    """Faces with four corners, scales; a mirrored body is refused, since its frame cannot be mirrored."""
    if volume is None:
        with pytest.raises(carom.Error, match="/m: a body, but its transform mirrors it"):
            add(carom, mesh(BOX, ops=ops))
        return
    builder, _ = add(carom, mesh(BOX, ops=ops))
    assert builder.body_mass.numpy() == pytest.approx([1000 * volume], rel=1e-5)
    source = builder.finalize().shape_sources[0]
    assert carom.mesh_is_closed(source) and carom.mesh_volume(source) == pytest.approx(volume, rel=1e-5)


@pytest.mark.parametrize("flip", ["scale", "orientation", "both"])
def test_mirrored_and_left_handed_meshes(carom, flip):
    """The outside stays the outside: a mirrored shape and a left-handed one are wound again, both are as they were."""
    scale = (1, 1, -1) if flip != "orientation" else (1, 1, 1)
    orientation = 'uniform token orientation = "leftHanded"\n' if flip != "scale" else ""
    content = BOX if flip == "scale" else orientation + BOX.replace(
        "[0,3,2,1, 4,5,6,7, 0,1,5,4, 2,3,7,6, 1,2,6,5, 0,4,7,3]", "[1,2,3,0, 7,6,5,4, 4,5,1,0, 6,7,3,2, 5,6,2,1, 3,7,4,0]")
    text = usda(prim("Mesh", "m", ["PhysicsCollisionAPI"], content + moved((0, 0, 0), scale=scale)))
    assert carom.mesh_volume(add(carom, text)[0].finalize().shape_sources[0]) == pytest.approx(8, rel=1e-5)


def test_sheared_meshes(carom):
    """A scale above a turn: no frame, but a mesh can have any shape."""
    inner = prim("Mesh", "m", ["PhysicsCollisionAPI"], BOX + moved((0, 0, 0), turn=(0, 0, 30)))
    text = usda(prim("Xform", "x", content=moved((0, 0, 0), scale=(1, 4, 1)) + "\n" + inner))
    assert carom.mesh_volume(add(carom, text)[0].finalize().shape_sources[0]) == pytest.approx(32, rel=1e-5)


APPROXIMATIONS = {
    "none": ("MESH", None), "convexHull": ("CONVEX_HULL", None), "convexDecomposition": ("CONVEX_HULL", "one convex hull"),
    "boundingCube": ("BOX", None), "boundingSphere": ("SPHERE", None), "meshSimplification": ("MESH", "as it is"),
}


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_approximations(carom, name):
    """What a mesh becomes; what carom does not make is told."""
    type_name, told = APPROXIMATIONS[name]
    builder, result = add(carom, mesh(TETRAHEDRON, name))
    assert builder.shape_type.numpy().tolist() == [int(getattr(carom.ShapeType, type_name))]
    assert (told is None and result["warnings"] == []) or told in result["warnings"][0]
    if name == "boundingCube":
        assert builder.shape_transform.numpy()[0][:3] == pytest.approx([0.5] * 3)
        assert builder.shape_scale.numpy()[0] == pytest.approx([0.5] * 3)
    if name == "boundingSphere":
        assert builder.shape_scale.numpy()[0][0] == pytest.approx(math.sqrt(0.75))
    if name == "convexHull":
        assert builder.body_mass.numpy() == pytest.approx([1000 / 6], rel=1e-5)
    skipped = add(carom, mesh(TETRAHEDRON, name), skip_mesh_approximation=True)[0]
    assert skipped.shape_type.numpy().tolist() == [int(carom.ShapeType.MESH)]


def test_an_open_mesh_has_no_mass(carom):
    """A sheet fills no space: its body needs a mass of its own."""
    sheet = """point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]"""
    with pytest.raises(carom.Error, match="/b: moves and has neither mass nor colliders"):
        add(carom, usda(body("b", collider("Mesh", "m", sheet))))
    builder, _ = add(carom, usda(body("b", "float physics:mass = 2\n" + collider("Mesh", "m", sheet))))
    assert builder.body_mass.numpy() == pytest.approx([2])


def test_materials(carom):
    """Friction, restitution and the numbers of newton, in SI units, by the binding of a prim or of one above it."""
    material = prim("Material", "m", ["PhysicsMaterialAPI"], """
        float physics:dynamicFriction = 0.3
        float physics:staticFriction = 0.3
        float physics:restitution = 0.6
        custom float newton:torsionalFriction = 2
        custom float newton:rollingFriction = 3
        custom float newton:contactStiffness = 5000
        custom float newton:contactDamping = 50
        custom float newton:contactFrictionGain = 40
        custom float newton:contactAdhesion = 1
    """)
    group = prim("Xform", "g", ["MaterialBindingAPI"], "rel material:binding:physics = </m>\n" + collider("Sphere", "s"))
    builder, _ = add(carom, usda(material + group + collider("Sphere", "plain"), meters=0.01, kilograms=0.5))
    got = {name: getattr(builder, f"shape_material_{name}").numpy().tolist() for name in (
        "mu", "restitution", "torsional_friction", "rolling_friction", "ke", "kd", "kf", "ka")}
    usual = carom.ShapeConfig()
    expected = {"mu": 0.3, "restitution": 0.6, "torsional_friction": 0.02, "rolling_friction": 0.03, "ke": 2500, "kd": 25,
                "kf": 20, "ka": 0.01}
    for name, value in expected.items():
        assert got[name] == pytest.approx([value, getattr(usual, name)], rel=1e-5), name


def test_margins(carom):
    """Newton's margin is carom's thickness, its gap how far contacts reach; PhysX's offsets likewise."""
    text = collider("Sphere", "a", "custom float newton:contactMargin = 1\ncustom float newton:contactGap = 2")
    text += collider("Sphere", "b", "float physxCollision:restOffset = 1\nfloat physxCollision:contactOffset = 4")
    text += collider("Sphere", "c", "custom float newton:contactGap = -inf")
    builder, result = add(carom, usda(text, meters=0.01))
    assert builder.shape_thickness.numpy() == pytest.approx([0.01, 0.01, 0])
    assert builder.shape_contact_margin.numpy()[:2] == pytest.approx([0.02, 0.03])
    assert builder.finalize().shape_contact_margin.numpy()[2] == pytest.approx(builder.rigid_contact_margin)
    assert result["warnings"] == []


def test_what_is_only_seen(carom):
    """Geometry without CollisionAPI touches nothing and weighs nothing; it can be left out. A collider that is switched
    off touches nothing and has its mass."""
    parts = prim("Sphere", "seen", content=moved((0, 0, 2))) + collider("Cube", "off", "bool physics:collisionEnabled = "
                                                                        "false\ndouble size = 1")
    text = usda(body("b", parts) + prim("BasisCurves", "curves"))
    builder, result = add(carom, text)
    flags = builder.shape_flags.numpy()
    touching = int(carom.ShapeFlag.COLLIDES_SHAPES) | int(carom.ShapeFlag.COLLIDES_PARTICLES)
    assert len(flags) == 2 and not (flags & touching).any()
    assert builder.body_mass.numpy() == pytest.approx([1000])
    assert "BasisCurves: is seen" in result["warnings"][0]
    assert list(add(carom, text, load_visual_shapes=False)[1]["path_shape_map"]) == ["/b/off"]


def test_a_collider_that_is_a_group(carom):
    """CollisionAPI on an Xform: all the geometry below it collides, but what is of another body or collider."""
    inner = body("other", "float physics:mass = 1\n" + prim("Sphere", "not", content="double radius = 1"))
    parts = prim("Sphere", "x", content="double radius = 1") + prim("Cube", "y", content="double size = 1") + inner
    text = prim("Xform", "g", ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"],
                "custom int newton:collision_group = 5\n" + parts)
    builder, result = add(carom, usda(text), load_visual_shapes=False)
    assert list(result["path_shape_map"]) == ["/g/x", "/g/y"]
    assert builder.shape_collision_group.numpy().tolist() == [5, 5]
    assert np.ptp(builder.shape_body.numpy()) == 0


def test_large_meshes_are_limited(carom):
    """Limits(points=)."""
    from carom.usd import Limits

    with pytest.raises(carom.Error, match="/m: more than 10 points of meshes"):
        add(carom, mesh(BOX), limits=Limits(points=10))
