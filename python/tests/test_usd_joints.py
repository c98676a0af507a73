"""add_usd(): joints, their frames, limits, drives and coordinates, trees and loops."""

import math

import numpy as np
import pytest
from usd_stages import add, body, collider, prim, solid, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

DEGREE = math.pi / 180
TWO = body("a", solid()) + body("b", solid(), at=(1, 0, 0))


def joint(kind, content="", apis=(), first="/a", second="/b", name="j"):
    ends = (f"rel physics:body0 = <{first}>\n" if first else "") + (f"rel physics:body1 = <{second}>\n" if second else "")
    return prim(f"Physics{kind}", name, apis, ends + content)


HALF = "point3f physics:localPos0 = (0.5, 0, 0)\npoint3f physics:localPos1 = (-0.5, 0, 0)\n"


def test_a_hinge(carom):
    """Frames, axis, limits and drive of a revolute joint, in degrees and per degree."""
    text = TWO + joint("RevoluteJoint", HALF + """
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = 2
        float drive:angular:physics:damping = 0.5
        float drive:angular:physics:targetPosition = 30
        float drive:angular:physics:targetVelocity = 60
        float drive:angular:physics:maxForce = 7
        custom float newton:armature = 0.25
        custom float newton:damping = 0.1
        custom float newton:friction = 0.125
        custom float newton:limitStiffness = 3
        custom float newton:limitDamping = 4
        custom float newton:velocityLimit = 360
    """, ["PhysicsDriveAPI:angular"])
    builder, result = add(carom, usda(text), joint_drive_gains_scaling=2.0)
    row = result["path_joint_map"]["/j"]
    assert builder.joint_type.numpy()[row] == int(carom.JointType.REVOLUTE)
    assert (builder.joint_parent.numpy()[row], builder.joint_child.numpy()[row]) == (0, 1)
    assert builder.joint_X_p.numpy()[row] == pytest.approx([0.5, 0, 0, 0, 0, 0, 1])
    assert builder.joint_X_c.numpy()[row] == pytest.approx([-0.5, 0, 0, 0, 0, 0, 1])
    dof = 6  # behind the free joint of /a
    expected = {"axis": (0, 1, 0), "limit_lower": -math.pi / 2, "limit_upper": math.pi / 4, "target_ke": 4 / DEGREE,
                "target_kd": 1 / DEGREE, "target_pos": math.pi / 6, "target_vel": math.pi / 3, "effort_lower": -7,
                "effort_upper": 7, "armature": 0.25, "damping": 0.1 / DEGREE, "friction": 0.125, "limit_ke": 3 / DEGREE,
                "limit_kd": 4 / DEGREE, "velocity_limit": 2 * math.pi}
    for name, value in expected.items():
        assert getattr(builder, f"joint_{name}").numpy()[dof] == pytest.approx(value, rel=1e-6), name


def test_a_slider_in_centimetres_and_grams(carom):
    """Forces, lengths and masses of a prismatic joint in units of the stage."""
    text = TWO + joint("PrismaticJoint", """
        float physics:lowerLimit = -50
        float physics:upperLimit = 100
        float drive:linear:physics:stiffness = 2000
        float drive:linear:physics:damping = 500
        float drive:linear:physics:targetPosition = 25
        float drive:linear:physics:maxForce = 100000
        custom float newton:armature = 250
        custom float newton:friction = 100000
        float physics:breakForce = inf
        point3f physics:localPos0 = (1, 0, 0)
    """, ["PhysicsDriveAPI:linear"])
    builder, _ = add(carom, usda(text, meters=0.01, kilograms=0.001))
    expected = {"axis": (1, 0, 0), "limit_lower": -0.5, "limit_upper": 1, "target_ke": 2, "target_kd": 0.5,
                "target_pos": 0.25, "effort_upper": 1, "armature": 0.25, "friction": 1}
    for name, value in expected.items():
        assert getattr(builder, f"joint_{name}").numpy()[6] == pytest.approx(value, rel=1e-5), name


def test_other_joints(carom):
    """Fixed, spherical, distance: their types, coordinates and numbers."""
    text = "".join(body(name, solid(), at=(i, 0, 0)) for i, name in enumerate("abcd"))
    text += joint("FixedJoint", HALF, first="/a", second="/b", name="fixed")
    text += joint("SphericalJoint", HALF, first="/b", second="/c", name="ball")
    text += joint("DistanceJoint", "float physics:minDistance = 0.5\nfloat physics:maxDistance = 2", first="/c",
                  second="/d", name="rope")
    builder, result = add(carom, usda(text))
    model = builder.finalize()
    kinds = [carom.JointType(int(k)).name for k in model.joint_type.numpy()]
    assert kinds == ["FREE", "FIXED", "BALL", "DISTANCE"]
    assert model.joint_limit_lower.numpy()[-6] == pytest.approx(0.5)
    assert model.joint_limit_upper.numpy()[-6] == pytest.approx(2)
    assert model.body_q.numpy()[:, 0] == pytest.approx([0, 1, 2, 3], abs=1e-6)
    assert result["warnings"] == []


