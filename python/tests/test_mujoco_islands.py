"""What acts after and beside the solve, in worlds that are taken apart, against MuJoCo in double precision: exact
diagonals and friction without slip. Things touch the ground, themselves and each other; some touch nothing."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion, make_simulation
from mujoco_states import compile_xml

STEPS, DT = 40, 0.004
CONES = {"pyramidal": "", "elliptic": 'cone="elliptic" impratio="3"'}
INTEGRATORS = ["Euler", "implicitfast", "RK4", "discrete"]

TILTED = 'gravity="3 1 -9"'
PLANE = '<geom name="floor" type="plane" size="0 0 1" {}/>'


def ball(x, y, z, attributes="", name=""):
    return (f'<body {name} pos="{x:.5g} {y:.5g} {z:.5g}"><freejoint/><geom size=".1" mass="1" {attributes}/></body>')


def balls(count, attributes=("",)):
    """Rows of eight on the ground that touch each other; above every third pair there is one more."""
    lower = "".join(ball(0.199 * (i % 8), i // 8, 0.0995, attributes[i % len(attributes)]) for i in range(count))
    upper = "".join(ball(0.199 * (i % 8) + 0.0995, i // 8, 0.27, attributes[i % len(attributes)])
                    for i in range(0, count, 3))
    return lower + upper


def arm(y, joint=""):
    """Folded, so that it touches itself; its hand lies on a ball."""
    return f"""<body pos="3 {y} .438"><joint axis="0 1 0" damping=".1" {joint}/>
      <geom type="capsule" fromto="0 0 0 .6 0 0" size=".04" mass="1"/>
      <body pos=".6 0 0"><joint axis="0 1 0" range="-100 100" damping=".1" {joint}/>
        <geom type="capsule" fromto="0 0 0 0 0 .2" size=".04" mass=".5"/>
        <body pos="0 0 .2"><joint axis="0 1 0" damping=".1" {joint}/><joint axis="1 0 0" damping=".1"/>
          <geom type="capsule" fromto="0 0 0 -.3 0 -.124" size=".04" mass=".5"/></body></body></body>
    {ball(3.3, y, 0.2985)}{ball(3.3, y, 0.0995)}"""


def compile_world(bodies, option="", flags="", **sections):
    model = compile_xml(bodies, option=f'timestep="{DT}" {option}', flags=flags, **sections)
    assert model.nv > 192
    return model


# One island that is factored as a whole and one that is not, which takes more than 32 bodies.
ROW = "".join(ball(0.1995 * i, -1, 0.0995) for i in range(36))
CONDIMS = ['condim="3"', 'condim="1"', 'condim="6" friction=".8 .05 .02"', 'condim="4" friction=".3 .05 .02"']
THINGS = PLANE.format("") + balls(16, CONDIMS) + ROW + arm(0, 'frictionloss=".2"') + arm(1)


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_exact_diagonals(integrator, cone):
    option = f'integrator="{integrator}" {CONES[cone]}'
    check_motion(compile_world(THINGS, option, 'diagexact="enable"'), STEPS, speed=0.2, ctrl_size=0)


@pytest.mark.parametrize("iterations", [1, 3, 200])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_friction_without_slip(integrator, cone, iterations):
    """Sweeps follow the order of the contacts, whatever these resist, and each island ends them on its own."""
    option = f'integrator="{integrator}" {CONES[cone]} noslip_iterations="{iterations}" {TILTED}'
    check_motion(compile_world(THINGS, option), STEPS, speed=0.2, ctrl_size=0)
