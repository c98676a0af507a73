"""Actuators of every kind against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion, make_simulation
from mujoco_states import compile_xml, mujoco

STEPS, DT = 100, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
ARM = f"""<site name="base" pos=".1 .2 .6" euler="20 30 40"/>
<body><joint name="a" axis="0 1 0" damping=".3"/>{BOX}<site name="elbow" pos=".3 0 .1" euler="10 50 20"/>
  <body pos=".3 0 .1"><joint name="b" axis="1 0 .3" damping=".2" range="-40 40"/>{BOX}
    <site name="hand" pos=".2 .1 .1" euler="70 10 20"/></body></body>"""
FREE = f'<body><freejoint name="f"/>{BOX}<site name="rotor" pos=".2 0 .1" euler="5 10 0"/></body>'
BALL = f'<body><joint name="ball" type="ball" damping=".2" ref="0"/>{BOX}</body>'
CRANK = f"""<body pos="0 0 .5"><joint name="crank" axis="0 1 0" damping=".1"/>{BOX}<site name="end" pos=".15 0 0"/>
</body>
<body><joint name="rail" type="slide" axis="1 0 0" damping="1"/>{BOX}<site name="slider" euler="0 10 0"/></body>"""
TENDON = {"tendon": '<fixed name="t"><joint joint="a" coef=".4"/><joint joint="b" coef="-.3"/></fixed>'}
STRING = {"tendon": '<spatial name="t"><site site="base"/><site site="elbow"/><site site="hand"/></spatial>'}
SERVO = 'biastype="affine" gainprm="30" biasprm="1 -30 -2"'

# bodies, actuators, other sections
SCENES = {
    "thrust": (FREE, '<motor site="rotor" gear="0 0 1 0 0 .2"/><motor site="rotor" gear="1 .5 0 .1 .3 0"/>', {}),
    "site on an arm": (ARM, f'<general site="hand" gear="1 2 3 .1 .2 .3" {SERVO}/>', {}),
    "site against the world": (ARM, f'<general site="hand" refsite="base" gear="1 .5 0 0 0 .2" {SERVO}/>', {}),
    "site against another": (ARM, f'<general site="hand" refsite="elbow" gear="0 .5 1 .3 0 .2" {SERVO}/>', {}),
    "orientation against another": (ARM, f'<general site="hand" refsite="elbow" gear="0 0 0 1 .5 .2" {SERVO}/>', {}),
    "crank": (CRANK, f'<general cranksite="end" slidersite="slider" cranklength=".6" gear="2" {SERVO}/>', {}),
    "crank that is too short": (CRANK, f'<general cranksite="end" slidersite="slider" cranklength=".3" {SERVO}/>', {}),
    "ball": (BALL, f'<motor joint="ball" gear="1 2 .5"/><general joint="ball" gear="0 1 1" {SERVO}/>', {}),
    "ball in its parent": (BALL, f'<general jointinparent="ball" gear="1 .4 .5" {SERVO}/>', {}),
    "ball by more than a turn": (BALL, f'<general joint="ball" gear="0 .1 .2" {SERVO}/>'
                                       f'<general joint="ball" gear=".1 .1 0" dyntype="filter" dynprm=".02" {SERVO}/>'
                                       '<general jointinparent="ball" gear=".1 0 .1" dyntype="integrator" '
                                       f'{SERVO}/>', {}),
    "site by more than a turn": (ARM, f'<general site="hand" refsite="elbow" gear="0 0 0 .1 .1 0" {SERVO}/>'
                                      f'<general site="hand" refsite="base" gear="0 0 0 .1 0 0" dyntype="filterexact" '
                                      f'dynprm=".03" actearly="true" {SERVO}/>', {}),
    "free": (FREE, f'<general joint="f" gear="1 2 3 .4 .5 .6" {SERVO}/>', {}),
    "free in its parent": (FREE, f'<general jointinparent="f" gear="1 2 3 .4 .5 .6" {SERVO}/>', {}),
    "integrator": (ARM, '<intvelocity joint="a" kp="20" kv="1" actrange="-.5 .5"/>', {}),
    "filter": (ARM, '<position joint="a" kp="30" kv="2" timeconst=".05"/>'
                    f'<general tendon="t" dyntype="filter" dynprm=".02" {SERVO}/>', TENDON),
    "exact filter": (ARM, '<general joint="b" dyntype="filterexact" dynprm=".01" gainprm="5"/>', {}),
    "early": (ARM, '<general joint="b" dyntype="filterexact" dynprm=".01" gainprm="5" actearly="true"/>'
                   '<general joint="a" dyntype="integrator" gainprm="5" actearly="true" actrange="-1 1"/>', {}),
    "damper and cylinder": (ARM, '<damper joint="a" kv="4" ctrlrange="0 2"/>'
                                 '<cylinder joint="b" timeconst=".03" area="2" bias="1 -2 -.5"/>', {}),
    "affine gain": (ARM, '<general joint="a" gaintype="affine" gainprm="3 2 -1"/>'
                         '<general joint="b" gaintype="affine" gainprm="3 2 -1" dyntype="filter" dynprm=".03"/>', {}),
    "muscle": (ARM, '<muscle joint="a" lengthrange="-1 1"/>'
                    '<muscle tendon="t" lengthrange=".3 1.2" force="40" timeconst=".02 .06"/>', STRING),
    "smooth muscle": (ARM, '<muscle tendon="t" lengthrange=".3 1.2" scale="300" tausmooth=".4" '
                           'lmin=".6" lmax="1.4" vmax="2" fpmax="1.6" fvmax="1.5" range=".8 1.1"/>', STRING),
    "string": (ARM, f'<general tendon="t" gear="2" {SERVO} forcerange="-25 25"/><motor tendon="t"/>', STRING),
    "switched off": (ARM, f'<motor joint="a" gear="5" group="3"/><general joint="b" {SERVO}/>', {}),
}


def compile_scene(scene, options="Euler", flags=""):
    bodies, actuator, sections = SCENES[scene]
    option = f'timestep="{DT}" {INTEGRATORS[options]}'
    if scene == "switched off":
        option += ' actuatorgroupdisable="3"'
    return compile_xml(bodies, option=option, flags=flags, actuator=actuator, **sections)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    check_motion(compile_scene(scene, options), STEPS, speed=2, ctrl_size=1.5)


@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene != "switched off"])
def test_actuators_act(scene):
    """So that none of these scenes says nothing."""
    def end(flags):
        model = compile_scene(scene, flags=flags)
        simulation = make_simulation(model, np.full((1, model.nv), 1.0))
        simulation.control.ctrl.assign(np.full(model.nu, 0.7))
        simulation.step(50)
        return np.array(simulation.state.joint_q.numpy())

    assert np.abs(end("") - end('actuation="disable"')).max() > 1e-5


@pytest.mark.parametrize("flags", [
    'actuation="disable"', 'spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"',
    'limit="disable"', 'constraint="disable"', 'contact="disable"', 'frictionloss="disable"', 'equality="disable"',
])
def test_flags(flags):
    """What a flag disables is not there, and the rest is."""
    bodies = f"""<geom type="plane" size="0 0 1"/>{ARM.replace('damping=".3"', 'damping=".3" stiffness="4"')}
      <body pos="1 0 .2" gravcomp=".3"><joint name="z" type="slide" axis="0 0 1" frictionloss="1" range="-.3 1"/>
      <geom size=".1" mass="1"/></body>"""
    model = compile_xml(
        bodies, option=f'timestep="{DT}" density="100" viscosity="1"', flags=flags,
        tendon='<fixed name="t" stiffness="3" damping="1"><joint joint="a" coef="1"/></fixed>',
        actuator='<position joint="a" kp="20"/><general joint="b" dyntype="integrator"/>',
        equality='<joint joint1="a" joint2="b" polycoef="0 .5"/>',
    )
    check_motion(model, STEPS, speed=2, ctrl_size=1)


@pytest.mark.parametrize("scene", SCENES)
def test_lengths(scene):
    """forward() has the lengths of actuators, times their gears, at any coordinates."""
    model = compile_scene(scene)
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
    mujoco.mj_forward(model, data)
    simulation = make_simulation(model, np.zeros((3, model.nv)), data.qpos)
    found = simulation.solver.forward(simulation.state, simulation.control, None, DT).actuator_length.numpy()
    np.testing.assert_allclose(found.reshape(3, -1), np.tile(data.actuator_length, (3, 1)), atol=1e-12)


# -- Closed forms


def one_mass(**actuator):
    """A mass of 2 kg that an actuator pushes along x."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0))
    world.add_articulation([joint])
    world.add_actuator(joint, **actuator)
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    return carom.Simulation(scene.finalize(), dt=0.01)


