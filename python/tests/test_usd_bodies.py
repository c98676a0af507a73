"""add_usd(): bodies, units, masses, gravity and what the seed document shows."""

import math
import warnings

import numpy as np
import pytest
from usd_stages import add, body, collider, moved, prim, solid, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SEED = """
def Xform "Box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
) {
    custom int newton:collision_group = 1
    custom int newton:world = 0
}
"""


def test_the_snippet_of_the_seed(carom):
    """The collision attributes of the collisions document: a shape in group 1 of world 0."""
    builder, result = add(carom, usda(SEED))
    model = builder.finalize()
    shape = result["path_shape_map"]["/Box"]
    assert model.shape_collision_group[shape] == 1
    assert model.shape_world[shape] == 0 and model.body_world.numpy().tolist() == [0]
    assert model.world_count == 1
    assert any("without geometry" in line for line in result["warnings"])


def test_pairs_follow_from_groups_and_worlds(carom):
    """Boxes at one place: the global plane meets all, worlds do not meet, and within one groups decide."""
    text = collider("Plane", "ground")
    for name, group, world in (("a", 1, 0), ("b", 1, 0), ("c", 2, 0), ("d", 1, 1)):
        text += body(name, f"custom int newton:world = {world}\n" + collider(
            "Cube", "box", f"custom int newton:collision_group = {group}\ndouble size = 1"))
    builder, result = add(carom, usda(text))
    model = builder.finalize()
    pipeline = carom.CollisionPipeline(model)
    pipeline.collide(model.state())
    names = {row: path.split("/")[1] for path, row in result["path_shape_map"].items()}
    pairs = {tuple(sorted((names[int(a)], names[int(b)]))) for a, b in pipeline.shape_pairs.numpy()}
    assert pairs == {("a", "b"), ("a", "ground"), ("b", "ground"), ("c", "ground"), ("d", "ground")} - {
        ("c", "ground")}  # group 2 does not meet group 1, which the ground is in


def test_a_box_by_its_density(carom, real):
    """Mass and inertia of a cube of 1 m with the density of its MassAPI."""
    builder, result = add(carom, usda(body("b", "float physics:density = 100\n" + collider("Cube", "c", "double size = 1"),
                                           at=(1, 2, 3))))
    model = builder.finalize()
    assert model.body_mass.numpy() == pytest.approx([100])
    assert model.body_inertia.numpy().reshape(3, 3) == pytest.approx(np.eye(3) * 100 / 6, abs=1e-4)
    assert model.body_q.numpy()[0] == pytest.approx([1, 2, 3, 0, 0, 0, 1])
    assert model.joint_type.numpy().tolist() == [int(carom.JointType.FREE)]
    assert result["path_body_map"] == {"/b": 0} and model.find_body("/b") == 0


CUBE = "double size = 1"
MASSES = {
    "of water": ("", CUBE, "", 1000),
    "its density": ("float physics:density = 5", CUBE, "", 5),
    "its collider's before": ("float physics:density = 5", CUBE + "\nfloat physics:density = 7", "", 7),
    "its collider's mass before": ("float physics:density = 5", CUBE + "\nfloat physics:mass = 2", "", 2),
    "its own mass before all": ("float physics:mass = 3", CUBE + "\nfloat physics:mass = 2", "", 3),
    "its material's": ("", CUBE, "float physics:density = 11", 11),
    "its own density before its material's": ("float physics:density = 5", CUBE, "float physics:density = 11", 5),
}


@pytest.mark.parametrize("case", MASSES)
def test_masses_by_the_rules_of_usd(carom, case):
    """Who says what a body weighs, and the inertia goes with it; against USD's own function for the cases without a
    material."""
    from pxr import Gf, Usd, UsdPhysics

    own, cube, material, mass = MASSES[case]
    binding = "rel material:binding:physics = </m>" if material else ""
    apis = ["PhysicsMassAPI", *(["MaterialBindingAPI"] if material else [])]
    text = usda(body("b", own + "\n" + collider("Cube", "c", f"{cube}\n{binding}", apis=apis))
                + prim("Material", "m", ["PhysicsMaterialAPI"], material))
    model = add(carom, text)[0].finalize()
    assert model.body_mass.numpy() == pytest.approx([mass])
    assert np.diag(model.body_inertia.numpy()[0].reshape(3, 3)) == pytest.approx([mass / 6] * 3, rel=1e-5)
    if material:
        return
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    information = getattr(UsdPhysics.RigidBodyAPI, "MassInformation", None) or UsdPhysics.MassInformation

    def of_cube(_prim):
        result = information()
        result.volume, result.inertia = 1.0, Gf.Matrix3f(1 / 6)
        result.centerOfMass, result.localPos, result.localRot = Gf.Vec3f(0), Gf.Vec3f(0), Gf.Quatf(1)
        return result

    theirs = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/b")).ComputeMassProperties(of_cube)
    assert theirs[0] == pytest.approx(mass) and list(theirs[1]) == pytest.approx([mass / 6] * 3)


