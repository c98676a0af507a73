"""Model.to_usd() and Recorder: what add_usd() reads back is the same model, and runs have their poses as time samples."""

import pathlib

import numpy as np
import pytest
from mjcf_files import COMPLETE
from usd_stages import usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

FOLDERS = [pathlib.Path(__file__).parents[i] / "shared/models" for i in (2, 3)]
SAME = ("body_com", "body_inertia", "body_mass", "joint_armature", "joint_axis_count", "joint_child", "joint_damping",
        "joint_dof_dim", "joint_friction", "joint_limit_lower", "joint_limit_upper", "joint_parent", "joint_q_positions",
        "joint_stiffness", "joint_target_kd", "joint_target_ke", "joint_type", "shape_body", "shape_collision_group",
        "shape_material_mu", "shape_type", "shape_world")


def column(model, name):
    if name == "joint_axis_count":
        return np.array([model.joint_dof_count])
    if name == "joint_q_positions":  # the sign of a quaternion means nothing
        return np.abs(np.array(model.joint_q.numpy(), float))
    return np.array(getattr(model, name).numpy(), float)


def assert_alike(a, b):
    assert a.body_key == b.body_key and a.joint_key == b.joint_key and a.shape_key == b.shape_key
    for name in SAME:
        x, y = column(a, name), column(b, name)
        assert x.shape == y.shape, name
        assert np.abs(x - y).max(initial=0) <= 3e-6 * max(1.0, np.abs(x).max(initial=0)), name


def carom_module(model):
    import sys

    return sys.modules[type(model).__module__]


def without_motors(model):
    """What a stage does not say pushes nothing."""
    with model.edit():
        if model.actuator_count:
            model.actuator_gain[:] = 0
            model.actuator_bias[:] = 0
        if model.tendon_count:
            for name in ("stiffness", "damping", "friction"):
                getattr(model, f"tendon_{name}")[:] = 0
        for row, kind in enumerate(model.equality_constraint_type.numpy()):
            if kind == int(carom_module(model).EqualityType.TENDON) or model.equality_constraint_polycoef[row][2:].any():
                model.equality_constraint_enabled[row] = 0
    return model


def fall(carom, model, steps=40):
    sim = carom.Simulation(without_motors(model), "mujoco", dt=0.002)
    sim.step(steps)
    return np.array(sim.state.body_q.numpy(), float)[:, :3]


def find(name):
    import os

    folders = [pathlib.Path(os.environ["CAROM_MODELS"])] if "CAROM_MODELS" in os.environ else FOLDERS
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if path is None:
        pytest.skip(f"{name} is not there")
    return path


ROBOTS = [name for name in COMPLETE if not any(word in name for word in ("humanoid100", "22_", "100_"))]
TIED = ["menagerie/robotiq_2f85/scene.xml"]  # its box hangs on a tendon with limits, which a stage does not say


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_come_back(carom, name, tmp_path):
    """The robots of other projects, from MJCF to USD and back: masses, joints, shapes, and how they fall."""
    model = carom.load_mjcf(find(name))
    path = tmp_path / "robot.usdc"
    lost = model.to_usd(path)
    again = carom.load_usd(path)
    assert_alike(model, again)
    assert (model.actuator_count > 0) == any("actuators" in line for line in lost)
    assert (model.sensor_count > 0) == any("sensors" in line for line in lost)
    if name not in TIED:
        assert fall(carom, again) == pytest.approx(fall(carom, model), abs=2e-4)