def test_a_joint_of_six_axes(carom):
    """LimitAPI: without one an axis is free, the wrong way round it is locked."""
    text = TWO + joint("Joint", """
        float limit:transX:physics:low = -0.5
        float limit:transX:physics:high = 0.5
        float limit:transY:physics:low = 1
        float limit:transY:physics:high = -1
        float limit:transZ:physics:low = 1
        float limit:transZ:physics:high = -1
        float limit:rotX:physics:low = 1
        float limit:rotX:physics:high = -1
        float limit:rotY:physics:low = -90
        float limit:rotY:physics:high = 90
        float drive:rotZ:physics:stiffness = 3
        point3f physics:localPos0 = (1, 0, 0)
    """, [f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX", "rotY")] + ["PhysicsDriveAPI:rotZ"])
    builder, result = add(carom, usda(text))
    row = result["path_joint_map"]["/j"]
    assert builder.joint_dof_dim.numpy()[row].tolist() == [1, 2]
    assert builder.joint_axis.numpy()[6:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert builder.joint_limit_lower.numpy()[6:8] == pytest.approx([-0.5, -math.pi / 2])
    assert builder.joint_target_ke.numpy()[8] == pytest.approx(3 / DEGREE)


def turned(axis, degrees):
    s, c = math.sin(degrees * DEGREE / 2), math.cos(degrees * DEGREE / 2)
    return (c, *(s * float(a == axis) for a in "XYZ"))


@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("degrees", [0, 40, -170])
def test_coordinates_are_those_of_the_poses(carom, axis, degrees):
    """The stage has poses, joints have coordinates: a hinge that is turned begins there, and bodies stay in place."""
    second = prim("Xform", "b", ["PhysicsRigidBodyAPI", "PhysicsMassAPI"], solid() + f"""
        double3 xformOp:translate = (0, 0, 1)
        quatd xformOp:orient = {turned(axis, degrees)}
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]""")
    text = body("a", solid()) + second + joint("RevoluteJoint", f"""
        uniform token physics:axis = "{axis}"
        point3f physics:localPos0 = (0, 0, 1)""")
    builder, _ = add(carom, usda(text))
    model = builder.finalize()
    assert model.joint_q.numpy()[7] == pytest.approx(degrees * DEGREE, abs=1e-5)
    q = model.body_q.numpy()[1]
    w, x, y, z = turned(axis, degrees)
    assert q[:3] == pytest.approx([0, 0, 1], abs=1e-6)
    assert abs(np.dot(q[3:], [x, y, z, w])) == pytest.approx(1, abs=1e-6)


def test_coordinates_of_three_axes(carom):
    """Of a d6 joint with three hinges, from the pose that carom's own forward kinematics gives."""
    angles = (0.5, -0.8, 1.1)
    own = carom.ModelBuilder()
    base, tip = own.add_link(mass=1, inertia=np.eye(3)), own.add_link(mass=1, inertia=np.eye(3))
    own.add_joint_free(base)
    dof = carom.JointDofConfig
    j = own.add_joint_d6(base, tip, [dof(axis=(0, 0, 1))], [dof(axis=(1, 0, 0)), dof(axis=(0, 1, 0)), dof(axis=(0, 0, 1))])
    own.set_joint_q(j, (0.25, *angles))
    pose = own.finalize().body_q.numpy()[1].astype(float)
    second = prim("Xform", "b", ["PhysicsRigidBodyAPI", "PhysicsMassAPI"], solid() + f"""
        double3 xformOp:translate = {tuple(pose[:3].tolist())}
        quatd xformOp:orient = {(float(pose[6]), *pose[3:6].tolist())}
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]""")
    locked = "".join(f"float limit:{a}:physics:low = 1\nfloat limit:{a}:physics:high = -1\n" for a in ("transX", "transY"))
    text = body("a", solid()) + second + joint("Joint", locked, ["PhysicsLimitAPI:transX", "PhysicsLimitAPI:transY"])
    model = add(carom, usda(text))[0].finalize()
    assert model.joint_q.numpy()[7:] == pytest.approx([0.25, *angles], abs=1e-5)


def test_a_joint_seen_from_its_second_body(carom):
    """The second body carries the first when it hangs on the world: the same motion as with the bodies swapped."""
    poses = []
    for first, second, sign in (("/b", "/a", -1), ("/a", "/b", 1)):
        text = TWO + joint("FixedJoint", second="/a", first="", name="base") + joint(
            "RevoluteJoint", f"""
            uniform token physics:axis = "Y"
            point3f physics:localPos{0 if first == "/a" else 1} = (1, 0, 0)
            float physics:lowerLimit = {-60 if sign > 0 else -20}
            float physics:upperLimit = {20 if sign > 0 else 60}
            float drive:angular:physics:stiffness = 0.1
            float drive:angular:physics:damping = 0.05
            float drive:angular:physics:targetPosition = {15 * sign}""", ["PhysicsDriveAPI:angular"], first, second)
        builder, result = add(carom, usda(text))
        model = builder.finalize()
        assert (model.joint_parent[1], model.joint_child[1]) == (0, 1), first
        sim = carom.Simulation(model, "featherstone", dt=0.002)
        sim.step(100)
        poses.append(np.array(sim.state.body_q.numpy(), float))
        assert result["path_joint_map"]["/j"] == 1
    # The axis of the first is turned over, and with it its limits and its target.
    assert poses[0] == pytest.approx(poses[1], abs=1e-4)


def test_joints_with_the_world(carom):
    """Without a body, with the default prim of the world, and with something that stands still: frames in the world."""
    text = prim("Xform", "stand", content='double3 xformOp:translate = (0, 0, 2)\nuniform token[] xformOpOrder = '
                '["xformOp:translate"]') + "".join(body(n, solid(), at=(0, 0, 2)) for n in "abc")
    text += joint("FixedJoint", "point3f physics:localPos0 = (0, 0, 2)", first="", second="/a", name="one")
    text += joint("FixedJoint", "", first="/stand", second="/b", name="two")
    text += joint("FixedJoint", "point3f physics:localPos1 = (0, 0, 2)", first="/c", second="", name="three")
    builder, result = add(carom, usda(text))
    assert builder.joint_parent.numpy().tolist() == [-1, -1, -1]
    assert builder.finalize().body_q.numpy()[:, 2] == pytest.approx([2, 2, 2])
    assert result["warnings"] == []


def test_trees_in_the_order_of_the_stage(carom):
    """Joints may stand anywhere: bodies keep their order, joints follow it as far as parents come first, trees are
    articulations."""
    names = ["hand", "arm", "base", "other"]
    text = "".join(body(name, solid(), at=(0, 0, 0)) for name in names)
    text += joint("RevoluteJoint", first="/arm", second="/hand", name="wrist")
    text += joint("RevoluteJoint", first="/base", second="/arm", name="elbow")
    text += joint("FixedJoint", first="", second="/base", name="foot")
    builder, result = add(carom, usda(text))
    assert builder.body_key == ["/hand", "/arm", "/base", "/other"]
    assert [key.strip("/") for key in builder.joint_key] == ["foot", "elbow", "wrist", ""]
    assert builder.joint_articulation.numpy().tolist() == [0, 0, 0, 1]
    builder.finalize()


def test_the_root_of_a_tree_that_floats(carom):
    """ArticulationRootAPI says which body, and gives the articulation its name; otherwise the first that nobody carries."""
    text = body("a", solid()) + body("b", solid(), apis=["PhysicsArticulationRootAPI"]) + joint("RevoluteJoint")
    builder, _ = add(carom, usda(text))
    assert builder.joint_child.numpy().tolist() == [1, 0] and builder.articulation_key == ["/b"]
    plain = add(carom, usda(TWO + joint("RevoluteJoint", first="/b", second="/a")))[0]
    assert plain.joint_child.numpy().tolist() == [1, 0]
    builder.finalize()


LOOP = "".join(body(n, solid(), at=at) for n, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 1, 0)))) + joint(
    "FixedJoint", first="", second="/a", name="base") + joint("RevoluteJoint", HALF, name="ab") + joint(
    "RevoluteJoint", "point3f physics:localPos0 = (0, 0.5, 0)\npoint3f physics:localPos1 = (0, -0.5, 0)", first="/b",
    second="/c", name="bc")


