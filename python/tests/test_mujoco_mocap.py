"""Mocap bodies against MuJoCo in double precision, and bodies whose motion is given."""

import mujoco
import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import STRICT, solve_strictly
from mujoco_states import compile_xml

STEPS, DT = 120, 0.004

PLANE = '<geom type="plane" size="0 0 1"/>'
HAND = '<body name="hand" mocap="true" pos=".1 .2 .9" euler="10 20 30"><geom type="box" size=".05 .1 .2" {}/>{}</body>'
ARM = """<body name="a" pos="0 0 .6"><joint axis="0 1 0" damping=".2"/><geom type="capsule" size=".05 .2" mass="1"/>
  <body name="b" pos="0 0 .3"><joint type="ball" damping=".1"/><geom type="capsule" size=".04 .1" mass=".5"/></body>
</body>"""
BALLS = """<body pos=".1 .2 1.2"><freejoint/><geom size=".1" mass="1" condim="4"/></body>
<body pos=".2 .2 1.4"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>"""
PENDULUM = """<body pos="0 0 -.3"><geom size=".03" mass=".1"/><body pos=".1 0 -.1"><joint axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".02 .1" mass=".4"/></body></body><site name="nail" pos="0 .1 0"/>"""
# bodies, other sections
SCENES = {
    "pushes": (PLANE + HAND.format("", "") + BALLS, {}),
    "stands on the floor": (PLANE + HAND.format("", "").replace(".9", ".1") + BALLS, {}),
    "two of them": (PLANE + BALLS + HAND.format("", "") + HAND.format('condim="1"', "").replace("hand", "foot"), {}),
    "carries many": (HAND.format("", "").replace(".05 .1 .2", "1 1 .05").replace("10 20 30", "0 0 0") + "".join(
        f'<body pos="{0.19 * (i % 8) - .6} {0.25 * (i // 8) - .5} 1.0495"><freejoint/><geom size=".1" mass="1"/></body>'
        for i in range(40)), {}),
    "drags": (ARM + HAND.format('contype="0" conaffinity="0"', ""),
              {"equality": '<weld body1="hand" body2="b" solref=".05 1"/>'}),
    "holds": (ARM + HAND.format('contype="0" conaffinity="0"', ""),
              {"equality": '<connect body1="b" body2="hand" anchor="0 0 .1"/>'}),
    "carries": (PLANE + HAND.format("", PENDULUM) + ARM,
                {"tendon": '<spatial stiffness="30" damping="1"><site site="nail"/><site site="tip"/></spatial>'}),
}
SCENES["carries"] = (SCENES["carries"][0].replace('mass=".5"/>', 'mass=".5"/><site name="tip" pos="0 0 .1"/>'),
                     SCENES["carries"][1])
OPTIONS = {
    "Euler": "",
    "implicitfast, elliptic": 'integrator="implicitfast" cone="elliptic"',
    "RK4": 'integrator="RK4"',
    "discrete": 'integrator="discrete"',
}


def way(model, step):
    """Where mocap bodies are at a step: on circles, turning."""
    t, n = step * DT, np.arange(model.nmocap)
    body = np.flatnonzero(model.body_mocapid >= 0)
    position = model.body_pos[body] + 0.05 * np.stack([np.sin(3 * t + n), np.cos(2 * t) + n, -np.sin(t + n)], axis=-1)
    turn = np.stack([np.cos(t) + 0 * n, np.sin(t) * 0.6 + 0 * n, 0.1 * n, np.sin(t) * 0.8 + 0 * n], axis=-1)
    return position, turn / np.linalg.norm(turn, axis=-1, keepdims=True)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    bodies, sections = SCENES[scene]
    model = compile_xml(bodies, option=f'timestep="{DT}" {OPTIONS[options]}', **sections)
    solve_strictly(model)
    data = mujoco.MjData(model)
    built = carom.ModelBuilder()
    built.replicate(carom.from_mujoco(model), 5)
    worlds = built.finalize()
    simulation = carom.Simulation(worlds, carom.SolverMuJoCo(worlds, tolerance=STRICT, iterations=200))
    for step in range(STEPS):
        data.mocap_pos[:], data.mocap_quat[:] = way(model, step)
        q = np.array(simulation.state.joint_q.numpy()).reshape(5, -1)
        qpos = carom.mujoco.joint_q_to_qpos(model, q)
        moved = carom.mujoco.qpos_to_joint_q(model, qpos, data.mocap_pos, data.mocap_quat)
        simulation.state.joint_q.assign(moved.reshape(-1))
        mujoco.mj_step(model, data)
        assert not np.asarray(simulation.step()).any()
    q = np.array(simulation.state.joint_q.numpy()).reshape(5, -1)
    np.testing.assert_array_equal(q, np.tile(q[0], (5, 1)))
    np.testing.assert_allclose(carom.mujoco.joint_q_to_qpos(model, q)[0], data.qpos, atol=1e-9)
    assert np.abs(data.qpos - model.qpos0).max() > 0.01
    np.testing.assert_allclose(carom.mujoco.qpos_to_joint_q(model, data.qpos, *way(model, STEPS - 1)), q[0], atol=1e-9)


