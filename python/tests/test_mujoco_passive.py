"""Springs and dampers that are not linear, inertias of tendons and rotors, and bounds of what actuators do together,
against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion, make_simulation
from mujoco_states import compile_xml

STEPS, DT = 100, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BENT = 'stiffness="9 -3 7" damping=".4 .3 .2"'


def arm(a="", b="", c='damping="2"'):
    """Attributes of three joints: two of a chain, one of another branch."""
    return f"""<site name="base" pos=".1 .2 .6"/>
<body gravcomp=".7"><joint name="a" axis="0 1 0" {a}/>{BOX}<site name="elbow" pos=".3 0 .1"/>
  <body pos=".3 0 .1" gravcomp="1.2"><joint name="b" axis="1 0 .3" {b}/>{BOX}<site name="hand" pos=".2 .1 .1"/></body>
  <body pos="-.3 0 .1"><joint name="c" type="slide" axis="0 1 .2" {c}/>{BOX}</body></body>"""


TURNING = f"""<body><joint name="ball" type="ball" {BENT}/>{BOX}</body>
<body pos="0 0 1"><joint name="free" type="free" {BENT}/>{BOX}</body>"""
FIXED = ('<fixed name="t" {}><joint joint="a" coef=".4"/><joint joint="b" coef="-.3"/>'
         '<joint joint="c" coef=".8"/></fixed>')
STRING = '<spatial name="t" {}><site site="base"/><site site="elbow"/><site site="hand"/></spatial>'
PULLEY = ('<spatial name="t" {}><site site="base"/><site site="elbow"/><pulley divisor="3"/><site site="elbow"/>'
          '<site site="hand"/></spatial>')
SERVO = 'biastype="affine" gainprm="30" biasprm="1 -30 -2"'
THREE = ('<motor tendon="t" gear="3"/><motor tendon="t" gear="-2" forcerange="-.6 2"/>'
         '<position tendon="t" kp="9" kv="3"/>')

# bodies, other sections
SCENES = {
    "springs and dampers": (arm(BENT, 'stiffness="4 2 1" springref="30" damping="0 0 .5"', 'damping="0 .4 0"'), {}),
    "of joints that turn at once": (TURNING, {}),
    "of a fixed tendon": (arm(), {"tendon": FIXED.format(f'{BENT} springlength="-.05 .02"')}),
    "of a string": (arm(), {"tendon": STRING.format(f'{BENT} springlength=".3 .35"')}),
    "armature of a fixed tendon": (arm(), {"tendon": FIXED.format('armature="3" range="-.1 .1"')}),
    "armature of a string": (arm(), {"tendon": STRING.format('armature="5" range=".2 .8" frictionloss=".3"')}),
    "armature over a pulley": (arm(), {"tendon": PULLEY.format('armature="5"')}),
    "rotors": (arm() + TURNING, {
        "tendon": STRING.format(""),
        "actuator": '<general joint="a" gear="3" armature=".2" damping=".1 .2 .05"/><motor joint="a" armature=".1"/>'
                    '<general tendon="t" gear="2" armature=".3" damping=".4"/>'
                    '<general joint="ball" gear="1 2 .5" armature=".2" damping=".3"/>'}),
    "efforts that differ": (arm('actuatorfrcrange="-1 4"', 'actuatorfrcrange="-6 0"'), {
        "tendon": STRING.format(""),
        "actuator": f'<general joint="a" gear="2" {SERVO}/><general joint="b" {SERVO}/><motor tendon="t" gear="3"/>'}),
    "efforts of a string": (arm(), {"tendon": STRING.format('actuatorfrcrange="-.5 .8"'), "actuator": THREE}),
    "efforts of a fixed tendon": (arm(), {"tendon": FIXED.format('actuatorfrcrange="-.5 .8"'), "actuator": THREE}),
    "motors carry": (arm('actuatorgravcomp="true" actuatorfrcrange="-8 3"', 'actuatorgravcomp="true"'), {
        "actuator": f'<motor joint="a"/><general joint="b" {SERVO}/>'}),
    "no motor carries": (arm('actuatorgravcomp="true"', 'actuatorgravcomp="true" actuatorfrcrange="-8 3"'), {}),
    "limits from a depth on": (arm('range="-20 20" margin="-.05"'),
                               {"tendon": FIXED.format('range="-.1 .1" margin="-.02"')}),
}


def compile_scene(scene, options="Euler", flags=""):
    bodies, sections = SCENES[scene]
    return compile_xml(bodies, option=f'timestep="{DT}" {INTEGRATORS[options]}', flags=flags, **sections)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    check_motion(compile_scene(scene, options), STEPS, speed=2, ctrl_size=1.5)


@pytest.mark.parametrize("flag", ["spring", "damper", "actuation", "eulerdamp"])
@pytest.mark.parametrize("scene", ["springs and dampers", "rotors", "motors carry"])
def test_motion_without_some_forces(scene, flag):
    check_motion(compile_scene(scene, flags=f'{flag}="disable"'), STEPS, speed=2, ctrl_size=1.5)


def slider(**numbers):
    """A mass of 2 kg on a slide, without gravity."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0), **numbers)
    world.add_articulation([joint])
    return world, joint