def test_two_colliders_and_another_centre(carom):
    """Steiner's rule for parts, and for a centre of mass that a body names; 5 and 7 kg 2 m apart."""
    parts = collider("Cube", "c", CUBE + "\nfloat physics:mass = 5", apis=["PhysicsMassAPI"]) + collider(
        "Cube", "d", CUBE + "\nfloat physics:mass = 7", apis=["PhysicsMassAPI"], at=(2, 0, 0))
    model = add(carom, usda(body("b", parts)))[0].finalize()
    assert model.body_com.numpy()[0] == pytest.approx([14 / 12, 0, 0], abs=1e-6)
    about = 2 + 5 * (14 / 12) ** 2 + 7 * (2 - 14 / 12) ** 2
    assert np.diag(model.body_inertia.numpy()[0].reshape(3, 3)) == pytest.approx([2, about, about], rel=1e-5)
    model = add(carom, usda(body("b", "point3f physics:centerOfMass = (0.5, 0, 0)\n" + collider("Cube", "c", CUBE))))[0]
    inertia = np.diag(model.finalize().body_inertia.numpy()[0].reshape(3, 3))
    assert inertia == pytest.approx([1000 / 6, 1000 / 6 + 250, 1000 / 6 + 250], rel=1e-5)


def test_principal_axes(carom):
    """diagonalInertia is along principalAxes: a quarter turn about z swaps x and y."""
    h = math.sqrt(0.5)
    model = add(carom, usda(body("b", solid(2, (1, 2, 3)) + f"\nquatf physics:principalAxes = ({h}, 0, 0, {h})")))[0]
    inertia = model.finalize().body_inertia.numpy()[0].reshape(3, 3)
    assert inertia == pytest.approx(np.diag([2, 1, 3]), abs=1e-6)


def test_a_mass_without_inertia(carom):
    """A small ball, and a warning."""
    builder, result = add(carom, usda(body("b", "float physics:mass = 3")))
    assert np.diag(builder.body_inertia.numpy()[0].reshape(3, 3)) == pytest.approx([0.012] * 3)
    assert "no inertia" in result["warnings"][0]


FALLING = {
    "SI, z up": dict(up="Z", meters=1, kilograms=1),
    "cm, g, y up": dict(up="Y", meters=0.01, kilograms=0.001),
    "mm, y up": dict(up="Y", meters=0.001, kilograms=1),
}


def pendulum(up, meters, kilograms):
    """A rod that hangs from the world by a driven hinge about the horizontal, and a box that flies, in any units."""
    length, mass = 1 / meters, 1 / kilograms
    degree = math.pi / 180
    torque = mass * length**2

    def v(x, y, z):  # metres, z up
        return (x * length, y * length, z * length) if up == "Z" else (x * length, z * length, -y * length)

    axis = "Y" if up == "Z" else "Z"
    moments = (0.1, 0.2, 0.3) if up == "Z" else (0.1, 0.3, 0.2)
    rod = body("rod", solid(2 * mass, tuple(x * torque for x in moments))
               + f"\npoint3f physics:centerOfMass = {v(0.5, 0, 0)}", at=v(0, 0, 1))
    box = body("box", f"vector3f physics:velocity = {v(1, 0, 2)}\n"
               f"vector3f physics:angularVelocity = {tuple(90 * x / length for x in v(0, 0, 1))}\n"
               f"float physics:density = {500 * mass / length**3}\n"
               + collider("Cube", "c", f"double size = {length}\n{moved((0, 0, 0), scale=(0.1, 0.1, 0.1))}"), at=v(3, 0, 2))
    sign = 1 if up == "Z" else -1
    hinge = prim("PhysicsRevoluteJoint", "hinge", ["PhysicsDriveAPI:angular"], f"""
        rel physics:body1 = </rod>
        token physics:axis = "{axis}"
        point3f physics:localPos0 = {v(0, 0, 1)}
        float physics:lowerLimit = {-170 if sign > 0 else -30}
        float physics:upperLimit = {30 if sign > 0 else 170}
        float drive:angular:physics:stiffness = {5 * torque * degree}
        float drive:angular:physics:damping = {0.5 * torque * degree}
        float drive:angular:physics:targetPosition = {10 * sign}
        custom float newton:armature = {0.05 * torque}
    """)
    scene = prim("PhysicsScene", "scene")
    return usda(scene + rod + box + hinge, up=up, meters=meters, kilograms=kilograms)