def test_mocap_bodies_touch_nothing_that_stands_still():
    model = compile_xml(PLANE + HAND.format("", "").replace(".9", ".1"))
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(model))
    simulation = carom.Simulation(scene.finalize())
    simulation.step()
    assert int(simulation.contacts.rigid_contact_count[0]) == 0


def turntable(speed):
    """A disc that turns as it is told, and a box on it, 0.3 m from the axis."""
    world = carom.ModelBuilder()
    world.options = carom.ModelOptions(cone="elliptic", impratio=50)
    disc = world.add_link(xform=(0, 0, 0.5, 0, 0, 0, 1), is_kinematic=True)
    axis = world.add_joint_revolute(-1, disc, axis=(0, 0, 1), parent_xform=(0, 0, 0.5, 0, 0, 0, 1))
    world.add_articulation([axis])
    world.add_shape_cylinder(disc, radius=1, half_height=0.05)
    body = world.add_body(xform=(0.3, 0, 0.6, 0, 0, 0, 1))
    world.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=carom.ShapeConfig(mu=1))
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    simulation = carom.Simulation(scene.finalize(), dt=0.002)
    velocities = np.zeros((3, 7))
    velocities[:, 0] = speed
    velocities[:, 2] = 0.3 * speed  # as the box rides along: v = omega x r
    velocities[:, 6] = speed
    simulation.state.joint_qd.assign(velocities.reshape(-1))
    return simulation


def test_given_motions_stay_and_carry():
    """The disc turns on at its speed whatever rides on it; the box rides on a circle while mu g > omega^2 r."""
    for speed, stays in ((3.0, True), (8.0, False)):
        simulation = turntable(speed)
        simulation.step(300)
        q = np.array(simulation.state.joint_q.numpy()).reshape(3, -1)
        qd = np.array(simulation.state.joint_qd.numpy()).reshape(3, -1)
        np.testing.assert_array_equal(qd[:, 0], speed)
        np.testing.assert_allclose(q[:, 0], speed * 0.6, rtol=1e-12)
        radius = np.hypot(q[:, 1], q[:, 2])
        assert np.all(np.abs(radius - 0.3) < 0.02) if stays else np.all(radius > 0.5)


def test_a_kinematic_body_needs_no_mass_and_feels_no_gravity():
    world = carom.ModelBuilder()
    world.add_body(is_kinematic=True)
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=0.01)
    simulation.state.joint_qd.assign([0.5, 0, 0, 0, 0, 1])
    simulation.step(100)
    np.testing.assert_allclose(simulation.state.joint_q.numpy()[:3], [0.5, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(simulation.state.joint_qd.numpy(), [0.5, 0, 0, 0, 0, 1])


def test_a_body_can_become_kinematic():
    world = carom.ModelBuilder()
    world.add_body(mass=1, inertia=np.eye(3))
    scene = carom.ModelBuilder()
    scene.replicate(world, 2)
    model = scene.finalize()
    simulation = carom.Simulation(model, dt=0.01)
    with model.edit() as numbers:
        numbers.body_flags[1] = int(carom.BodyFlag.KINEMATIC)
    simulation.step(10)
    heights = np.array(simulation.state.joint_q.numpy()).reshape(2, 7)[:, 2]
    assert heights[0] < -0.01 and heights[1] == 0