def everything(carom):
    """All kinds of shapes, joints, constraints and worlds."""
    builder = carom.ModelBuilder(gravity=(0, 0, -3))
    builder.options.integrator = "implicitfast"
    builder.options.timestep = 0.001
    builder.add_ground_plane(key="ground")
    builder.add_shape_plane(2, 3, xform=(5, 0, 0, 0, 0, 0, 1), key="finite plane")
    heights = carom.Heightfield([[0, 1, 0], [1, 2, 1]], 2, 3, hx=1, hy=2)
    builder.add_shape_heightfield(heights, xform=(20, 0, 0, 0, 0, 0, 1), key="hills")
    for world in range(2):
        builder.begin_world(key=f"world {world}")
        cfg = builder.ShapeConfig(collision_group=-2, mu=0.3, restitution=0.5, thickness=0.01, contact_margin=0.02, condim=4,
                                  contype=3, surface_velocity=(1, 0, 0, 0, 0, 0), collision_filter_parent=False)
        base = builder.add_body(xform=(0, 0, 2, 0, 0, 0.6, 0.8), key="base")
        builder.add_shape_box(base, 0.1, 0.2, 0.3, cfg=cfg, key="box")
        previous, dof = base, builder.JointDofConfig
        for number, kind in enumerate(("revolute", "prismatic", "ball", "d6", "fixed", "distance")):
            link = builder.add_link(xform=(0.5 * number, 0, 2, 0, 0, 0, 1), key=kind)
            [builder.add_shape_sphere, builder.add_shape_capsule, builder.add_shape_cylinder, builder.add_shape_cone,
             builder.add_shape_ellipsoid, builder.add_shape_sphere][number](link, xform=(0, 0.1, 0, 0.6, 0, 0, 0.8))
            frames = {"parent_xform": (0.3, 0, 0, 0, 0.6, 0, 0.8), "child_xform": (-0.2, 0, 0, 0, 0, 0, 1),
                      "key": f"{kind} joint"}
            if kind in ("revolute", "prismatic"):
                joint = getattr(builder, f"add_joint_{kind}")(
                    previous, link, axis=(0, 1, 1), limit_lower=-1, limit_upper=2, target_ke=5, target_kd=0.5, target_pos=0.25,
                    effort_lower=-20, effort_upper=20, armature=0.1, friction=0.01, stiffness=3, spring_ref=0.5,
                    limit_solref=(0.05, 1.5), damping=0.2, **frames)
                builder.set_joint_q(joint, [0.3])
                builder.set_joint_qd(joint, [-0.4])
            elif kind == "ball":
                joint = builder.add_joint_ball(previous, link, limit_upper=1.5, damping=0.1, **frames)
                builder.set_joint_q(joint, [0.1, 0.2, 0.3, 0.9273618495495703])
            elif kind == "d6":
                joint = builder.add_joint_d6(
                    previous, link, [dof(axis=(0, 0, 1), limit_lower=-1, limit_upper=0.5)],
                    [dof(axis=(0, 1, 0), damping=0.3), dof(axis=(-1, 0, 0), limit_upper=1, stiffness=2)], **frames)
                builder.set_joint_q(joint, [0.1, 0.2, -0.3])
            elif kind == "fixed":
                builder.add_joint_fixed(previous, link, **frames)
            else:
                builder.add_joint_distance(previous, link, min_distance=0.1, max_distance=2.5, **frames)
            previous = link
        mesh = carom.make_box_mesh(0.1, 0.1, 0.2)
        loose = builder.add_body(xform=(0, 3, 1, 0, 0, 0, 1), key="loose")
        builder.add_shape_mesh(loose, mesh=mesh, scale=(1, 2, 1), key="mesh")
        builder.add_shape_convex_hull(loose, mesh=mesh, xform=(0, 0, 1, 0, 0, 0, 1), key="hull")
        still = builder.add_body(xform=(0, 4, 1, 0, 0, 0, 1), key="moved by hand", is_kinematic=True)
        builder.add_shape_box(still, 0.1, 0.1, 0.1, cfg=builder.ShapeConfig(has_shape_collision=False), key="seen")
        builder.add_site(loose, (0.1, 0.2, 0.3, 0, 0, 0, 1), key="eye")
        builder.add_equality_constraint_connect(loose, still, (0, 0.5, 0), key="rope")
        builder.add_equality_constraint_weld(base, loose, (0, 0, 0.1), 2.0, key="glue", enabled=False)
        builder.add_shape_collision_filter_pair(builder.shape_count - 2, builder.shape_count - 3)
        builder.set_custom_attributes("body", loose, {"my:number": 1.5, "my:list": [1, 2], "my:name": "x"})
        builder.end_world()
    return builder.finalize()


def test_everything_comes_back(carom, tmp_path):
    """One model with all that a stage can say, and what USD has no word for as attributes of carom."""
    model = everything(carom)
    path = tmp_path / "all.usda"
    lost = model.to_usd(path)
    builder = carom.ModelBuilder()
    builder.add_usd(path, only_load_enabled_joints=False)
    again = builder.finalize()
    assert lost == ["heightfield hills, which becomes a mesh"]
    types = [carom.ShapeType.MESH if t == int(carom.ShapeType.HEIGHTFIELD) else t for t in model.shape_type.numpy()]
    assert again.shape_type.numpy().tolist() == [int(t) for t in types]
    assert again.world_count == 2 and again.body_key == model.body_key and again.joint_key == model.joint_key
    for name in (*SAME, "shape_thickness", "shape_contact_margin", "shape_contype", "shape_condim", "shape_surface_velocity",
                 "shape_material_restitution", "joint_limit_solref", "joint_spring_ref", "joint_effort_upper", "joint_qd",
                 "equality_constraint_anchor2", "equality_constraint_enabled", "equality_constraint_torquescale",
                 "body_flags", "shape_flags", "shape_collision_filter_pairs", "gravity"):
        if name != "shape_type":
            x = column(model, name)
            assert column(again, name) == pytest.approx(x, abs=5e-6 * max(1.0, np.abs(x).max())), name
    assert again.body_q.numpy()[:, :3] == pytest.approx(model.body_q.numpy()[:, :3], abs=2e-6)
    assert again.options.integrator == "implicitfast" and again.options.timestep == pytest.approx(0.001)
    assert again.custom_attributes("body") == model.custom_attributes("body")
    assert again.equality_constraint_key == model.equality_constraint_key


