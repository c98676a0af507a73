"""Actuators with several inputs and states: pid controllers and DC motors, against MuJoCo in double precision, and
closed forms."""

import re

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion, simulate
from mujoco_states import compile_xml

STEPS, DT = 90, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BODIES = f"""<site name="base" pos=".1 .2 .6"/><site name="lower"/>
<body><joint name="a" axis="0 1 0" damping=".5"/>{BOX}<site name="elbow" pos=".3 0 .1"/>
  <body pos=".3 0 .1"><joint name="b" axis="1 0 .3" damping=".5"/>{BOX}<site name="hand" pos=".2 .1 .1"/></body>
  <body pos="-.3 0 .1"><joint name="c" type="slide" axis="0 1 .2" damping="2"/>{BOX}</body></body>
<body pos="0 0 1"><joint name="ball" type="ball" damping=".3"/>{BOX}<site name="turned" pos=".1 0 0"/></body>"""
TENDON = ('<spatial name="t"><site site="base"/><site site="elbow"/><site site="hand"/></spatial>'
          '<fixed name="u" actuatorfrcrange="-.5 .8"><joint joint="a" coef=".4"/><joint joint="c" coef=".8"/></fixed>')
FULL = 'resistance="2" motorconst=".5"'

ACTUATORS = {
    "pid of three inputs": '<pid joint="a" gear="2" kp="9" kv="2" ki="5" imax=".03" slewmax="7" input="pos vel ff" '
                           'posrange="-1 1" ffrange="-2 2"/><motor joint="b"/>',
    "pid of two": '<pid joint="b" kp="30" kv="4"/><pid joint="c" kp="3" kv="4" input="vel" forcerange="-2 2"/>',
    "pid that is slow": '<general joint="b" dyntype="integrator"/><pid joint="a" kp="30" kv="4" slewmax="3" '
                        'input="pos"/><pid joint="c" kp="3" ki="20" input="pos ff" forcerange="-3 3"/>',
    "pid of a tendon": '<pid tendon="t" kp="30" kv="4" ki="3" gear="2"/>',
    "pid that turns": '<pid joint="ball" gear="1 .5 -.3" kp="9" kv=".3" ki="2" slewmax="20"/>'
                      '<pid site="turned" refsite="base" gear="0 0 0 1 2 0" kp="2"/>',
    "motor": f'<dcmotor joint="a" {FULL}/><dcmotor joint="b" gear="3" resistance="2" motorconst=".5 .7"/>',
    "motor with a current": f'<dcmotor joint="a" gear="3" {FULL} inductance=".03 0"/>'
                            f'<dcmotor joint="b" gear="3" {FULL} inductance=".03 0" saturation="0 0 5"/>'
                            f'<dcmotor joint="c" gear="3" {FULL} inductance=".03 0" saturation=".1 0 0"/>',
    "motor that gets warm": f'<dcmotor joint="a" gear="3" {FULL} thermal="11 12 0 .013 14 15"/>'
                            f'<dcmotor joint="b" gear="3" {FULL} inductance=".03 0" thermal=".11 1.2 0 .13 14 25" '
                            'input="pos vel" controller="1 2 .3 0 0 0"/>',
    "motor that rubs": f'<dcmotor joint="a" gear="3" {FULL} lugre="21 .22 .3 .4 .1"/>'
                       f'<dcmotor joint="b" gear="3" {FULL} saturation=".3" lugre="21 .22 .3 .4 .1"/>'
                       '<dcmotor joint="c" gear="2" nominal="12 3 40" input="none" cogging=".3 4 .1"/>',
    "motor with a controller": f'<dcmotor joint="a" gear="3" {FULL} input="pos" controller="1 2 .3"/>'
                               f'<dcmotor joint="b" gear="3" {FULL} input="pos vel ff voltage" '
                               'controller="1 2 .3 4 .05 6"/>'
                               f'<dcmotor joint="c" gear="3" {FULL} input="vel ff" controller="1 0 .3 0 0 3"/>',
    "motor with everything": f'<motor joint="a"/><dcmotor joint="b" {FULL} inductance=".03 0" '
                             'thermal="1.1 1.2 0 .013 14 15" saturation=".6 0 17" cogging=".18 19 .2" '
                             'lugre="2.1 .22 .23 .24 .25" input="pos vel ff voltage" '
                             'controller="2.6 2.7 .28 2.9 .3 3.1"/>',
    "motors that share an effort": f'<dcmotor tendon="u" gear="3" {FULL} cogging=".3 4 .1" saturation=".2"/>'
                                  f'<dcmotor tendon="u" {FULL} lugre="21 .22 .3 .4 .1"/><pid tendon="u" kp="9"/>',
    "motor of a tendon": f'<dcmotor tendon="t" gear="3" {FULL} inductance=".03 0"/>'
                         f'<dcmotor joint="ball" gear="1 2 .5" {FULL} input="pos" controller="1 2 .3"/>',
}