@pytest.mark.parametrize("kind, rows", [("SphericalJoint", ["CONNECT"]), ("FixedJoint", ["WELD"]),
                                        ("RevoluteJoint", ["CONNECT", "CONNECT"])])
def test_loops_are_constraints(carom, kind, rows):
    """The joint that closes a loop holds by an equality constraint, and its bodies do not touch."""
    parts = LOOP.replace('def Xform "c"', 'def Xform "c"')
    text = parts + joint(kind, "point3f physics:localPos0 = (0, 1, 0)\npoint3f physics:localPos1 = (-1, 0, 0)", first="/a",
                         second="/c", name="ca")
    builder, result = add(carom, usda(text))
    assert [carom.EqualityType(int(k)).name for k in builder.equality_constraint_type.numpy()] == rows
    assert result["path_equality_constraint_map"] == {"/ca": 0}
    sim = carom.Simulation(builder.finalize(), "mujoco", dt=0.002)
    sim.step(200)
    poses = np.array(sim.state.body_q.numpy(), float)
    assert np.isfinite(poses).all() and poses[2][:3] == pytest.approx([1, 1, 0], abs=0.05)


def test_excluded_joints_are_constraints(carom):
    """excludeFromArticulation: both bodies are free, and held together."""
    text = TWO + joint("SphericalJoint", HALF + "bool physics:excludeFromArticulation = true")
    builder, _ = add(carom, usda(text))
    assert builder.joint_type.numpy().tolist() == [int(carom.JointType.FREE)] * 2
    assert builder.equality_constraint_count == 1


