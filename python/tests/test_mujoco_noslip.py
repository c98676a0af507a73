"""Friction without slip (noslip_iterations), against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion
from mujoco_states import compile_xml

STEPS, DT = 60, 0.004

TILTED = 'gravity="3 1 -9"'
PLANE = '<geom type="plane" size="0 0 1"/>'
BALL = '<body pos="0 0 .099"><freejoint/><geom size=".1" mass="1" condim="{}" friction=".7 .02 .01"/></body>'
ARM = """<body pos="0 0 1"><joint axis="0 1 0" frictionloss=".5"/><geom size=".05" pos=".2 0 0" mass="1"/>
  <body pos=".4 0 0"><joint axis="0 1 0" frictionloss="3"/><geom size=".05" pos=".2 0 0" mass="1"/></body></body>"""
BALLJOINT = """<body><joint type="ball" frictionloss=".3"/><geom size=".05" pos=".2 0 0" mass="1"/></body>"""
SCENES = {
    "sliding": PLANE + BALL.format(3),
    "spinning": PLANE + BALL.format(4),
    "rolling": PLANE + BALL.format(6),
    "dry friction": ARM,
    "dry friction of a ball joint": BALLJOINT,
    "finger": PLANE + """<body pos="0 0 .5"><joint axis="0 1 0"/><joint axis="1 0 0"/>
      <geom type="capsule" fromto="0 0 0 .1 0 -.45" size=".05" mass="1" friction=".9"/></body>""",
}
CONES = {"pyramidal": "", "elliptic": 'cone="elliptic" impratio="3"'}


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
@pytest.mark.parametrize("iterations", [1, 3, 50])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, cone, iterations, integrator):
    """Of one contact, or of rows that are swept over in MuJoCo's order."""
    option = f'timestep="{DT}" {TILTED} {CONES[cone]} noslip_iterations="{iterations}" integrator="{integrator}"'
    check_motion(compile_xml(SCENES[scene], option=option), STEPS, speed=1, ctrl_size=0)


def creeping_box(cone, sweeps):
    """A box on a slope of 20 degrees, whose friction would hold one of 45: how far it goes in a second."""
    tilt = np.radians(20)
    world = carom.ModelBuilder(gravity=(9.81 * np.sin(tilt), 0, -9.81 * np.cos(tilt)))
    world.options.cone, world.options.noslip_iterations = cone, sweeps
    world.options.noslip_tolerance = 1e-12
    rough = carom.ShapeConfig(mu=1.0)
    world.add_shape_plane(body=-1, cfg=rough)
    box = world.add_body(xform=(0, 0, 0.0999, 0, 0, 0, 1))
    world.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1, cfg=rough)
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    simulation = carom.Simulation(scene.finalize(), dt=0.002)
    simulation.step(500)
    before = np.array(simulation.state.joint_q.numpy())
    assert not np.asarray(simulation.step(500)).any()
    moved = np.array(simulation.state.joint_q.numpy()) - before
    return float(np.abs(moved.reshape(3, 7)[:, 0]).max())


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_box_on_a_slope_does_not_creep(cone):
    """Soft friction creeps; without slip it stands."""
    assert creeping_box(cone, 0) > 1e-4
    assert creeping_box(cone, 200) < 1e-7


def test_bad_options():
    builder = carom.ModelBuilder()
    builder.options.noslip_iterations = -1
    with pytest.raises(carom.Error, match="noslip_iterations must not be negative, is -1"):
        builder.finalize()