def compile_scene(actuators, options="Euler", off=""):
    """off: a group of actuators that is switched off."""
    option = f'timestep="{DT}" {INTEGRATORS[options]} actuatorgroupdisable="{off}"'
    return compile_xml(BODIES, option=option, tendon=TENDON, actuator=ACTUATORS.get(actuators, actuators))


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("actuators", ACTUATORS)
def test_motion(actuators, options):
    check_motion(compile_scene(actuators, options), STEPS, speed=2, ctrl_size=1.5)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("actuators", ACTUATORS)
def test_motion_of_what_is_switched_off(actuators, options):
    """Its inputs are there, its states stay, and it does nothing. MuJoCo lets bristles bend that nobody feels."""
    text = re.sub('lugre="[^"]*"', "", ACTUATORS[actuators])
    text = re.sub("<(pid|dcmotor) ", r'<\1 group="2" ', text)
    check_motion(compile_scene(text + '<pid joint="a" kp="3"/>', options, off="2"), STEPS, speed=2, ctrl_size=1.5)


def hinge(**numbers):
    """A wheel of 2 kg m^2 about its axis, without gravity."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=1, inertia=2 * np.eye(3))
    joint = world.add_joint_revolute(-1, body, axis=(0, 0, 1))
    world.add_articulation([joint])
    world.add_actuator(joint, key="u", **numbers)
    return world


def pid(**numbers):
    return dict(law="pid", controller=carom.ControllerConfig(**numbers))


def motor(inputs="voltage", controller=None, **numbers):
    return dict(law="dcmotor", inputs=inputs, motor=carom.DcMotorConfig(**numbers), controller=controller)


def test_a_motor_without_load_turns_until_its_voltage_is_met():
    """K / (R I) (U - K w) = w': w = U / K (1 - exp(-K^2 / (R I) t))."""
    simulation = simulate(hinge(**motor(resistance=0.5, constant=0.4)), [3.0], 4000, dt=5e-4)
    expected = 3.0 / 0.4 * (1 - np.exp(-0.4**2 / (0.5 * 2) * 2.0))
    assert simulation.state.joint_qd.numpy()[0] == pytest.approx(expected, rel=1e-3)


def test_the_current_of_a_motor_that_is_held_rises_with_its_time_constant():
    world = hinge(**motor(resistance=2, constant=1e-6, current_time=0.03))
    simulation = simulate(world, [5.0], 40)
    assert simulation.state.act.numpy()[0] == pytest.approx(2.5 * (1 - np.exp(-0.04 / 0.03)), rel=1e-9)


def test_a_warm_motor_stays_as_warm_as_the_air_lets_it():
    """R i^2 times the resistance to the air."""
    world = hinge(**motor(resistance=2, constant=1e-6, heat_resistance=3, heat_capacity=0.01))
    simulation = simulate(world, [4.0], 3000)
    assert simulation.state.act.numpy()[0] == pytest.approx(2 * 2.0**2 * 3, rel=1e-6)


def test_an_integral_takes_away_what_is_left():
    """Against a constant force a pid controller ends at its setpoint, and its integral holds the force."""
    world = hinge(**pid(kp=40, kv=20, ki=30))
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=0.002)
    simulation.control.ctrl.assign([0.5])
    simulation.control.joint_f.assign([-3.0])
    simulation.step(15000)
    assert simulation.state.joint_q.numpy()[0] == pytest.approx(0.5, abs=1e-6)
    assert 30 * simulation.state.act.numpy()[0] == pytest.approx(3, rel=1e-5)


def test_sizes_of_ctrl_and_act():
    world = hinge(law="pid", inputs="force position velocity", controller=carom.ControllerConfig(ki=1, slew_max=2))
    world.add_actuator(0), world.add_actuator(0, **motor("", bristle_stiffness=1, current_time=1, heat_resistance=1))
    scene = carom.ModelBuilder()
    scene.replicate(world, 2)
    model = scene.finalize()
    assert (model.actuator_count, model.ctrl_count, model.act_count, model.controller_count) == (6, 8, 12, 4)
    assert model.actuator_ctrl_start.numpy().tolist() == [0, 3, 4, 4, 7, 8, 8]
    assert model.actuator_act_start.numpy().tolist() == [0, 2, 3, 6, 8, 9, 12]
    assert model.ctrl_world_start.numpy().tolist() == [0, 4, 8, 8]
    assert model.controller_actuator.numpy().tolist() == [0, 2, 3, 5]
    assert len(model.control().ctrl.numpy()) == 8 and len(model.state().act.numpy()) == 12


