"""What model.options say of a step, against MuJoCo in double precision: motions under random controls, of several
worlds at once; and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion, make_simulation
from mujoco_states import compile_xml

STEPS, DT = 120, 0.005

BOX = '<geom type="box" size=".1 .2 .3" mass="2" contype="0" conaffinity="0"/>'
CROOKED = '<geom type="box" size=".1 .2 .3" pos=".2 .1 -.3" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BALL = '<geom size=".1" mass="2" condim="{condim}" friction="1 .1 .05"/>'
PLANE = '<geom type="plane" size="0 0 1"/>'
ARM = f"""<body><joint name="a" axis="0 1 0" damping=".5" stiffness="3"/>{CROOKED}
  <body pos=".3 0 .1"><joint name="b" axis="1 0 0"/>{CROOKED}
    <body pos="0 .3 0"><joint name="c" type="slide" axis="0 0 1" damping="1" stiffness="50"/>{BOX}</body></body>
  <body pos="0 0 .5"><joint name="d" axis="0 1 1" stiffness="20"/>{CROOKED}</body></body>"""
DRIVEN = {
    "actuator": """<position joint="a" kp="30" kv="4"/><velocity joint="b" kv="3" gear="2"/><motor joint="c" gear="5"/>
      <general joint="a" biastype="affine" biasprm="0 -3 -2" gainprm="4" forcerange="-3 3"/>""",
    # b and d are on branches of their own: M has no entry for them
    "tendon": """<fixed damping="2" stiffness="5"><joint joint="a" coef="1.5"/><joint joint="c" coef="-2"/></fixed>
      <fixed damping="1"><joint joint="c" coef="1"/><joint joint="d" coef="2"/><joint joint="b" coef=".5"/></fixed>""",
}
LIMITED = ARM
for name, most in (("a", 6), ("b", 4)):
    LIMITED = LIMITED.replace(f'name="{name}"', f'name="{name}" actuatorfrcrange="-{most} {most}"')

# bodies, other sections of the file
SCENES = {
    "free": (f"<body><freejoint/>{BOX}</body>", {}),
    "free, off its centre": (f"<body><freejoint/>{CROOKED}</body>", {}),
    "free, with a fixed body": (f'<body><freejoint/>{BOX}<body pos=".3 0 0">{CROOKED}</body></body>', {}),
    "free, with an arm": (f"<body><freejoint/>{BOX}{ARM}</body>", {}),
    "two free bodies": (f'<body><freejoint/>{BOX}</body><body pos="1 0 0"><freejoint/>{CROOKED}</body>', {}),
    "arm": (ARM, {}),
    "driven arm": (ARM, DRIVEN),
    "driven arm with limits of effort": (LIMITED, DRIVEN),
    "ball joint": (f'<body><joint type="ball" damping=".2"/>{CROOKED}</body>', {}),
    "sliding": (f'{PLANE}<body pos="0 0 .1"><freejoint/>{BALL.format(condim=3)}</body>', {}),
    "rolling": (f'{PLANE}<body pos="0 0 .1"><freejoint/>{BALL.format(condim=6)}</body>', {}),
}
OPTIONS = {
    "Euler": ("", ""),
    "Euler, explicit": ("", 'eulerdamp="disable"'),
    "implicitfast": ('integrator="implicitfast"', ""),
    "implicitfast, impratio 10": ('integrator="implicitfast" impratio="10"', ""),
    "impratio .2": ('impratio=".2"', ""),
    "RK4": ('integrator="RK4"', ""),
    "implicit": ('integrator="implicit"', ""),
    "discrete": ('integrator="discrete"', ""),
}


def compile_scene(scene, options):
    bodies, sections = SCENES[scene]
    option, flags = OPTIONS[options]
    model = compile_xml(bodies, option=f'timestep="{DT}" {option}', flags=flags, **sections)
    return model


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    check_motion(compile_scene(scene, options), STEPS, speed=3, ctrl_size=3)


def test_options_change_the_motion():
    """So that none of them can be lost on its way."""
    def end(scene, options):
        model = compile_scene(scene, options)
        velocity = np.full((1, model.nv), 1.5)
        velocity[0, 2] = 0  # stays on the ground, where there is one
        simulation = make_simulation(model, velocity)
        simulation.step(40)
        return np.array(simulation.state.joint_q.numpy())

    for scene, first, second in [
        ("driven arm", "Euler", "Euler, explicit"),
        ("driven arm", "Euler", "implicitfast"),
        ("free", "Euler", "implicitfast"),
        ("sliding", "Euler", "impratio .2"),
        ("free", "Euler", "RK4"),
        ("free, with an arm", "implicitfast", "implicit"),
        ("driven arm", "implicitfast", "discrete"),
    ]:
        assert np.abs(end(scene, first) - end(scene, second)).max() > 1e-6


@pytest.mark.parametrize("servo", [False, True])
def test_one_step_of_a_damped_mass(servo):
    """v+ = v + h f / (m + h b), with the servo's damping in b for the implicit ones alone."""
    m, k, b, q, v, h, kp, kv = 2, 50, 3, 0.3, 0.7, 0.01, 20 * servo, 4 * servo
    force = -k * q - b * v - kp * q - kv * v
    for integrator, damping in (("euler", b), ("implicitfast", b + kv), ("implicit", b + kv)):
        world = carom.ModelBuilder(gravity=(0, 0, 0))
        body = world.add_link(mass=m, inertia=np.eye(3))
        joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0), stiffness=k, damping=b)
        world.add_articulation([joint])
        world.add_actuator(joint, gain=kp, bias=(0, -kp, -kv))
        world.options.integrator, world.options.timestep = integrator, h
        scene = carom.ModelBuilder()
        scene.add_world(world)
        simulation = carom.Simulation(scene.finalize())
        simulation.state.joint_q.assign([q])
        simulation.state.joint_qd.assign([v])
        simulation.step()
        expected = v + h * force / (m + h * damping)
        assert float(simulation.state.joint_qd.numpy()[0]) == pytest.approx(expected, abs=1e-14)


def test_efforts_bound_all_actuators_of_a_joint_together():
    """Two motors pull 5 N each at a mass of 2 kg whose joint holds 6 N; what the user applies is not bounded."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0), effort_lower=-6, effort_upper=6)
    world.add_articulation([joint])
    for _ in range(2):
        world.add_actuator(joint)
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=0.01)
    for ctrl, applied, expected in (((5, 5), 0, 6), ((-5, -5), 0, -6), ((5, -4), 0, 1), ((5, 5), 10, 16)):
        simulation.reset()
        simulation.control.ctrl.assign(ctrl)
        simulation.control.joint_f.assign([applied])
        simulation.step()
        assert float(simulation.state.joint_qdd.numpy()[0]) == pytest.approx(expected / 2, abs=1e-13)
