"""from_mujoco: numbers of joints, tendons, actuators and equality constraints."""

import numpy as np
import pytest

from mujoco_states import GEOM, HUMANOID, MODELS, compile_xml, load_model, mujoco


@pytest.mark.parametrize("name", MODELS)
def test_numbers_of_joints_arrive(carom, name):
    """Limits, springs, damping, armature and friction of every hinge and slide, dof by dof."""
    model = load_model(name)
    builder = carom.from_mujoco(model)
    for joint in range(model.njnt):
        if model.jnt_type[joint] < 2:
            continue
        dof = model.jnt_dofadr[joint]
        expected = {
            "damping": model.dof_damping[dof],
            "armature": model.dof_armature[dof],
            "friction": model.dof_frictionloss[dof],
            "stiffness": model.jnt_stiffness[joint],
            "spring_ref": model.qpos_spring[model.jnt_qposadr[joint]],
            "limit_lower": model.jnt_range[joint, 0] if model.jnt_limited[joint] else -1e10,
            "limit_upper": model.jnt_range[joint, 1] if model.jnt_limited[joint] else 1e10,
        }
        if model.jnt_limited[joint]:
            expected["limit_margin"] = model.jnt_margin[joint]
            expected["limit_solref"] = model.jnt_solref[joint]
            expected["limit_solimp"] = model.jnt_solimp[joint]
        for column, value in expected.items():
            assert getattr(builder, "joint_" + column)[dof] == pytest.approx(value, rel=1e-6), (column, joint)


@pytest.mark.parametrize("name", MODELS)
def test_actuators_arrive(carom, name):
    """Gains, biases, gears and ranges, on the right degree of freedom."""
    model = load_model(name)
    frozen = carom.from_mujoco(model).finalize()
    dofs = frozen.joint_qd_start.numpy()[frozen.actuator_joint.numpy()] + frozen.actuator_axis.numpy()
    assert dofs.tolist() == model.jnt_dofadr[model.actuator_trnid[:, 0]].tolist()
    assert frozen.actuator_gear.numpy() == pytest.approx(model.actuator_gear[:, 0])
    assert frozen.actuator_gain.numpy() == pytest.approx(model.actuator_gainprm[:, 0])
    assert frozen.actuator_bias.numpy() == pytest.approx(model.actuator_biasprm[:, :3])
    limited = np.array(model.actuator_ctrllimited, bool)
    assert frozen.actuator_ctrl_lower.numpy()[limited] == pytest.approx(model.actuator_ctrlrange[limited, 0])
    assert frozen.actuator_ctrl_upper.numpy()[limited] == pytest.approx(model.actuator_ctrlrange[limited, 1])
    assert (np.abs(frozen.actuator_force_upper.numpy()) == np.float32(1e10)).all()


def test_position_and_velocity_actuators_arrive(carom):
    """Affine biases, force ranges, unlimited controls, and an axis inside a d6 joint."""
    model = compile_xml(
        f'<body><joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/>{GEOM}</body>',
        actuator='<position name="p" joint="y" kp="3" kv=".5" gear="2" forcerange="-4 5"/>'
        '<velocity name="v" joint="x" kv="7" ctrlrange="-1 2"/>'
        '<motor name="m" jointinparent="y" gear="-3"/>',
    )
    builder = carom.from_mujoco(model)
    assert builder.actuator_key == ["p", "v", "m"]
    assert builder.actuator_joint.numpy().tolist() == [0, 0, 0]
    assert builder.actuator_axis.numpy().tolist() == [1, 0, 1]
    assert builder.actuator_gear.numpy().tolist() == [2, 1, -3]
    assert builder.actuator_gain.numpy().tolist() == [3, 7, 1]
    assert builder.actuator_bias.numpy().tolist() == [[0, -3, -0.5], [0, 0, -7], [0, 0, 0]]
    assert builder.actuator_ctrl_lower.numpy() == pytest.approx([-1e10, -1, -1e10])
    assert builder.actuator_ctrl_upper.numpy() == pytest.approx([1e10, 2, 1e10])
    assert builder.actuator_force_lower.numpy() == pytest.approx([-4, -1e10, -1e10])
    assert builder.actuator_force_upper.numpy() == pytest.approx([5, 1e10, 1e10])
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
    assert carom.from_mujoco(model).actuator_ctrl_upper.numpy() == pytest.approx([1e10, 1e10, 1e10])