@pytest.mark.parametrize("units", FALLING)
def test_units_do_not_change_the_motion(carom, units):
    """Lengths, masses, forces, angles and axes of a stage: the same motion as in metres with z up."""
    finals = []
    for choice in ("SI, z up", units):
        model = add(carom, pendulum(**FALLING[choice]))[0].finalize()
        sim = carom.Simulation(model, "featherstone", dt=0.002)
        sim.step(200)
        finals.append((model, np.array(sim.state.body_q.numpy(), float), np.array(sim.state.body_qd.numpy(), float)))
    (model, q, qd), (other, other_q, other_qd) = finals
    assert model.body_mass.numpy() == pytest.approx(other.body_mass.numpy(), rel=1e-5)
    assert q[:, :3] == pytest.approx(other_q[:, :3], abs=2e-4)
    assert qd == pytest.approx(other_qd, abs=3e-3)
    assert q[1, :3] == pytest.approx([3.4, 0, 2 + 0.8 - 0.5 * 9.81 * 0.16], abs=5e-3)


def test_velocities_are_in_the_space_of_the_parent(carom):
    """A quarter turn about z and a scale above the body turn and scale them, but an angular velocity keeps its size."""
    inner = body("b", solid() + "vector3f physics:velocity = (1, 0, 0)\nvector3f physics:angularVelocity = (180, 0, 90)")
    text = usda(prim("Xform", "group", content=moved((0, 0, 0), turn=(0, 0, 90), scale=(2, 2, 2)) + inner))
    qd = add(carom, text)[0].finalize().joint_qd.numpy()
    assert qd == pytest.approx([0, 2, 0, 0, math.pi, math.pi / 2], abs=1e-5)


def test_gravity(carom):
    """Of the scene: the Earth's, another one, none; along the up axis of the builder."""
    for content, gravity in (("", (0, 0, -9.81)), ("float physics:gravityMagnitude = 162", (0, 0, -1.62)),
                             ("vector3f physics:gravityDirection = (0, 0, 2)\nfloat physics:gravityMagnitude = 100",
                              (0, -1, 0)),
                             ("custom bool newton:gravityEnabled = false", (0, 0, 0))):
        text = usda(prim("PhysicsScene", "s", content=content) + body("b", solid()), up="Y", meters=0.01)
        builder = carom.ModelBuilder()
        builder.add_usd(text)
        assert builder.finalize().gravity.numpy()[0] == pytest.approx(gravity, abs=1e-6), content


def test_the_timestep(carom):
    """newton:timeStepsPerSecond."""
    text = usda(prim("PhysicsScene", "s", content="custom int newton:timeStepsPerSecond = 500") + body("b", solid()))
    assert carom.Simulation(add(carom, text)[0].finalize()).dt == pytest.approx(0.002)


def test_placement_and_prefix(carom):
    """xform moves and turns all of it, key_prefix tells two copies apart."""
    h = math.sqrt(0.5)
    builder = carom.ModelBuilder()
    text = usda(body("b", solid(), at=(1, 0, 0)) + collider("Sphere", "s", at=(0, 1, 0)))
    builder.add_usd(text)
    second = builder.add_usd(text, xform=(0, 0, 5, 0, 0, h, h), key_prefix="two")
    model = builder.finalize()
    assert model.body_q.numpy()[second["path_body_map"]["/b"]] == pytest.approx([0, 1, 5, 0, 0, h, h], abs=1e-6)
    assert model.shape_transform.numpy()[second["path_shape_map"]["/s"]][:3] == pytest.approx([-1, 0, 5], abs=1e-6)
    assert model.body_key == ["/b", "two/b"]