def test_a_filter_follows_exponentially():
    simulation = one_mass(dynamics="filterexact", time=(0.05, 0, 0))
    simulation.control.ctrl.assign([1, 2, -3])
    simulation.step(7)
    expected = np.array([1, 2, -3]) * (1 - np.exp(-0.07 / 0.05))
    np.testing.assert_allclose(simulation.state.act.numpy(), expected, rtol=1e-13)


def test_an_integrator_stays_within_its_bounds():
    simulation = one_mass(dynamics="integrator", act_lower=-0.02, act_upper=0.015)
    simulation.control.ctrl.assign([1, -1, 0.5])
    simulation.step(3)
    np.testing.assert_allclose(simulation.state.act.numpy(), [0.015, -0.02, 0.015], rtol=1e-13)


def test_a_reset_forgets_activations():
    simulation = one_mass(dynamics="integrator")
    simulation.control.ctrl.assign([1, 1, 1])
    simulation.step(3)
    simulation.reset([True, False, True])
    np.testing.assert_allclose(simulation.state.act.numpy(), [0, 0.03, 0], rtol=1e-13)


def test_not_finite_control_keeps_the_last_activation():
    simulation = one_mass(dynamics="integrator")
    simulation.control.ctrl.assign([1, 1, 1])
    simulation.step(2)
    simulation.control.ctrl.assign([1, np.nan, 1])
    status = np.asarray(simulation.step())
    np.testing.assert_allclose(simulation.state.act.numpy(), [0.03, 0.02, 0.03], rtol=1e-13)
    assert status.tolist() == [0, 2, 0]


