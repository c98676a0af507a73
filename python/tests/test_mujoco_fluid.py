"""Bodies in a fluid, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion
from mujoco_states import compile_xml

STEPS, DT = 100, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
ROD = '<geom type="capsule" size=".1 .3" euler="40 20 0" mass="1" contype="0" conaffinity="0"/>'
SCENES = {
    "free": f"<body><freejoint/>{BOX}</body>",
    "free, with a fixed body": f'<body><freejoint/>{BOX}<body pos=".3 .1 0">{ROD}</body></body>',
    "arm": f"""<body><joint axis="0 1 0" damping=".1"/>{BOX}<body pos=".3 0 0"><joint type="ball"/>{ROD}
      <body pos="0 .2 0">{BOX}</body></body></body>""",
    "slides": f'<body><joint type="slide" axis="1 0 1"/><joint type="slide" axis="0 1 0"/>{ROD}</body>',
    "free, with a string": f'<site name="s"/><body><freejoint/>{BOX}<site name="t" pos=".1 0 0"/></body>',
}
FLUIDS = {
    "water": 'density="1000" viscosity=".0009"',
    "honey": 'viscosity="5"',
    "wind": 'density="1.2" viscosity=".00002" wind="10 -3 4"',
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("fluid", FLUIDS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, fluid, integrator):
    string = '<spatial damping="3" stiffness="5"><site site="s"/><site site="t"/></spatial>'
    sections = {"tendon": string} if "string" in scene else {}
    option = f'timestep="{DT}" {FLUIDS[fluid]} {INTEGRATORS[integrator]}'
    check_motion(compile_xml(SCENES[scene], option=option, **sections), STEPS, speed=3, ctrl_size=0)


def sinking_cube(side, mass, density, viscosity):
    """A cube that falls in a fluid, which carries nothing of its weight."""
    world = carom.ModelBuilder()
    world.add_body(mass=mass, inertia=np.eye(3) * mass * side**2 / 6)
    world.options.density, world.options.viscosity = density, viscosity
    scene = carom.ModelBuilder()
    scene.add_world(world)
    return carom.Simulation(scene.finalize(), dt=0.002)


def test_terminal_velocity():
    """The drag of a cube, density side^2 v^2 / 2, carries its weight."""
    side, mass, density = 0.5, 40.0, 100.0
    simulation = sinking_cube(side, mass, density, 0)
    simulation.step(8000)
    expected = -np.sqrt(2 * mass * 9.81 / (density * side**2))
    np.testing.assert_allclose(simulation.state.joint_qd.numpy()[2], expected, rtol=1e-6)


def test_terminal_velocity_in_honey():
    """Stokes: 3 pi d viscosity v."""
    side, mass, viscosity = 0.5, 4.0, 8.0
    simulation = sinking_cube(side, mass, 0, viscosity)
    simulation.step(4000)
    expected = -mass * 9.81 / (3 * np.pi * side * viscosity)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy()[2], expected, rtol=1e-6)


def test_axes_of_the_box_are_those_of_the_inertia():
    """A box that is turned in its body feels what it feels where the body is turned."""
    sides, mass, half = np.array([0.2, 0.5, 0.9]), 2.0, 0.4
    moments = mass / 12 * (np.sum(sides**2) - sides**2)
    turn = np.array([0, 0, np.sin(half), np.cos(half)])
    R = np.array([[np.cos(2 * half), -np.sin(2 * half), 0], [np.sin(2 * half), np.cos(2 * half), 0], [0, 0, 1]])
    speeds = []
    for inertia, pose in ((np.diag(moments), (0, 0, 0, *turn)), (R @ np.diag(moments) @ R.T, (0, 0, 0, 0, 0, 0, 1))):
        world = carom.ModelBuilder(gravity=(0, 0, 0))
        world.add_body(xform=pose, mass=mass, inertia=inertia)
        world.options.density = 500
        scene = carom.ModelBuilder()
        scene.add_world(world)
        simulation = carom.Simulation(scene.finalize(), dt=0.001)
        simulation.state.joint_qd.assign([1, -2, 0.5, 0.3, 2, -1])
        simulation.step(100)
        speeds.append(np.array(simulation.state.joint_qd.numpy()))
    np.testing.assert_allclose(speeds[0], speeds[1], atol=1e-12)


@pytest.mark.parametrize("name, value", [("density", -1), ("viscosity", np.nan), ("wind", (0, np.inf, 0))])
def test_bad_options(name, value):
    builder = carom.ModelBuilder()
    setattr(builder.options, name, value)
    with pytest.raises(carom.Error, match=name):
        builder.finalize()
