"""Actuators that turn something to an orientation, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion, simulate
from mujoco_states import compile_xml

STEPS, DT = 90, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BODIES = f"""<site name="world" euler="10 20 30"/>
<body><joint name="h" axis="1 1 0" damping=".5"/>{BOX}<site name="arm" pos=".1 0 .2" euler="0 50 20"/>
  <body pos=".3 0 .1" euler="20 30 40"><joint name="ball" type="ball" pos=".1 0 0" damping=".3"/>{BOX}
    <site name="hand" pos=".1 .2 .1" euler="40 10 70"/></body></body>"""

ACTUATORS = {
    "ball joint": '<motor joint="h"/><orientation joint="ball" kp="15" kv=".4"/><motor joint="h" gear="2"/>',
    "quaternion": '<orientation joint="ball" kp="15" kv=".4" input="quat"/>',
    "site": '<orientation site="hand" refsite="world" kp="15" kv=".4"/>',
    "site of the same tree": '<orientation site="hand" refsite="arm" kp="15" kv="1" input="quat"/>'
                             '<orientation joint="ball" kp="3" ctrlrange="-1 1"/>',
    "integrator": '<general joint="h" dyntype="filter" dynprm=".1"/>'
                  '<general joint="ball" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="25" '
                  'biasprm=".2 -25 -.4"/><motor joint="h"/>',
    "integrator, early": '<general joint="ball" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="25" '
                         'biasprm=".2 -25 -.4" actearly="true"/>',
}
BOUND = '<orientation joint="ball" kp="15" kv=".4" forcerange="0 3"/>'


def compile_scene(actuators, options="Euler", flags=""):
    return compile_xml(BODIES, option=f'timestep="{DT}" {INTEGRATORS[options]}', flags=flags, actuator=actuators)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("actuators", ACTUATORS)
def test_motion(actuators, options):
    check_motion(compile_scene(ACTUATORS[actuators], options), STEPS, speed=2, ctrl_size=1.5)


@pytest.mark.parametrize("actuators", ACTUATORS)
def test_motion_of_what_is_switched_off(actuators):
    check_motion(compile_scene(ACTUATORS[actuators], flags='actuation="disable"'), STEPS, speed=2, ctrl_size=1.5)


@pytest.mark.parametrize("options", ["Euler", "RK4"])
def test_motion_with_a_bound(options):
    """With implicitfast MuJoCo drops the damping of a moment at its bound, as rounding has it."""
    check_motion(compile_scene(BOUND, options), STEPS, speed=2, ctrl_size=3)


@pytest.mark.parametrize("options", INTEGRATORS)
def test_integrated_rotations_are_the_shortest_ones(options):
    """Controls of a hundred radians a second: activations leave the ball of radius pi, and MuJoCo brings them back."""
    check_motion(compile_scene(ACTUATORS["integrator"].replace("25", ".5"), options), STEPS, speed=1, ctrl_size=100)


def top(**numbers):
    """A body of 2 kg m^2 on a ball joint, without gravity."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=1, inertia=2 * np.eye(3))
    joint = world.add_joint_ball(-1, body)
    world.add_articulation([joint])
    world.add_actuator(joint, law="orientation", key="u", **numbers)
    return world


def test_it_ends_where_it_is_told():
    q = np.array([0.1, -0.5, 0.3, 0.8]) / np.linalg.norm([0.1, -0.5, 0.3, 0.8])
    simulation = simulate(top(inputs="quaternion", gain=30, bias=(0, 0, -15)), 3 * q, 20000)
    np.testing.assert_allclose(simulation.state.joint_q.numpy(), q, atol=1e-8)


def test_its_moment_is_bounded_in_size():
    """The first step: the moment along the rotation vector, of size force_upper."""
    told = np.array([0.3, -0.4, 1.2])
    simulation = simulate(top(gain=1000, force_upper=5), told, 1)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy(), 0.001 * 5 / 2 * told / 1.3, rtol=1e-12)


def test_sizes_of_ctrl_and_act(tmp_path):
    world = top(dynamics="integrator")
    world.add_actuator(0, law="orientation", inputs="quaternion"), world.add_actuator(0, wrench=(0, 0, 0, 1, 0, 0))
    model = world.finalize()
    assert model.actuator_ctrl_start.numpy().tolist() == [0, 3, 7, 8]
    assert model.actuator_act_start.numpy().tolist() == [0, 3, 4, 5]
    model.save(tmp_path / "orientations.carom")
    loaded = carom.load(tmp_path / "orientations.carom")
    assert loaded.actuator_ctrl_start.numpy().tolist() == [0, 3, 7, 8]
    assert loaded.actuator_inputs.numpy().tolist() == [1, 16, 1]


def test_edits_count_from_the_next_step_on():
    scene = carom.ModelBuilder()
    scene.replicate(top(gain=4), 2)
    model = scene.finalize()
    simulation = carom.Simulation(model, dt=0.001)
    with model.edit():
        model.actuator_gain.numpy()[1] = 8
        model.actuator_ctrl_upper.numpy()[:3] = 0.1, 1, 1
    simulation.control.ctrl.assign([0.5, 0, 0, 0.5, 0, 0])
    simulation.step(1)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy()[::3], [0.001 * 4 * 0.1 / 2, 0.001 * 8 * 0.5 / 2])


@pytest.mark.parametrize("arguments, words", [
    (dict(inputs="position velocity"), 'one input, "position" or "quaternion"'),
    (dict(inputs="quaternion", ctrl_upper=1), "a quaternion has no bounds"),
    (dict(inputs="quaternion", dynamics="integrator"), 'or "integrator" with the input "position"'),
    (dict(dynamics="filter"), 'dynamics "none", or "integrator"'),
    (dict(gear=2), "has no gear"),
    (dict(dynamics="integrator", act_upper=1), "has no bounds"),
    (dict(force_lower=-1), "leave force_lower as it is"),
])
def test_bad_orientations(arguments, words):
    with pytest.raises(carom.Error) as caught:
        top(**arguments)
    assert "actuator 0 'u'" in str(caught.value) and words in str(caught.value)


def test_what_it_can_turn():
    world = carom.ModelBuilder()
    body = world.add_link(mass=1)
    joint = world.add_joint_revolute(-1, body)
    with pytest.raises(carom.Error, match="turns a ball joint, or a site against a reference"):
        world.add_actuator(joint, law="orientation")
    with pytest.raises(carom.Error, match="turns a ball joint, or a site against a reference"):
        world.add_actuator_site((body, (0, 0, 0, 0, 0, 0, 1)), (0,) * 6, law="orientation")
    with pytest.raises(carom.Error, match='is for law "orientation"'):
        world.add_actuator(joint, inputs="quaternion")


def test_controls_go_to_mujoco_and_back():
    model = compile_scene(ACTUATORS["site of the same tree"])
    ctrl = np.arange(14.0).reshape(2, 7)
    ours = carom.mujoco.ctrl_from_mujoco(model, ctrl)
    np.testing.assert_array_equal(ours[0], [1, 2, 3, 0, 4, 5, 6])
    np.testing.assert_array_equal(carom.mujoco.ctrl_to_mujoco(model, ours), ctrl)