def test_files_keep_controllers(tmp_path):
    model = compile_scene("motor with everything")
    scene = carom.ModelBuilder()
    scene.replicate(carom.from_mujoco(model), 2)
    saved = scene.finalize()
    saved.save(tmp_path / "motors.carom")
    loaded = carom.load(tmp_path / "motors.carom")
    for name in ("controller_gains", "controller_winding", "controller_heat", "controller_cogging",
                 "controller_bristles", "controller_actuator", "actuator_inputs", "actuator_states",
                 "actuator_ctrl_lower", "actuator_ctrl_start", "actuator_act_start"):
        np.testing.assert_array_equal(getattr(saved, name).numpy(), getattr(loaded, name).numpy(), name)


def test_edits_count_from_the_next_step_on():
    """A motor whose resistance is doubled in one of two worlds moves half as fast there, at first."""
    scene = carom.ModelBuilder()
    scene.replicate(hinge(**motor(resistance=2, constant=0.5)), 2)
    model = scene.finalize()
    simulation = carom.Simulation(model, dt=0.001)
    with model.edit():
        model.controller_winding.numpy()[1, 0] = 4
        model.actuator_ctrl_upper.numpy()[0] = 1
    simulation.control.ctrl.assign([3, 3])
    simulation.step(1)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy(), [0.001 * 0.5 * 1 / 2 / 2, 0.001 * 0.5 * 3 / 4 / 2])


@pytest.mark.parametrize("column, place, value, words", [
    ("controller_gains", 4, 1.0, "slew_max must stay 0"),
    ("controller_gains", 3, -1.0, "controller_gains"),
    ("controller_winding", 3, 0.0, "current_time must be positive"),
    ("controller_winding", 0, 0.0, "controller_winding must be positive"),
    ("controller_heat", 0, 1.0, "heat_resistance must stay 0"),
    ("controller_bristles", 0, 1.0, "bristle_stiffness must stay 0"),
])
def test_edits_that_would_need_other_states(column, place, value, words):
    model = hinge(**motor(current_time=1)).finalize()
    with pytest.raises(carom.Error, match="actuator 0 'u'.*" + words):
        with model.edit():
            getattr(model, column).numpy()[0, place] = value


@pytest.mark.parametrize("arguments, words", [
    (dict(inputs="position velocity"), 'its law is affine, which has one; use law "pid" or "dcmotor"'),
    (dict(law="pid", inputs="place"), "there is no input of actuators 'place'"),
    (dict(law="pid", inputs="voltage"), 'no input "voltage"'),
    (dict(law="pid", ctrl_upper=1), "input_lower and input_upper of its controller"),
    (dict(law="pid", dynamics="filter"), "has states of its own"),
    (dict(pid(ki=1), inputs="velocity"), 'need the input "position"'),
    (pid(kp=np.nan), "kp"),
    (pid(integral_max=-1), "integral_max must not be negative"),
    (pid(input_lower=(1, 0, 0, 0), input_upper=(0, 0, 0, 0)), "input_lower 1 is above input_upper 0"),
    (motor("", carom.ControllerConfig(slew_max=1)), "slew_max needs an input"),
    (motor(resistance=0), "resistance must be positive"),
    (motor(constant=-1), "constant must be positive"),
    (motor(heat_resistance=-1), "heat_resistance must not be negative"),
    (motor(bristle_speed=0), "bristle_speed must be positive"),
    (motor(cogging=np.inf), "cogging"),
])
def test_bad_controllers(arguments, words):
    with pytest.raises(carom.Error) as caught:
        hinge(**arguments)
    assert words in str(caught.value)


def test_activations_go_to_mujoco_and_back():
    model = compile_scene("motor with everything")
    act = np.arange(10.0).reshape(2, 5)
    np.testing.assert_array_equal(carom.mujoco.act_from_mujoco(model, act), np.insert(act, 0, 0, axis=1))
    np.testing.assert_array_equal(carom.mujoco.act_to_mujoco(model, np.insert(act, 0, 0, axis=1)), act)
