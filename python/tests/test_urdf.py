"""add_urdf() and load_urdf(): the same robot as MJCF and as URDF moves alike, and MuJoCo's own reader of URDF is the
oracle of masses, places and axes. (tests/io holds the rules one by one.)"""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import mujoco

# A floating trunk with an arm of a hinge, a slide and a fixed tool.
URDF = """<robot name="arm">
<link name="world"/>
<joint name="root" type="floating"><origin xyz="0 0 5"/><parent link="world"/><child link="trunk"/></joint>
<link name="trunk"><inertial><origin xyz=".1 0 0"/><mass value="3"/>
<inertia ixx=".3" iyy=".4" izz=".35" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><origin xyz=".3 .1 0" rpy="0 0 1.5707963267948966"/>
<parent link="trunk"/><child link="upper"/><axis xyz="0 1 0"/><dynamics damping=".2"/></joint>
<link name="upper"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
<inertia ixx=".02" iyy=".02" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><origin xyz="0 0 -.4"/><parent link="upper"/><child link="lower"/>
<axis xyz="0 0 2"/><limit lower="-10000000000" upper="10000000000" effort="100" velocity="10"/></joint>
<link name="lower"><inertial><mass value=".5"/>
<inertia ixx=".01" iyy=".02" izz=".015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="weld" type="fixed"><origin xyz=".1 0 0"/><parent link="lower"/><child link="tool"/></joint>
<link name="tool"><inertial><mass value=".25"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 5"><freejoint name="root"/>
<inertial pos=".1 0 0" mass="3" diaginertia=".3 .4 .35"/>
<body name="upper" pos=".3 .1 0" euler="0 0 1.5707963267948966"><joint name="hinge" axis="0 1 0" damping=".2"/>
<inertial pos="0 0 -.2" mass="1" diaginertia=".02 .02 .01"/>
<body name="lower" pos="0 0 -.4"><joint name="slide" type="slide" axis="0 0 1"/>
<inertial pos="0 0 0" mass=".5" diaginertia=".01 .02 .015"/>
<body name="tool" pos=".1 0 0"><inertial pos="0 0 0" mass=".25" diaginertia=".01 .01 .01"/></body>
</body></body></body></worldbody></mujoco>"""


def thrown(model):
    """Where joints are after a throw of 100 steps."""
    sim = carom.Simulation(model, solver="mujoco", dt=0.002)
    sim.state.joint_qd.numpy()[:] = [1, -2, 3, 0.5, -0.25, 1, 2, -1]
    carom.eval_fk(model, sim.state.joint_q, sim.state.joint_qd, sim.state)
    assert not np.any(sim.step(100))
    return sim.state.joint_q.numpy().copy()


def test_same_robot_as_mjcf():
    """Masses, layout of joints, and the trajectory of a free fall."""
    urdf, mjcf = carom.load_urdf(URDF), carom.load_mjcf(MJCF)
    assert list(urdf.body_key) == list(mjcf.body_key) == ["trunk", "upper", "lower", "tool"]
    assert list(urdf.joint_key)[:3] == list(mjcf.joint_key)[:3] == ["root", "hinge", "slide"]
    for name in ("body_mass", "body_com", "body_inertia", "body_q", "joint_type", "joint_q", "joint_axis", "joint_parent"):
        mine, others = getattr(urdf, name).numpy(), getattr(mjcf, name).numpy()
        assert np.abs(mine - others).max() < 1e-12, name
    assert np.abs(thrown(urdf) - thrown(mjcf)).max() < 1e-6
    collapsed = carom.load_urdf(URDF, collapse_fixed_joints=True)
    assert list(collapsed.body_key) == ["trunk", "upper", "lower"]
    assert np.abs(thrown(collapsed) - thrown(mjcf)).max() < 1e-6


ORACLE = """<robot name="r"><mujoco><compiler fusestatic="false"/></mujoco>
<link name="base"><inertial><origin xyz=".1 0 .2" rpy=".1 .2 .3"/><mass value="3"/>
<inertia ixx=".3" iyy=".4" izz=".35" ixy=".01" ixz="-.02" iyz=".03"/></inertial></link>
<link name="arm"><collision><geometry><cylinder radius=".1" length=".4"/></geometry></collision>
<collision><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><geometry><box size=".1 .2 .3"/></geometry></collision></link>
<joint name="a" type="revolute"><origin xyz=".1 .2 .3" rpy=".5 -.7 1.1"/><parent link="base"/><child link="arm"/>
<axis xyz="1 2 3"/><limit lower="-1" upper="2" effort="30" velocity="3"/><dynamics damping=".5" friction=".2"/></joint>
<link name="hand"><inertial><mass value=".5"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="b" type="prismatic"><origin xyz="0 0 .5" rpy="1.57 0 3"/><parent link="arm"/><child link="hand"/>
<axis xyz="0 1 0"/><limit lower="-.1" upper=".2" effort="0" velocity="0"/></joint>
<link name="tip"><inertial><mass value=".25"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="c" type="continuous"><origin xyz="0 0 .5" rpy="-1 2 -3"/><parent link="hand"/><child link="tip"/></joint>
<link name="end"><inertial><mass value=".125"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="d" type="fixed"><origin xyz="0 0 .5" rpy="-1 1 -3"/><parent link="tip"/><child link="end"/></joint>
</robot>"""


