"""Friction that differs between the tangents, surfaces that move, adhesion, margins below zero and the options that
stand above all contacts, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion
from mujoco_states import compile_xml

STEPS, DT = 100, 0.004

PLANE = '<geom name="floor" type="plane" size="0 0 1" {}/>'
BALL = '<body name="ball" pos="0 0 .099"><freejoint/><geom name="g" size=".1" mass="1" {}/></body>'
BELT = """<body pos="0 0 .1"><joint type="slide" axis="0 0 1" stiffness="900" damping="20"/>
  <joint axis="0 1 0" stiffness="90" damping="2"/>
  <geom name="belt" type="box" size=".6 .4 .1" pos=".05 0 .02" mass="3" {}/></body>
<body pos="0 .1 .31"><freejoint/><geom name="g" type="sphere" size=".1" mass="1" {}/></body>"""
BOXES = """<body pos="0 0 .0995"><freejoint/>
  <geom name="g" type="capsule" size=".1 .2" euler="90 20 0" mass="1" {}/></body>
<body pos=".5 0 .0995"><freejoint/><geom type="sphere" size=".1" mass=".7"/></body>"""


def pair(attributes):
    return {"contact": f'<pair geom1="floor" geom2="g" {attributes}/>'}


UNEVEN = 'friction=".5 .1 .03 .02 .005" solref=".03 .8"'
# bodies, options, other sections
SCENES = {
    "uneven, sliding": (PLANE.format("") + BALL.format(""), "", pair(f'condim="3" {UNEVEN}')),
    "uneven, spinning": (PLANE.format("") + BALL.format(""), "", pair(f'condim="4" {UNEVEN}')),
    "uneven, rolling": (PLANE.format("") + BALL.format(""), "", pair(f'condim="6" {UNEVEN}')),
    "uneven capsule": (PLANE.format("") + BOXES.format(""), "", pair(f'condim="6" {UNEVEN}')),
    "damping of friction": (PLANE.format("") + BALL.format(""), "", pair('condim="4" solreffriction=".005 1"')),
    "direct damping of friction": (PLANE.format("") + BALL.format(""), "", pair('solreffriction="-500 -80"')),
    "margin of a pair below zero": (PLANE.format("") + BALL.format(""), "", pair('margin="-.01" gap=".05"')),
    "margin below zero": (PLANE.format('margin="-.01"') + BALL.format('margin=".004" gap=".02"'), "", {}),
    "floor that moves": (PLANE.format('surfacevel=".7 -.2 0 0 0 2"') + BALL.format('condim="4"'), "", {}),
    "belt": (BELT.format('surfacevel=".5 .2 0 0 .3 1"', 'condim="6" surfacevel="0 .1 .2 1 0 2"'), "", {}),
    "adhesion": (PLANE.format('adhesion="3"') + BALL.format('adhesion="2" gap=".03" condim="3"'), "", {}),
    "adhesion of a higher priority": (
        PLANE.format('adhesion="30"') + BALL.format('adhesion="2" gap=".03" priority="1" condim="1"'), "", {}),
    "adhesion of a pair": (PLANE.format('adhesion="3"') + BALL.format(""), "",
                           pair('adhesion="20" gap=".04" margin=".001"')),
    "adhesion of a belt": (BELT.format('adhesion="9"', 'condim="6" adhesion="2" gap=".02"'), "", {}),
    "adhesion of an actuator": (BELT.format("", 'condim="6"').replace('<body pos="0 .1', '<body name="b" pos="0 .1'),
                                "",
                                {"actuator": '<adhesion body="b" ctrlrange="0 30" gain="1"/>'}),
    "adhesion of two actuators": (
        PLANE.format('gap=".05"') + BELT.format("", 'gap=".02"').replace("<body pos", '<body name="b" pos', 1), "",
        {"actuator": '<adhesion body="b" ctrlrange="0 30" gain="2"/>'
                     '<general body="b" gainprm="3" biastype="affine" biasprm="1 0 -4" dyntype="filter" '
                     'dynprm=".1"/>'}),
    "override": (PLANE.format("") + BALL.format('margin=".1" gap=".01" condim="4"'),
                 'o_margin=".01" o_solref=".05 .6" o_solimp=".7 .8 .002 .4 3" o_friction=".2 .2 .01 .01 .01"', {}),
    "override of a pair": (PLANE.format("") + BALL.format('gap=".01" margin=".02"'),
                           'o_margin=".01" o_solref=".05 .6" o_friction=".2 .2 .01 .01 .01"',
                           pair('condim="6" friction=".9" solreffriction=".01 1"')),
    "stiffer than is safe": (PLANE.format('solref=".006 1"') + BALL.format('solref=".007 1.1"'), "", {}),
}
CONES = {"pyramidal": "", "elliptic": 'cone="elliptic" impratio="3"'}
NO_ISLANDS = ' island="disable"'  # MuJoCo stops where an actuator of discrete couples two


def compile_scene(scene, cone="pyramidal", integrator="Euler"):
    bodies, option, sections = SCENES[scene]
    flags = 'override="enable"' if "o_" in option else 'refsafe="disable"' if "safe" in scene else ""
    flags += NO_ISLANDS
    option = f'timestep="{DT}" integrator="{integrator}" {CONES[cone]} {option}'
    return compile_xml(bodies, option=option, flags=flags, **sections)


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, cone, integrator):
    check_motion(compile_scene(scene, cone, integrator), STEPS, speed=1, ctrl_size=20)


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
@pytest.mark.parametrize("scene", ["uneven, rolling", "belt", "adhesion of a belt", "adhesion of two actuators"])
def test_motion_of_other_integrators(scene, integrator):
    check_motion(compile_scene(scene, "elliptic", integrator), STEPS, speed=1, ctrl_size=20)


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("scene", [scene for scene in SCENES if "adhesion" in scene or "uneven" in scene])
def test_motion_with_exact_diagonals(scene, cone, integrator):
    bodies, option, sections = SCENES[scene]
    option = f'timestep="{DT}" integrator="{integrator}" {CONES[cone]} {option}'
    flags = 'diagexact="enable"' + NO_ISLANDS
    check_motion(compile_xml(bodies, option=option, flags=flags, **sections), STEPS, 1, ctrl_size=20)


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
def test_a_large_world_on_a_belt(integrator):
    """Of more degrees of freedom than are solved as one; some of the balls touch each other."""
    balls = "".join(f'<body pos="{0.19 * (i % 8)} {0.25 * (i // 8)} .0995"><freejoint/><geom size=".1" mass="1" '
                    f'condim="{(3, 4, 6)[i % 3]}"/></body>' for i in range(40))
    model = compile_xml(PLANE.format('surfacevel=".7 -.2 0 0 0 .5"') + balls,
                        option=f'timestep="{DT}" integrator="{integrator}"')
    assert model.nv > 192
    check_motion(model, 40, speed=0.2, ctrl_size=0)


def simulate(world, steps, **state):
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    simulation = carom.Simulation(scene.finalize(), dt=0.002)
    for name, values in state.items():
        getattr(simulation.state, name).assign(np.tile(values, 3))
    simulation.step(steps)
    return simulation


def box_on_floor(cone="elliptic", gravity=(0, 0, -9.81), impratio=100, **floor):
    """A box of 8 kg; friction is that of the floor."""
    world = carom.ModelBuilder(gravity=gravity)
    world.options = carom.ModelOptions(cone=cone, impratio=impratio)
    plane = world.add_shape_plane(body=-1, cfg=carom.ShapeConfig(**floor))
    body = world.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1))
    box = world.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=carom.ShapeConfig(mu=0))
    return world, plane, box


def test_slopes_hold_along_one_tangent_and_not_along_the_other():
    """tan(20 degrees) = 0.36 is between the friction along both tangents, 0.1 and 0.8; of a normal along z: y, -x."""
    down = 9.81 * np.sin(np.radians(20))
    for direction, friction, moves in (((1, 0), (0.8, 0.1), True), ((1, 0), (0.1, 0.8), False),
                                       ((0, 1), (0.8, 0.1), False), ((0, 1), (0.1, 0.8), True)):
        world, plane, box = box_on_floor(gravity=(*np.multiply(down, direction), -9.81 * np.cos(np.radians(20))))
        world.add_contact_pair(plane, box, friction=(*friction, 0, 0, 0))
        simulation = simulate(world, 250)
        speed = np.linalg.norm(np.array(simulation.state.joint_qd.numpy()).reshape(3, 6)[:, :2], axis=1)
        assert np.all(speed > 0.5) if moves else np.all(speed < 0.02)


def test_a_belt_carries_what_lies_on_it():
    """While it slips friction is mu times the normal force; at last it is as fast as the belt."""
    world, _, _ = box_on_floor(surface_velocity=(1.5, 0, 0, 0, 0, 0), mu=0.5, impratio=1)
    simulation = simulate(world, 30)
    pushed = 0
    for _ in range(20):
        simulation.step()
        count = int(simulation.contacts.rigid_contact_count[0])
        x, _, z = np.array(simulation.contacts.rigid_contact_force.numpy())[:count].sum(axis=0)
        assert x == pytest.approx(0.5 * z, rel=1e-6)
        pushed += z > 1
    assert pushed > 5
    simulation.step(600)
    np.testing.assert_allclose(np.array(simulation.state.joint_qd.numpy()).reshape(3, 6)[:, 0], 1.5, rtol=1e-3)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_adhesion_carries_as_much_as_it_is(cone):
    """8 kg hang from a ceiling whose four contacts pull with 20 N each, 80 N, and not with 19 N each."""
    for adhesion, hangs in ((19.0, False), (20.0, True)):
        world, _, _ = box_on_floor(cone, gravity=(0, 0, 9.81), adhesion=adhesion, contact_margin=0.01, gap=0.01)
        simulation = simulate(world, 300)
        heights = np.array(simulation.state.joint_q.numpy()).reshape(3, 7)[:, 2]
        assert np.all(np.abs(heights - 0.1) < 2e-3) if hangs else np.all(heights > 0.2)
        if hangs:
            count = int(simulation.contacts.rigid_contact_count[0])
            force = np.array(simulation.contacts.rigid_contact_force.numpy())[:count]
            np.testing.assert_allclose(force[:, 2].sum(), -3 * 8 * 9.81, rtol=1e-3)
