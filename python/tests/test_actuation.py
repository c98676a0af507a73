"""Tendons, actuators and the numbers of soft constraints: the tests of tests/model/actuation_test.cpp, in Python."""

import numpy as np
import pytest

UNLIMITED = 1e10


def machine(carom, tendon=None, motor=None):
    """A slider, a hinge and a joint with two axes; a tendon over the last two, two actuators."""
    builder = carom.ModelBuilder()
    for _ in range(3):
        builder.add_link(mass=1, inertia=np.eye(3))
    builder.add_joint_prismatic(-1, 0, key="rail")
    builder.add_joint_revolute(0, 1, key="hinge")
    axes = [carom.JointDofConfig(axis=(1, 0, 0)), carom.JointDofConfig(axis=(0, 1, 0))]
    builder.add_joint_universal(1, 2, *axes, key="wrist")
    builder.add_tendon_fixed(joints=[(1, 2), (2, -3, 1)], **(tendon or {}), key="string")
    builder.add_actuator(0, **(motor or {}), key="push")
    builder.add_actuator(joint=2, axis=1, key="turn")
    return builder


def test_values_arrive(carom):
    """Every number of a tendon and of an actuator has its column."""
    tendon = {
        "limit_lower": -1, "limit_upper": 2, "limit_margin": 3, "limit_solref": [4, 5],
        "limit_solimp": [6, 7, 8, 9, 10], "friction": 15, "friction_solref": [16, 17],
        "friction_solimp": [18, 19, 20, 21, 22], "stiffness": 11, "damping": 12, "spring_lower": 13, "spring_upper": 14,
    }  # fmt: skip
    motor = {
        "gear": 2, "gain": 3, "bias": [4, 5, 6], "ctrl_lower": -7, "ctrl_upper": 8, "force_lower": -9,
        "force_upper": 10,
    }  # fmt: skip
    builder = machine(carom, tendon, motor)
    builder.add_actuator_tendon(0, **motor, key="pull")
    model = builder.finalize()
    for name, value in tendon.items():
        assert getattr(model, f"tendon_{name}").numpy().tolist() == [value]
    for name, value in motor.items():
        assert getattr(model, f"actuator_{name}").numpy().tolist()[::2] == [value, value]
    assert (model.tendon_count, model.tendon_joint_count, model.actuator_count) == (1, 2, 3)
    assert model.tendon_joint_tendon.numpy().tolist() == [0, 0]
    assert model.tendon_joint_joint.numpy().tolist() == [1, 2]
    assert model.tendon_joint_axis.numpy().tolist() == [0, 1]
    assert model.tendon_joint_coef.numpy().tolist() == [2, -3]
    assert model.actuator_joint.numpy().tolist() == [0, 2, -1]
    assert model.actuator_axis.numpy().tolist() == [0, 1, 0]
    assert model.actuator_tendon.numpy().tolist() == [-1, -1, 0]


def test_defaults_make_a_motor_and_a_loose_tendon(carom, real):
    """What is not given comes from the structs: a plain motor, a tendon that does nothing."""
    model = machine(carom).finalize()
    assert (model.actuator_gear[0], model.actuator_gain[0]) == (1, 1)
    assert not model.actuator_bias.numpy().any()
    assert model.actuator_ctrl_upper[0] == model.actuator_force_upper[0] == UNLIMITED
    assert model.actuator_ctrl_lower[0] == model.actuator_force_lower[0] == -UNLIMITED
    assert (model.tendon_limit_lower[0], model.tendon_limit_upper[0]) == (-UNLIMITED, UNLIMITED)
    assert model.tendon_limit_solref.numpy().tolist() == [[real(0.02), 1]]
    for name in ["limit_margin", "friction", "stiffness", "damping", "spring_lower", "spring_upper"]:
        assert getattr(model, f"tendon_{name}")[0] == 0


def test_solver_numbers_arrive(carom):
    """Shapes and joints take the numbers of their constraints, and show them."""
    numbers = {
        "stiffness": 1, "spring_ref": 2, "limit_margin": 3, "limit_solref": (4, 5), "limit_solimp": (6, 7, 8, 9, 10),
        "friction": 11, "friction_solref": (12, 13), "friction_solimp": (14, 15, 16, 17, 18),
    }  # fmt: skip
    material = {
        "contype": 2, "conaffinity": 4, "condim": 6, "priority": -1, "solmix": 3, "solref": (-4, -5),
        "solimp": (6, 7, 8, 9, 10), "contact_margin": 0.5, "gap": 0.25,
    }  # fmt: skip
    builder = carom.ModelBuilder()
    body = builder.add_link(mass=1, inertia=np.eye(3))
    builder.add_joint_revolute(-1, body, **numbers)
    cfg = carom.ShapeConfig(**material)
    builder.add_shape_sphere(body, cfg=cfg)
    model = builder.finalize()
    for name, value in numbers.items():
        assert getattr(model, f"joint_{name}").numpy()[0].tolist() == pytest.approx(value)
    for name, value in material.items():
        assert getattr(cfg, name) == value
        assert getattr(model, f"shape_{name}").numpy()[0].tolist() == pytest.approx(value)
    dof = carom.JointDofConfig(**numbers)
    assert (dof.limit_solref, dof.stiffness) == ((4, 5), 1)
    assert "solref=(-4.0, -5.0)" in repr(cfg)