def simulate(world, q=0.0, qd=0.0, steps=1, dt=0.001, ctrl=None):
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=dt)
    simulation.state.joint_q.assign([q]), simulation.state.joint_qd.assign([qd])
    if ctrl is not None:
        simulation.control.ctrl.assign(ctrl)
    simulation.step(steps)
    return simulation


def test_a_spring_that_is_not_linear_keeps_its_energy():
    """m v^2 / 2 + a x^2 / 2 + b x^3 / 3 + c x^4 / 4, over a thousand small steps."""
    a, b, c, dt = 50.0, -20.0, 300.0, 1e-4
    world, _ = slider(stiffness=a, stiffness_poly=(b, c))
    simulation = simulate(world, q=0.4, steps=1000, dt=dt)
    x, v = float(simulation.state.joint_q.numpy()[0]), float(simulation.state.joint_qd.numpy()[0])

    def stored(x):
        return a * x**2 / 2 + b * x**3 / 3 + c * x**4 / 4

    assert abs(v) > 0.5
    assert v**2 + stored(x) == pytest.approx(stored(0.4), rel=2e-3)


def test_drag_by_the_square_of_speed_slows_as_one_over_time():
    """m dv/dt = -c v^2 |v| ... with b alone: dv/dt = -(b / m) v |v|, so 1 / v grows by b / m a second."""
    world, _ = slider(damping_poly=(0.8, 0))
    simulation = simulate(world, qd=3.0, steps=5000, dt=2e-4)
    assert 1 / float(simulation.state.joint_qd.numpy()[0]) == pytest.approx(1 / 3 + 0.4, rel=1e-3)


def test_the_armature_of_a_tendon_is_mass_times_the_square_of_its_coefficient():
    for armature, expected in ((0.0, 2.0), (3.0, 2.0 + 3 * 0.25)):
        world, joint = slider()
        tendon = world.add_tendon_fixed([(joint, 0.5)], armature=armature)
        world.add_actuator_tendon(tendon)
        simulation = simulate(world, ctrl=[4.0], dt=0.01)
        assert float(simulation.state.joint_qd.numpy()[0]) == pytest.approx(0.01 * 4 * 0.5 / expected)


def test_efforts_bound_all_actuators_of_a_tendon_by_shares():
    """Forces of 4 and 3 within (-2, 5) become 4 * 5 / 7 and 3 * 5 / 7."""
    world, joint = slider()
    tendon = world.add_tendon_fixed([(joint, 1.0)], effort_lower=-2, effort_upper=5)
    world.add_actuator_tendon(tendon), world.add_actuator_tendon(tendon, gear=10.0)
    for ctrl, force in (((4, 3), 4 * 5 / 7 + 10 * 3 * 5 / 7), ((-1, -0.5), -1 - 5), ((-4, 1), (-4 + 10) * 2 / 3)):
        simulation = simulate(world, ctrl=ctrl, dt=0.01)
        assert float(simulation.state.joint_qd.numpy()[0]) == pytest.approx(0.01 * force / 2)


@pytest.mark.parametrize("scene", [scene for scene in SCENES if "no motor" not in scene])
def test_scenes_say_something(scene):
    """Without what they are about, they end elsewhere."""
    bodies, sections = SCENES[scene]
    plain = compile_xml(arm() + (TURNING.replace(BENT, "") if "ball" in bodies else ""), option=f'timestep="{DT}"')
    full = compile_scene(scene)
    if plain.nv != full.nv:
        plain = compile_xml(TURNING.replace(BENT, ""), option=f'timestep="{DT}"')

    def end(model):
        simulation = make_simulation(model, np.full((1, model.nv), 1.0))
        if model.nu:
            simulation.control.ctrl.assign(np.full(model.nu, 1.2))
        simulation.step(150)
        return np.array(simulation.state.joint_q.numpy())

    assert np.abs(end(full) - end(plain)).max() > 1e-4