def test_muscle_steady_state():
    """At its best length a muscle at rest, fully active, pulls with its peak force."""
    peak = 50.0
    muscle = [0.5, 1.5, 0, 1, peak, 0.5, 1.6, 1.5, 1.3, 1.2]  # its length 0.5 is the best one
    simulation = one_mass(law="muscle", muscle=muscle, dynamics="muscle", time=(0.01, 0.04, 0))
    state = simulation.state
    state.joint_q.assign([0.5, 0.5, 0.5])
    state.act.assign([1, 0.5, 0])
    simulation.control.ctrl.assign([1, 0.5, 0])
    simulation.step()
    np.testing.assert_allclose(state.joint_qdd.numpy(), [-peak / 2, -peak / 4, 0], rtol=1e-13)


def test_activations_by_actuator():
    model = compile_scene("filter")
    act = np.array([[0.25, 0.5]])
    given = carom.mujoco.act_from_mujoco(model, act)
    assert given.shape == (1, model.nu)
    np.testing.assert_array_equal(carom.mujoco.act_to_mujoco(model, given), act)
    with pytest.raises(carom.Error, match="last axis must have 2"):
        carom.mujoco.act_from_mujoco(model, [1, 2, 3])


@pytest.mark.parametrize("arguments, words", [
    (dict(dynamics="slow"), '"none", "integrator", "filter", "filterexact" or "muscle"'),
    (dict(law="hill"), '"affine", "muscle", "pid", "dcmotor" or "orientation"'),
    (dict(time=(-1, 0, 0)), "time must not be negative"),
    (dict(act_lower=1, act_upper=0), "act_lower 1 is above act_upper 0"),
    (dict(gain_slope=(np.nan, 0)), "gain_slope"),
])
def test_bad_actuators(arguments, words):
    with pytest.raises(carom.Error, match=words):
        one_mass(**arguments)


def test_bad_sites():
    builder = carom.ModelBuilder()
    with pytest.raises(carom.Error, match="body 3"):
        builder.add_actuator_site((3, (0, 0, 0, 0, 0, 0, 1)), (0, 0, 1, 0, 0, 0))
    with pytest.raises(carom.Error, match="rod must not be negative"):
        builder.add_actuator_slider_crank((-1, (0, 0, 0, 0, 0, 0, 1)), (-1, (0, 0, 0, 0, 0, 0, 1)), -1)