def test_a_stage_is_what_usd_expects(carom, tmp_path):
    """Units, axes, schemas and default prim, for everybody else who reads it; USD's own parser finds all of it."""
    from pxr import Usd, UsdGeom, UsdPhysics

    path = tmp_path / "all.usda"
    everything(carom).to_usd(path)
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1 and UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.GetDefaultPrim().GetPath() == "/model"
    scene = UsdPhysics.Scene.Get(stage, "/model/scene")
    assert scene.GetGravityMagnitudeAttr().Get() == pytest.approx(3)
    found = UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"])
    counts = {str(kind).split(".")[-1]: len(paths) for kind, (paths, _) in found.items()}
    assert counts["RigidBody"] == 18
    assert counts["RevoluteJoint"] == counts["PrismaticJoint"] == counts["D6Joint"] == counts["DistanceJoint"] == 2
    assert counts["SphericalJoint"] == 4 and counts["FixedJoint"] == 4  # with those that close loops


def ball(carom):
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_shape_sphere(builder.add_body(xform=(1, 0, 10, 0, 0, 0, 1), key="ball"), radius=0.1)
    builder.end_world()
    return builder.finalize()


def test_runs(carom, tmp_path):
    """Time samples of a fall: where the ball is at each frame."""
    from pxr import Usd, UsdGeom

    model = ball(carom)
    sim = carom.Simulation(model, "featherstone", dt=0.01)
    path = tmp_path / "fall.usdc"
    with carom.usd.Recorder(model, path, fps=50) as recorder:
        recorder.add(sim.state)
        for _ in range(25):
            sim.step(2)
            recorder.add(sim.state)
    stage = Usd.Stage.Open(str(path))
    assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (50, 0, 25)
    prim = next(p for p in stage.Traverse() if p.GetName() == "ball")
    for frame in (0, 10, 25):
        M = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame)
        t = frame / 50
        # velocity first, then place: half a step more than the parabola
        assert M.ExtractTranslation()[2] == pytest.approx(10 - 9.81 * t * (t + 0.01) / 2, abs=1e-4)
    assert carom.load_usd(path).body_q.numpy()[0][:3] == pytest.approx([1, 0, 10])


def test_states_and_times(carom, tmp_path):
    """to_usd(states, times=), and what is refused."""
    from pxr import Usd, UsdGeom

    model = ball(carom)
    states = []
    for height in (10, 8, 5):
        state = model.state()
        state.body_q.numpy()[0, 2] = height
        states.append(state)
    path = tmp_path / "states.usda"
    model.to_usd(str(path), states, times=[0, 0.5, 2], fps=24)
    stage = Usd.Stage.Open(str(path))
    prim = UsdGeom.Xformable(next(p for p in stage.Traverse() if p.GetName() == "ball"))
    assert [prim.ComputeLocalToWorldTransform(code).ExtractTranslation()[2] for code in (0, 12, 48)] == [10, 8, 5]
    for arguments, message in (({"times": [0]}, "there are 1 times"), ({"times": [0, 0, 1]}, "must be finite and grow"),
                               ({"fps": 0}, "fps must be positive")):
        with pytest.raises(carom.Error, match=message):
            model.to_usd(str(tmp_path / "no.usda"), states, **arguments)
    with pytest.raises(carom.Error, match="ends with .usd, .usda or .usdc"):
        model.to_usd(str(tmp_path / "no.obj"))
    with pytest.raises(carom.Error, match="cannot be written"):
        model.to_usd(str(path / "no.usda"))


def test_a_file_is_replaced(carom, tmp_path):
    """What stood in it is gone, also where somebody has it open."""
    path = tmp_path / "a.usda"
    path.write_text(usda('def Xform "old" {}'))
    ball(carom).to_usd(path)
    assert "old" not in path.read_text()
    ball(carom).to_usd(path)
    assert carom.load_usd(path).body_key == ["ball"]