@pytest.mark.parametrize("name", [HUMANOID, "gymnasium/humanoid.xml"])
def test_tendons_arrive(carom, name):
    """Coefficients on the right degrees of freedom, limits, springs."""
    model = load_model(name)
    assert model.ntendon > 0
    frozen = carom.from_mujoco(model).finalize()
    assert frozen.tendon_joint_tendon.numpy().tolist() == np.repeat(range(model.ntendon), model.tendon_num).tolist()
    dofs = frozen.joint_qd_start.numpy()[frozen.tendon_joint_joint.numpy()] + frozen.tendon_joint_axis.numpy()
    assert dofs.tolist() == model.jnt_dofadr[model.wrap_objid].tolist()
    assert frozen.tendon_joint_coef.numpy() == pytest.approx(model.wrap_prm)
    assert frozen.tendon_stiffness.numpy() == pytest.approx(model.tendon_stiffness)
    assert frozen.tendon_damping.numpy() == pytest.approx(model.tendon_damping)
    assert frozen.tendon_spring_lower.numpy() == pytest.approx(model.tendon_lengthspring[:, 0])
    assert frozen.tendon_spring_upper.numpy() == pytest.approx(model.tendon_lengthspring[:, 1])
    for tendon in range(model.ntendon):
        limited = bool(model.tendon_limited[tendon])
        lower, upper = model.tendon_range[tendon] if limited else (-1e10, 1e10)
        assert frozen.tendon_limit_lower[tendon] == pytest.approx(lower)
        assert frozen.tendon_limit_upper[tendon] == pytest.approx(upper)
        if limited:
            assert frozen.tendon_limit_margin[tendon] == pytest.approx(model.tendon_margin[tendon])
            assert frozen.tendon_limit_solref[tendon] == pytest.approx(model.tendon_solref_lim[tendon])
            assert frozen.tendon_limit_solimp[tendon] == pytest.approx(model.tendon_solimp_lim[tendon])


def test_tendons_with_springs_and_limits_arrive(carom):
    """All numbers of a tendon over two axes of one joint and a joint of another body."""
    model = compile_xml(
        f'<body><joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/>{GEOM}'
        f'<body pos="0 0 1"><joint name="z"/>{GEOM}</body></body>',
        tendon='<fixed name="t" range="-1 2" margin=".1" solreflimit=".03 2" solimplimit=".8 .9 .01 .4 3" '
        'frictionloss="7" solreffriction=".04 3" solimpfriction=".7 .8 .02 .3 4" '
        'stiffness="5" damping="6" springlength=".2 .3"><joint joint="z" coef="2"/><joint joint="x" coef="-3"/>'
        '<joint joint="y" coef="4"/></fixed>',
    )
    builder = carom.from_mujoco(model)
    rows = zip(*(getattr(builder, "tendon_joint_" + name).numpy().tolist() for name in ("joint", "axis", "coef")))
    assert sorted(rows) == [(0, 0, -3), (0, 1, 4), (1, 0, 2)]
    assert builder.tendon_key == ["t"]
    for name, value in {
        "limit_lower": -1,
        "limit_upper": 2,
        "limit_margin": 0.1,
        "limit_solref": [0.03, 2],
        "limit_solimp": [0.8, 0.9, 0.01, 0.4, 3],
        "friction": 7,
        "friction_solref": [0.04, 3],
        "friction_solimp": [0.7, 0.8, 0.02, 0.3, 4],
        "stiffness": 5,
        "damping": 6,
        "spring_lower": 0.2,
        "spring_upper": 0.3,
    }.items():
        assert getattr(builder, "tendon_" + name)[0] == pytest.approx(value), name