def rotation(xyzw):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.asarray(xyzw)[[3, 0, 1, 2]])
    return R.reshape(3, 3)


def test_numbers_of_mujoco():
    """MuJoCo's reader of URDF: masses, inertia, poses, axes, limits, and mass by shapes where there is no <inertial>."""
    m = mujoco.MjModel.from_xml_string(ORACLE)
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    with pytest.warns(UserWarning, match="<mujoco>: is not read"):
        model = carom.load_urdf(ORACLE)
    mine = {name: getattr(model, name).numpy() for name in (
        "body_q", "body_mass", "body_com", "body_inertia", "joint_parent", "joint_X_p", "joint_axis", "joint_damping",
        "joint_friction", "joint_limit_lower", "joint_limit_upper", "joint_effort_lower", "joint_effort_upper")}  # fmt: skip
    X_WB = mine["body_q"]
    for i in range(1, m.nbody):
        body = model.find_body(m.body(i).name)
        axes = rotation(m.body_iquat[i][[1, 2, 3, 0]])
        assert mine["body_mass"][body] == pytest.approx(m.body_mass[i], rel=1e-9)
        assert np.abs(mine["body_com"][body] - m.body_ipos[i]).max() < 1e-9
        assert np.abs(mine["body_inertia"][body] - axes @ np.diag(m.body_inertia[i]) @ axes.T).max() < 1e-8
        assert np.abs(X_WB[body][:3] - data.xpos[i]).max() < 1e-9
        assert np.abs(rotation(X_WB[body][3:]) - data.xmat[i].reshape(3, 3)).max() < 1e-9
    for j in range(m.njnt):
        joint, dof = model.find_joint(m.joint(j).name), m.jnt_dofadr[j]
        X_WP, X_PJ = X_WB[mine["joint_parent"][joint]], mine["joint_X_p"][joint]
        axis = rotation(X_WP[3:]) @ rotation(X_PJ[3:]) @ mine["joint_axis"][dof]
        assert np.abs(axis - data.xaxis[j]).max() < 1e-9
        assert mine["joint_damping"][dof] == m.dof_damping[dof]
        assert mine["joint_friction"][dof] == m.dof_frictionloss[dof]
        if m.jnt_limited[j]:
            assert [mine["joint_limit_lower"][dof], mine["joint_limit_upper"][dof]] == list(m.jnt_range[j])
        if m.jnt_actfrclimited[j]:
            assert [mine["joint_effort_lower"][dof], mine["joint_effort_upper"][dof]] == list(m.jnt_actfrcrange[j])


def test_arguments(tmp_path):
    """They reach the reader, from Python too; a package is found above the file, and where package_path says."""
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    for folder in ("bot", "elsewhere/tools/meshes", "bot_ws/urdf"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bot_ws/package.xml").write_text("<package><name> bot </name></package>")
    (tmp_path / "bot_ws/part.obj").write_text(corners)
    (tmp_path / "elsewhere/tools/meshes/tool.obj").write_text(corners)
    mesh = '<geometry><mesh filename="package://{}"/></geometry>'
    file = tmp_path / "bot_ws/urdf/bot.urdf"
    file.write_text(f"""<robot name="bot"><link name="a"><collision>{mesh.format("bot/part.obj")}</collision>
<visual>{mesh.format("tools/meshes/tool.obj")}</visual></link></robot>""")
    with pytest.warns(UserWarning, match="package 'tools' is found neither"):
        model = carom.load_urdf(file)
    assert model.shape_count == 1 and model.body_mass.numpy()[0] == pytest.approx(1000 / 6)
    model = carom.load_urdf(str(file), package_path=[tmp_path / "elsewhere"], floating=True, hide_visuals=True)
    assert model.shape_count == 2 and model.joint_coord_count == 7
    model = carom.load_urdf(file, package_path=[tmp_path / "elsewhere/tools"], parse_visuals_as_colliders=True, scale=2)
    assert model.shape_count == 1 and model.body_mass.numpy()[0] == pytest.approx(8000 / 6)
    with pytest.raises(carom.Error, match="package 'bot' is found neither"):
        carom.load_urdf(file, root=tmp_path / "bot_ws/urdf")
    with pytest.raises(carom.Error, match="limits.bytes"):
        carom.load_urdf(file, limits=carom.FileLimits(bytes=10))


@pytest.mark.parametrize("text, message", [
    ("", "a URDF file or its text is expected"),
    ("<mujoco/>", "this is MJCF, not URDF"),
    ("<robot><link name='${a}'/></robot>", "this is xacro"),
    ("<robot><link name='a'/>\n<link name='a'/></robot>", "URDF:2: <link>: the name 'a' is that of the link on line 1"),
])  # fmt: skip
def test_errors(text, message):
    """As in C++, and the builder stays as it was."""
    builder = carom.ModelBuilder()
    with pytest.raises(carom.Error, match=message.replace("$", r"\$")):
        builder.add_urdf(text)
    assert builder.finalize().body_count == 0