def test_gap_follows_the_margin(carom, tmp_path):
    """A gap that was not given is the whole contact margin of that shape, also after loading."""
    builder = carom.ModelBuilder()
    builder.add_shape_sphere()
    builder.add_shape_sphere(cfg=carom.ShapeConfig(contact_margin=0.25))
    builder.add_shape_sphere(cfg=carom.ShapeConfig(contact_margin=0.25, gap=0))
    builder.rigid_contact_margin = 0.5
    assert carom.ShapeConfig().gap is None
    assert np.isnan(builder.shape_gap[0])
    model = builder.finalize()
    assert model.shape_gap.numpy().tolist() == [0.5, 0.25, 0]
    model.save(tmp_path / "gap.carom")
    assert carom.load(tmp_path / "gap.carom").shape_gap.numpy().tolist() == [0.5, 0.25, 0]


def test_copies_point_to_their_own_world(carom):
    """Every way of copying shifts the joints and tendons that rows point to."""
    unit = machine(carom)
    builder = carom.ModelBuilder()
    builder.add_builder(unit)
    builder.add_world(unit)
    builder.replicate(unit, 2)
    builder.begin_world()
    builder.add_builder(unit, key_prefix="a/")
    builder.add_builder(unit, key_prefix="b/")
    builder.end_world()
    model = builder.finalize()
    assert model.tendon_world.numpy().tolist() == [-1, 0, 1, 2, 3, 3]
    assert model.tendon_world_start.numpy().tolist() == [1, 2, 3, 4, 6, 6]
    assert model.tendon_joint_world_start.numpy().tolist() == [2, 4, 6, 8, 12, 12]
    assert model.actuator_world_start.numpy().tolist() == [2, 4, 6, 8, 12, 12]
    assert model.tendon_joint_tendon.numpy().tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert model.tendon_joint_joint.numpy().tolist() == [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17]
    assert model.actuator_joint.numpy().tolist() == [0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17]
    assert model.world(1).tendon_joint_joint.numpy().tolist() == [7, 8]
    assert model.actuator_key[-2:] == ["b/push", "b/turn"]


def test_keys_and_lookup(carom):
    """Tendons and actuators are found by their keys."""
    builder = carom.ModelBuilder()
    builder.replicate(machine(carom), 2)
    assert builder.tendon_key == ["string", "string"]
    model = builder.finalize()
    assert model.tendon_key == ["string", "string"]
    assert model.find_tendon("string", world=1) == 1
    assert model.find_actuator("turn", world=1) == 3
    with pytest.raises(carom.Error):
        model.find_actuator("turn")
    assert not hasattr(model, "tendon_joint_key")


def test_accelerations_and_inputs(carom):
    """They start at zero and go with the other arrays when worlds are reset and copied."""
    builder = carom.ModelBuilder()
    builder.replicate(machine(carom), 2)
    model = builder.finalize()
    state = model.state()
    assert state.joint_qdd.numpy().tolist() == [0] * 8
    state.joint_qdd[:] = 7
    model.reset(state, mask=[True, False])
    assert state.joint_qdd.numpy().tolist() == [0] * 4 + [7] * 4

    control, other = model.control(), model.control()
    assert control.ctrl.shape == (4,)
    control.world(1).ctrl[:] = [1, 2]
    other.copy_worlds(control, [False, True])
    assert other.ctrl.numpy().tolist() == [0, 0, 1, 2]


def test_edit_reaches_actuators(carom):
    """Their numbers are frozen and writeable with the rest of the model."""
    model = machine(carom).finalize()
    with pytest.raises(carom.Error, match="edit"):
        model.actuator_gear[0] = 3
    with model.edit():
        model.actuator_gear[0] = 3
    assert model.actuator_gear[0] == 3


def test_joints_of_a_tendon_are_pairs_or_triples(carom):
    """Anything else is a TypeError."""
    builder = machine(carom)
    for joints in [1, [1], [(1,)], [(1, 2, 3, 4)], [("hinge", 1)]]:
        with pytest.raises(TypeError):
            builder.add_tendon_fixed(joints)
    builder.add_tendon_fixed([[1, 0.5]])
    assert builder.tendon_count == 2