def test_joints_that_are_switched_off(carom):
    """Left out, or loaded as they are."""
    text = TWO + joint("RevoluteJoint", "bool physics:jointEnabled = false")
    assert add(carom, usda(text))[1]["path_joint_map"] == {}
    builder, result = add(carom, usda(text), only_load_enabled_joints=False)
    assert builder.joint_enabled.numpy()[result["path_joint_map"]["/j"]] == 0


@pytest.mark.parametrize("collides", [False, True])
def test_collisions_across_a_joint(carom, collides):
    """physics:collisionEnabled: two spheres that overlap, joined by a hinge."""
    sphere = collider("Sphere", "s", "double radius = 0.6")
    text = body("a", sphere) + body("b", sphere, at=(1, 0, 0)) + joint(
        "RevoluteJoint", HALF + f"bool physics:collisionEnabled = {str(collides).lower()}")
    model = add(carom, usda(text))[0].finalize()
    assert model.collide(model.state()).rigid_contact_count[0] == int(collides)


@pytest.mark.parametrize("how", ["argument", "attribute"])
def test_self_collisions(carom, how):
    """Off by the argument or by the articulation: three spheres of one tree, and a fourth one that is not of it."""
    sphere = collider("Sphere", "s", "double radius = 0.6")
    own = "custom bool newton:selfCollisionEnabled = false\n" if how == "attribute" else ""
    text = "".join(body(n, sphere + (own if n == "a" else ""), at=(0, 0, i * 0.1),
                        apis=["PhysicsArticulationRootAPI"] if n == "a" else ()) for i, n in enumerate("abcd"))
    text += joint("RevoluteJoint", name="ab") + joint("RevoluteJoint", first="/b", second="/c", name="bc")
    for options, count in (({}, 3 if how == "attribute" else 4),
                           ({"enable_self_collisions": False}, 3)):
        model = add(carom, usda(text), **options)[0].finalize()
        assert model.collide(model.state()).rigid_contact_count[0] == count


def test_frames_that_do_not_meet_are_told(carom):
    """A body that is not where its joint says is put there."""
    builder, result = add(carom, usda(TWO + joint("FixedJoint")))
    assert "frames are 1 m apart" in result["warnings"][0]
    assert builder.finalize().body_q.numpy()[1][0] == pytest.approx(0)


def test_joints_that_follow(carom):
    """newton:mimicJoint: a slider of 10 cm a turn, from where it is 2 cm in."""
    text = body("a", solid()) + body("b", solid(), at=(1, 0, 0)) + body("c", solid(), at=(2, 0, 0))
    text += joint("RevoluteJoint", "point3f physics:localPos0 = (1, 0, 0)", name="wheel")
    text += joint("PrismaticJoint", f"""point3f physics:localPos0 = (1, 0, 0)
        custom rel newton:mimicJoint = </wheel>
        custom float newton:mimicCoef0 = 2
        custom float newton:mimicCoef1 = {10 / 360}
        """, first="/b", second="/c", name="rack")
    builder, result = add(carom, usda(text.replace("(1, 0, 0)", "(100, 0, 0)").replace("(2, 0, 0)", "(200, 0, 0)"),
                                      meters=0.01))
    assert result["warnings"] == []
    assert builder.equality_constraint_polycoef.numpy()[0] == pytest.approx([0.02, 0.1 / (2 * math.pi), 0, 0, 0], rel=1e-5)
    joints = result["path_joint_map"]
    assert (builder.equality_constraint_joint1[0], builder.equality_constraint_joint2[0]) == (
        joints["/rack"], joints["/wheel"])
    with pytest.raises(carom.Error, match="/rack: newton:mimicJoint: there is no joint /gone"):
        add(carom, usda(text.replace("</wheel>", "</gone>")))