def test_disabled_and_kinematic_bodies(carom):
    """A disabled body stands still, or is left out; a kinematic one is moved by the user alone."""
    still = body("still", "bool physics:rigidBodyEnabled = false\n" + collider("Sphere", "s"), at=(0, 0, 3))
    text = usda(still + body("moved", solid() + "\nbool physics:kinematicEnabled = true"))
    builder, result = add(carom, text)
    assert list(result["path_body_map"]) == ["/moved"]
    assert builder.shape_body.numpy().tolist() == [-1]
    assert builder.shape_transform.numpy()[0][2] == 3
    assert builder.body_flags.numpy().tolist() == [int(carom.BodyFlag.KINEMATIC)]
    assert add(carom, text, only_load_enabled_rigid_bodies=True)[1]["path_shape_map"] == {}


def test_bodies_inside_of_bodies(carom):
    """A body below another one is a body of its own, where its transforms put it."""
    inner = body("inner", solid() + collider("Sphere", "s", "double radius = 0.1"), at=(0, 0, 1))
    builder, result = add(carom, usda(body("outer", solid() + collider("Sphere", "s", "double radius = 0.1") + inner,
                                           at=(1, 0, 0))))
    assert builder.body_q.numpy()[:, :3].tolist() == [[1, 0, 0], [1, 0, 1]]
    assert builder.shape_body.numpy().tolist() == [0, 1]


def test_instances(carom):
    """Instances and points of an instancer are bodies each, and share one mesh."""
    mesh = """def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    }"""
    thing = prim("Xform", "thing", ["PhysicsRigidBodyAPI"], mesh)
    text = prim("Xform", "proto", ["PhysicsRigidBodyAPI"], mesh) + "".join(
        prim("Xform", name, content=moved((x, 0, 0)), metadata="instanceable = true\nprepend references = </proto>")
        for name, x in (("a", 2), ("b", 4)))
    text += prim("PointInstancer", "points", content=f"""
        rel prototypes = [</points/thing>]
        int[] protoIndices = [0, 0, 0]
        point3f[] positions = [(0, 0, 5), (0, 0, 6), (0, 0, 7)]
        {thing}""")
    builder, result = add(carom, usda(text))
    places = {path: builder.body_q.numpy()[row][:3].tolist() for path, row in result["path_body_map"].items()}
    assert places == {"/proto": [0, 0, 0], "/a": [2, 0, 0], "/b": [4, 0, 0], "/points/thing_0": [0, 0, 5],
                      "/points/thing_1": [0, 0, 6], "/points/thing_2": [0, 0, 7]}
    model = builder.finalize()
    assert model.shape_count == 6 and len(model.shape_sources) == 3  # /proto's own, its instances', the points'
    assert model.body_mass.numpy() == pytest.approx([1000 / 6] * 6, rel=1e-5)


def test_what_is_not_given_is_told():
    """Units that a stage leaves out are USD's: centimetres and y up; one warning with one line for each."""
    import carom

    builder = carom.ModelBuilder()
    with pytest.warns(UserWarning, match="metersPerUnit is not given") as caught:
        result = builder.add_usd("#usda 1.0\n" + collider("Sphere", "s", at=(0, 100, 0)))
    assert len(caught) == 1 and len(str(caught[0].message).split("\n")) == 2
    assert builder.shape_transform.numpy()[0][:3] == pytest.approx([0, 0, 1], abs=1e-6)
    assert builder.shape_scale.numpy()[0][0] == pytest.approx(0.01)
    assert result["linear_unit"] == 0.01 and result["up_axis"] == "Y"


def test_paths_and_roots(carom):
    """ignore_paths are regular expressions; root_path reads a part, at its place in the whole."""
    text = usda(prim("Xform", "a", content=moved((0, 0, 2)) + collider("Sphere", "s")) + collider("Sphere", "visible"))
    assert list(add(carom, text, ignore_paths=["/a$", "vis"])[1]["path_shape_map"]) == []
    builder, result = add(carom, text, root_path="/a")
    assert list(result["path_shape_map"]) == ["/a/s"] and builder.shape_transform.numpy()[0][2] == 2


def test_nothing_is_changed_by_a_stage_that_is_refused(carom):
    """All or nothing."""
    builder = carom.ModelBuilder()
    bad = usda(body("fine", solid()) + collider("Sphere", "s", "double radius = -1"))
    with pytest.raises(carom.Error, match="/s: radius must be positive"):
        builder.add_usd(bad)
    assert (builder.body_count, builder.shape_count, builder.joint_count, builder.world_count) == (0, 0, 0, 0)


def test_no_warning_without_a_reason(carom):
    """A stage that says all it needs to is read in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        carom.ModelBuilder().add_usd(usda(prim("PhysicsScene", "s") + body("b", collider("Cube", "c"))))