def test_equalities_arrive(carom):
    """Joints by the axis inside of a joint, polynomials by coordinates that begin at qpos0, ties by their anchors."""
    model = compile_xml(
        f'<body name="a"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0" ref="45"/>{GEOM}'
        f'<body name="b" pos="0 0 1"><joint name="z" ref="90"/>{GEOM}</body></body>',
        tendon='<fixed name="s"><joint joint="y" coef="2"/></fixed><fixed name="t"><joint joint="z" coef="3"/></fixed>',
        equality='<joint name="j" joint1="y" joint2="z" polycoef=".1 .2 .3 .4 .5" solref=".03 2"/>'
        '<tendon tendon1="t" tendon2="s" solimp=".8 .9 .01 .4 3"/><connect body1="b" body2="a" anchor=".1 .2 .3"/>'
        '<weld body1="a" body2="b" anchor=".4 .5 .6" torquescale="7" active="false"/>',
    )
    builder = carom.from_mujoco(model)

    def column(name):
        return getattr(builder, "equality_constraint_" + name).numpy()

    assert builder.equality_constraint_key == ["j", "", "", ""]
    assert column("type").tolist() == [2, 3, 0, 1] and column("enabled").tolist() == [1, 1, 1, 0]
    assert [column(name)[0] for name in ("joint1", "axis1", "joint2", "axis2")] == [0, 1, 1, 0]
    assert [column(name)[1] for name in ("tendon1", "tendon2", "joint1")] == [1, 0, -1]
    for z in (0.3, 1.1):  # of any z; qpos0 is 45 and 90 degrees
        shifted = np.pi / 4 + np.polyval([0.5, 0.4, 0.3, 0.2, 0.1], z - np.pi / 2)
        assert np.polyval(column("polycoef")[0][::-1], z) == pytest.approx(shifted, rel=1e-5)
    assert column("solref")[0] == pytest.approx([0.03, 2])
    assert column("solimp")[1] == pytest.approx([0.8, 0.9, 0.01, 0.4, 3])
    assert column("anchor")[2] == pytest.approx([0.1, 0.2, 0.3])
    assert column("anchor2")[2] == pytest.approx([0.1, 0.2, 1.3])
    assert column("anchor")[3] == pytest.approx([0.4, 0.5, 0.6]) and column("torquescale")[3] == 7
    assert column("relpose")[3] == pytest.approx([0, 0, 1, 0, 0, 0, 1], abs=1e-6)


def test_pulled_tendons_and_carried_weight_arrive(carom):
    """Actuators in the order of MuJoCo's, whatever they drive."""
    model = compile_xml(
        f'<body gravcomp=".3"><joint name="j"/>{GEOM}</body>',
        tendon='<fixed name="t"><joint joint="j" coef="2"/></fixed>',
        actuator='<motor tendon="t" gear="3"/><motor joint="j"/>',
    )
    builder = carom.from_mujoco(model)
    assert builder.actuator_tendon.numpy().tolist() == [0, -1]
    assert builder.actuator_joint.numpy().tolist() == [-1, 0]
    assert builder.actuator_gear.numpy().tolist() == [3, 1]
    assert builder.body_gravcomp.numpy() == pytest.approx([0.3])


def test_ball_joints_keep_damping_and_armature(carom):
    """One number for the three axes."""
    model = compile_xml(f'<body><joint type="ball" damping="2" armature=".3"/>{GEOM}</body>')
    builder = carom.from_mujoco(model)
    assert builder.joint_damping.numpy() == pytest.approx([2, 2, 2])
    assert builder.joint_armature.numpy() == pytest.approx([0.3, 0.3, 0.3])
