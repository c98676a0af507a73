"""add_usd() refuses what is malformed, cyclic, hostile or not finite, with an Error that names file and prim, and leaves
the builder as it was."""

import pytest
from usd_stages import body, collider, moved, prim, solid, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SPHERE = collider("Sphere", "s")
TWO = body("a", solid()) + body("b", solid())


def hinge(content="", ends=("</a>", "</b>"), apis=(), kind="PhysicsRevoluteJoint"):
    rels = "".join(f"rel physics:body{i} = {end}\n" for i, end in enumerate(ends) if end)
    return prim(kind, "j", apis, rels + content)


def mesh(points="[(0,0,0), (1,0,0), (0,1,0)]", counts="[3]", indices="[0, 1, 2]"):
    return collider("Mesh", "m", f"point3f[] points = {points}\nint[] faceVertexCounts = {counts}\n"
                                 f"int[] faceVertexIndices = {indices}")


# name -> stage, what the message says after the file
BAD = {
    "mass nan": (body("b", "float physics:mass = nan"), "/b: physics:mass must be finite"),
    "mass negative": (body("b", "float physics:mass = -1"), "/b: physics:mass must be finite and not less than 0"),
    "mass a text": (prim("Xform", "b", ["PhysicsRigidBodyAPI", "PhysicsMassAPI"], 'string physics:mass = "heavy"'),
                    "/b: physics:mass must be a number"),
    "inertia nan": (body("b", "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, nan, 1)"),
                    "/b: physics:diagonalInertia must be 3 finite numbers"),
    "inertia negative": (body("b", "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, -1, 1)"),
                         "/b: physics:diagonalInertia must not be negative"),
    "inertia of no body": (body("b", solid(1, (1, 1, 9))), "/b: "),
    "nothing to move": (body("b"), "/b: moves and has neither mass nor colliders"),
    "density nan": (body("b", "float physics:density = nan\n" + SPHERE), "/b: physics:density must be finite"),
    "centre inf": (body("b", solid() + "\npoint3f physics:centerOfMass = (inf, 0, 0)"),
                   "/b: physics:centerOfMass must be 3 finite numbers"),
    "velocity nan": (body("b", solid() + "\nvector3f physics:velocity = (nan, 0, 0)"), "/b: physics:velocity must be"),
    "radius negative": (collider("Sphere", "s", "double radius = -1"), "/s: radius must be positive"),
    "radius 0": (collider("Sphere", "s", "double radius = 0"), "/s: radius must be positive"),
    "radius nan": (collider("Sphere", "s", "double radius = nan"), "/s: radius must be finite"),
    "height inf": (collider("Capsule", "s", "double height = inf"), "/s: height must be finite"),
    "size nan": (collider("Cube", "s", "double size = nan"), "/s: size must be finite"),
    "axis": (collider("Cone", "s", 'uniform token axis = "W"'), "/s: axis must be X, Y or Z"),
    "two radii": (collider("Cylinder_1", "s", "double radiusTop = 1\ndouble radiusBottom = 2"), "/s: radiusTop"),
    "curves": (collider("BasisCurves", "s"), "/s: a collider of type BasisCurves"),
    "scale 0": (prim("Cube", "s", ["PhysicsCollisionAPI"], moved((0, 0, 0), scale=(1, 0, 1))),
                "/s: a Cube, but its transform scales by 0"),
    "scale 0 of a mesh": (prim("Xform", "x", content=moved((0, 0, 0), scale=(1, 1, 0)) + "\n" + mesh()),
                          "/x/m: a Mesh, but its transform scales by 0"),
    "scale nan": (prim("Cube", "s", ["PhysicsCollisionAPI"], moved((0, 0, 0)).replace("(0, 0, 0)", "(nan, 0, 0)")),
                  "/s: a Cube, but its transform is not finite"),
    "shear": (prim("Xform", "x", content=moved((0, 0, 0), scale=(1, 3, 1)) + "\n" + prim(
        "Cube", "s", ["PhysicsCollisionAPI"], moved((0, 0, 0), turn=(0, 0, 30)))), "/x/s: a Cube, but its transform is sheared"),
    "mirrored body": (prim("Xform", "b", ["PhysicsRigidBodyAPI"], moved((0, 0, 0), scale=(-1, 1, 1)) + SPHERE),
                      "/b: a body, but its transform mirrors it"),
    "indices": (mesh(indices="[0, 1, 9]"), "/m: faceVertexIndices must be from 0 to 2, are from 0 to 9"),
    "indices negative": (mesh(indices="[0, -1, 2]"), "/m: faceVertexIndices must be from 0 to 2"),
    "counts": (mesh(counts="[4]"), "/m: faceVertexCounts, from 3 on, must add up"),
    "counts 2": (mesh(counts="[2]", indices="[0, 1]"), "/m: faceVertexCounts, from 3 on"),
    "counts negative": (mesh(counts="[3, -3, 3]"), "/m: faceVertexCounts, from 3 on"),
    "points nan": (mesh(points="[(0,0,nan), (1,0,0), (0,1,0)]"), "/m: point 0 is not finite"),
    "no points": (mesh(points="[]"), "/m: a mesh without points"),
    "friction": (prim("Material", "m", ["PhysicsMaterialAPI"], "float physics:dynamicFriction = -1") + prim(
        "Sphere", "s", ["PhysicsCollisionAPI", "MaterialBindingAPI"], "rel material:binding:physics = </m>"),
        "/m: physics:dynamicFriction must be finite and not less than 0"),
    "the same body": (TWO + hinge(ends=("</a>", "</a>")), "/j: physics:body0 and physics:body1 are the same body, /a"),
    "a missing body": (TWO + hinge(ends=("</a>", "</c>")), "/j: physics:body1: there is no prim /c"),
    "two bodies": (TWO + hinge(ends=("[</a>, </b>]", None)), "/j: physics:body0 names 2 prims"),
    "limits": (TWO + hinge("float physics:lowerLimit = 1\nfloat physics:upperLimit = -1"),
               "/j: physics:lowerLimit 1 is larger than physics:upperLimit -1"),
    "limit nan": (TWO + hinge("float physics:lowerLimit = nan"), "/j: physics:lowerLimit must be a number"),
    "place nan": (TWO + hinge("point3f physics:localPos0 = (nan, 0, 0)"), "/j: physics:localPos0 must be 3 finite"),
    "turn 0": (TWO + hinge("quatf physics:localRot1 = (0, 0, 0, 0)"), "/j: physics:localRot1 must not be zero"),
    "joint axis": (TWO + hinge('uniform token physics:axis = "U"'), "/j: physics:axis must be X, Y or Z"),
    "drive": (TWO + hinge("float drive:angular:physics:stiffness = -3", apis=["PhysicsDriveAPI:angular"]),
              "/j: drive:angular:physics:stiffness must be finite and not less than 0"),
    "armature": (TWO + hinge("custom float newton:armature = -1"), "/j: newton:armature must not be negative"),
    "distances": (TWO + hinge("float physics:minDistance = 3\nfloat physics:maxDistance = 1", kind="PhysicsDistanceJoint"),
                  "/j: physics:minDistance 3 is larger"),
    "a kinematic child": (body("a", solid()) + body("b", solid() + "\nbool physics:kinematicEnabled = 1") + hinge(),
                          "/b: a kinematic body is moved by the user alone"),
    "a loop of sliders": (TWO + hinge() + prim("PhysicsPrismaticJoint", "k", content="rel physics:body0 = </a>\n"
                                               "rel physics:body1 = </b>"), "/k: closes a loop"),
    "worlds joined": (body("a", solid() + "\ncustom int newton:world = 0") + body(
        "b", solid() + "\ncustom int newton:world = 1") + hinge(), "/j: joins bodies of the worlds 0 and 1"),
    "a collider elsewhere": (body("b", solid() + "\ncustom int newton:world = 0\n" + collider(
        "Sphere", "s", "custom int newton:world = 1")), "/b/s: newton:world is 1, and that of its body /b is 0"),
    "world a text": (body("b", solid() + '\ncustom string newton:world = "one"'), "/b: newton:world must be an integer"),
    "group a float": (collider("Sphere", "s", "custom float newton:collision_group = 1.5"),
                      "/s: newton:collision_group must be an integer"),
    "gravity": (prim("PhysicsScene", "p", content="vector3f physics:gravityDirection = (nan, 0, 0)"),
                "/p: physics:gravityDirection must be 3 finite"),
    "gravity inf": (prim("PhysicsScene", "p", content="float physics:gravityMagnitude = inf"),
                    "/p: physics:gravityMagnitude must be finite"),
    "timestep": (prim("PhysicsScene", "p", content="custom int newton:timeStepsPerSecond = 0"),
                 "/p: newton:timeStepsPerSecond must be positive"),
    "filtered pair": (body("b", solid() + "\nrel physics:filteredPairs = </gone>", apis=["PhysicsFilteredPairsAPI"]),
                      "/b: physics:filteredPairs: there is no prim /gone"),
    "filtered group": (SPHERE + prim("PhysicsCollisionGroup", "g", content="rel physics:filteredGroups = </gone>"),
                       "/g: physics:filteredGroups: there is no group /gone"),
    "prototype": ("""def PointInstancer "p" { int[] protoIndices = [1]
        point3f[] positions = [(0, 0, 0)]
        rel prototypes = [</p/x>]
        def Xform "x"
        {
        }
        }""", "/p: protoIndices must be from 0 to 0"),
    "positions": ("""def PointInstancer "p" { int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 0)]
        rel prototypes = [</p/x>]
        def Xform "x"
        {
        }
        }""", "/p: "),
    "cyclic references": ("""def Xform "a" ( prepend references = </b> ) { }
        def Xform "b" ( prepend references = </a> ) { }""", "Cycle"),
    "a reference to nothing": ('def Xform "a" ( prepend references = @./is_not_there.usda@ ) { }', "is_not_there"),
    "a reference to no prim": ('def Xform "a" ( prepend references = </nobody> ) { }', "nobody"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_stages(carom, tmp_path, case):
    """Each is refused by file, prim and reason."""
    content, expected = BAD[case]
    path = tmp_path / "bad.usda"
    path.write_text(usda(content))
    builder = carom.ModelBuilder()
    with pytest.raises(carom.Error) as caught:
        builder.add_usd(path)
    assert expected in str(caught.value)
    assert "bad.usda" in str(caught.value) and "/" in str(caught.value)
    assert (builder.body_count, builder.shape_count, builder.joint_count, builder.world_count) == (0, 0, 0, 0)


@pytest.mark.parametrize("meters, kilograms", [(0, 1), (-1, 1), ("nan", 1), (1, 0)])
def test_units_must_be_positive(carom, meters, kilograms):
    """metersPerUnit and kilogramsPerUnit."""
    with pytest.raises(carom.Error, match="PerUnit must be positive and finite|USD text"):
        carom.ModelBuilder().add_usd(usda(SPHERE, meters=meters, kilograms=kilograms))


def test_files_that_are_no_stages(carom, tmp_path):
    """Missing, of another kind, damaged, empty, or no file at all."""
    builder = carom.ModelBuilder()
    with pytest.raises(carom.Error, match="gone.usda: there is no such file"):
        builder.add_usd(tmp_path / "gone.usda")
    other = tmp_path / "robot.txt"
    other.write_text("")
    with pytest.raises(carom.Error, match="robot.txt: is no USD file by its name"):
        builder.add_usd(str(other))
    for name, content in (("a.usda", b"#usda 1.0\ndef Xform {"), ("b.usda", b""), ("c.usdc", b"PXR-USDC" + bytes(99)),
                          ("d.usdz", b"PK\x03\x04"), ("e.usd", b"\x00" * 64), ("f.usda", b"#usda 1.0\n" + b"\xff" * 99)):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(carom.Error, match=name):
            builder.add_usd(path)
    with pytest.raises(carom.Error, match="a file, a Usd.Stage or text"):
        builder.add_usd(7)
    with pytest.raises(carom.Error, match="USD text"):
        builder.add_usd("#usda 1.0\ndef Xform {")


def test_arguments(carom):
    """Words that do not exist, paths that are none, patterns that are none."""
    builder, text = carom.ModelBuilder(), usda(SPHERE)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        builder.add_usd(text, colour="red")
    with pytest.raises(carom.Error, match="there is no prim '/gone'"):
        builder.add_usd(text, root_path="/gone")
    with pytest.raises(carom.Error, match="there is no prim 'no path'"):
        builder.add_usd(text, root_path="no path")
    for xform in (7, (1, 2, 3), (0, 0, 0, 0, 0, 0, 0), (float("nan"), 0, 0, 0, 0, 0, 1), "seven"):
        with pytest.raises(carom.Error, match="xform must be seven finite numbers"):
            builder.add_usd(text, xform=xform)
    builder.add_usd(text, xform=carom.Transform((0, 0, 1)), key_prefix="t")
    assert builder.shape_transform.numpy()[0][2] == 1
    with pytest.raises(carom.Error, match="ignore_paths"):
        builder.add_usd(text, ignore_paths=["("])


def test_keys_that_are_taken(carom):
    """A stage twice needs key_prefix; nothing of the second is there afterwards."""
    builder, text = carom.ModelBuilder(), usda(body("b", solid()))
    builder.add_usd(text)
    with pytest.raises(carom.Error, match="body key '/b' is already taken.*give key_prefix"):
        builder.add_usd(text)
    assert builder.body_count == 1
    builder.add_usd(text, key_prefix="two")


def test_up_axes_of_builders(carom):
    """A stage is turned to the up axis of the builder, whichever it is."""
    for up in "XYZ":
        builder = carom.ModelBuilder(up_axis=up)
        builder.add_usd(usda(prim("PhysicsScene", "p") + body("b", solid(), at=(0, 0, 2)), up="Z"))
        model = builder.finalize()
        assert model.body_q.numpy()[0][:3] == pytest.approx([2.0 * (a == up) for a in "XYZ"], abs=1e-6)
        assert model.gravity.numpy()[0] == pytest.approx([-9.81 * (a == up) for a in "XYZ"], abs=1e-5)


@pytest.mark.parametrize("depth, ok", [(50, True), (1200, False)])
def test_deep_stages(carom, depth, ok):
    """Prims inside prims, as deep as Limits(depth=)."""
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    path = Sdf.Path("/x" + "/x" * (depth - 1))
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Sphere.Define(stage, path).GetPrim())
    builder = carom.ModelBuilder()
    if ok:
        builder.add_usd(stage)
        assert builder.shape_count == 1
    else:
        with pytest.raises(carom.Error, match="more than 1000 prims inside each other"):
            builder.add_usd(stage)


def test_many_instances_are_limited(carom):
    """A few words that ask for very many prims."""
    from carom.usd import Limits

    text = """def PointInstancer "p" { int[] protoIndices = [%s]
        point3f[] positions = [%s]
        rel prototypes = [</p/x>]
        def Sphere "x" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
        }
        }""" % (", ".join("0" * 100), ", ".join(
        ["(0, 0, 0)"] * 100))
    with pytest.raises(carom.Error, match="more than 50 prims"):
        carom.ModelBuilder().add_usd(usda(text), limits=Limits(prims=50))
    builder = carom.ModelBuilder()
    builder.add_usd(usda(text))
    assert builder.shape_count == 100


def test_without_usd_core():
    """What to install is said, and carom itself works."""
    import subprocess
    import sys

    program = """
import sys
sys.modules["pxr"] = None
import carom
builder = carom.ModelBuilder()
assert carom.usd.Limits().depth == 1000
try:
    builder.add_usd("#usda 1.0")
except carom.Error as error:
    assert "pip install 'carom[usd]'" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


WORDS_OF_CAROM = {
    "mass": (body("b", solid() + "custom double carom:mass = nan"), "/b: carom:mass must be finite"),
    "inertia": (body("b", solid() + "custom double carom:mass = 1\ncustom double[] carom:inertia = [1, 2]"),
                "/b: carom:inertia must be nine numbers"),
    "field": (collider("Sphere", "s", 'custom string carom:condim = "x"'), "/s: carom:condim cannot be 'x'"),
    "method": (collider("Sphere", "s", "custom int carom:copy = 1"), "/s: carom:copy cannot be 1"),
    "number": (TWO + hinge('custom string carom:damping = "x"'), "/j: an attribute carom:..."),
    "coordinate": (TWO + hinge("custom double[] carom:q = [nan]"), "/j: "),
    "axes": (TWO + hinge("custom float3[] carom:axes = [(nan, 0, 0)]\ncustom int carom:slides = 1", kind="PhysicsJoint"),
             "/j: carom:axes must be vectors"),
    "option": (prim("PhysicsScene", "p", content='custom string carom:option:impratio = "x"') + SPHERE,
               "carom:option:impratio cannot be 'x'"),
}


@pytest.mark.parametrize("case", WORDS_OF_CAROM)
def test_what_to_usd_writes_is_checked(carom, case):
    """Attributes in the namespace carom with values of other kinds."""
    content, expected = WORDS_OF_CAROM[case]
    with pytest.raises(carom.Error) as caught:
        carom.ModelBuilder().add_usd(usda(content))
    assert expected in str(caught.value)


def test_changed_stages(carom, tmp_path):
    """Numbers and words of a stage that carom wrote, changed at random: it is read, or refused with an Error."""
    import random
    import re

    builder = carom.ModelBuilder()
    builder.add_usd(usda(TWO + hinge("float physics:lowerLimit = -1", apis=["PhysicsDriveAPI:angular"]) + SPHERE))
    path = tmp_path / "changed.usda"
    builder.finalize().to_usd(path)
    lines, draw = path.read_text().split("\n"), random.Random(5)
    read = 0
    for _ in range(200):
        text = list(lines)
        for _ in range(draw.randint(1, 3)):
            i = draw.randrange(8, len(text))
            word = draw.choice(["nan", "inf", "-1", "0", "1e30", "1e-30", "-1e300", '"x"', "[]", "(1, 2)"])
            if "=" in text[i]:
                text[i] = re.sub(r"-?[0-9.]+(e[-+]?\d+)?(?=\D*$)", word, text[i])
        again = carom.ModelBuilder()
        try:
            again.add_usd("\n".join(text))
            again.finalize()
            read += 1
        except carom.Error:
            pass
    assert 0 < read < 200
