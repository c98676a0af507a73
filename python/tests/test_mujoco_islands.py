"""What acts after and beside the solve, in worlds that are taken apart, against MuJoCo in double precision: exact
diagonals, friction without slip, adhesion. Things touch the ground, themselves and each other; some touch nothing."""

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


def sticky(gap):
    attributes = [f'{condim} adhesion="{adhesion}" gap="{gap}"' for condim, adhesion in zip(CONDIMS, (3, 0, -1, 2))]
    return PLANE.format('adhesion="1"') + balls(16, attributes) + ROW + arm(0, 'frictionloss=".2"') + arm(1)


@pytest.mark.parametrize("flags", ["", 'diagexact="enable"'])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_adhesion_of_shapes(integrator, cone, flags):
    """Some contacts only pull: they are nearer than the gap."""
    option = f'integrator="{integrator}" {CONES[cone]} noslip_iterations="3"'
    check_motion(compile_world(sticky(0.02), option, flags), STEPS, speed=0.2, ctrl_size=0)


HOLDING = (PLANE.format('gap=".01"') + balls(16, CONDIMS) + ROW + arm(0) + arm(1, 'actuatorfrcrange="-.3 .3"') +
           ball(-1, 0, 0.0995, "", 'name="near"') + ball(-1.21, 0, 0.0995, 'gap=".05"') +
           ball(-1, 0.2, 0.1, 'gap=".05"') + ball(-5, 0, 0.1, "", 'name="alone"'))
HOLDING = HOLDING.replace('<body  pos="0.199 0 ', '<body name="first" pos="0.199 0 ')
HOLDING = HOLDING.replace('<body pos="0 0 .2">', '<body name="hand0" pos="0 0 .2">', 1)
HOLDING = HOLDING.replace('<body pos="3 1 .438">', '<body name="upper1" pos="3 1 .438">', 1)
HOLDS = "".join(f'<adhesion body="{body}" ctrlrange="0 30" gain="{gain}"/>'
                for body, gain in (("first", 2), ("hand0", 1), ("upper1", 3), ("near", 1), ("near", .5), ("alone", 9)))
HOLDS += '<general body="hand0" gainprm="3" biastype="affine" biasprm="1 0 0" dyntype="filter" dynprm=".1"/>'


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_actuators_of_bodies(integrator, cone):
    """They pull at what their body touches: the ground, their own tree and others, some of them in the gap only."""
    option = f'integrator="{integrator}" {CONES[cone]}'
    flags = 'island="disable"' if integrator == "discrete" else ""  # MuJoCo stops where one couples two islands
    check_motion(compile_world(HOLDING, option, flags, actuator=HOLDS), STEPS, speed=0.2, ctrl_size=20)


# -- carom's own.


def end_of(model, steps=30, **queue):
    simulation = make_simulation(model, np.random.default_rng(2).uniform(-0.2, 0.2, (2, model.nv)), **queue)
    simulation.control.ctrl.assign(np.full(2 * model.nu, 9.0))
    simulation.step(steps)
    return np.array(simulation.state.joint_q.numpy()).tobytes()


@pytest.mark.parametrize("bodies, option, sections", [
    (sticky(0.02), 'noslip_iterations="5"', {}),
    (sticky(0.02), 'noslip_iterations="5" cone="elliptic"', {}),
    (HOLDING, "", {"actuator": HOLDS}),
], ids=["pyramids", "cones", "actuators"])
def test_threads_leave_no_trace(bodies, option, sections):
    model = compile_world(bodies, option, 'diagexact="enable"', **sections)
    assert end_of(model, threads=1) == end_of(model, threads=2)


def worlds_of(model):
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(model))
    return scene.finalize()


def test_forces_of_contacts_that_stick():
    """Balls that hang from a ceiling and from each other: contacts carry the weight below them, islands or not."""
    pull = 'adhesion="20" gap=".02" friction="0.3"'
    lower = "".join(ball(i, 0, -0.0995, pull) + ball(i, 0, -0.2985, pull) for i in range(17))
    single = ball(-2, 0, -0.0995, pull)
    model = compile_world(f'<geom type="plane" size="0 0 1" zaxis="0 0 -1" gap=".02"/>{lower}{single}')
    simulation = make_simulation(model, np.zeros((1, model.nv)))
    simulation.step(500)
    contacts = simulation.contacts
    count = int(contacts.rigid_contact_count[0])
    assert count == 2 * 17 + 1
    force = np.array(contacts.rigid_contact_force.numpy())[:count]
    np.testing.assert_allclose(np.sort(np.abs(force[:, 2])), np.repeat([9.81, 19.62], [18, 17]), rtol=1e-4)


def test_smooth_forces_of_islands_are_those_of_a_small_world():
    """forward() of two balls that stick and are held, alone and beside many others."""
    pair = (ball(0, 0, 0.0995, 'adhesion="5"', 'name="held"') + ball(0.199, 0, 0.0995, 'adhesion="2"') +
            ball(0.42, 0, 0.0995, 'gap=".03"'))
    hold = {"actuator": '<adhesion body="held" ctrlrange="0 9" gain="3"/>'}
    far = "".join(ball(5 + i, 0, 2) for i in range(32))
    found = []
    for bodies in (pair, pair + far):
        worlds = worlds_of(compile_xml(PLANE.format("") + bodies, **hold))
        state, control = worlds.state(), worlds.control()
        control.ctrl.assign([2.0])
        contacts = carom.CollisionPipeline(worlds).collide(state)
        forward = carom.SolverMuJoCo(worlds, tolerance=1e-18).forward(state, control, contacts, 0.002)
        found.append([np.array(getattr(forward, name).numpy())[:18]
                      for name in ("smooth_force", "qacc_smooth", "qacc", "constraint_force")])
    assert np.abs(found[0][0][0]) > 5
    for small, large in zip(*found):
        np.testing.assert_allclose(large, small, atol=1e-9)


def test_edits_switch_adhesion_on():
    """From the next step on, as in a world that had it from the beginning."""
    bodies = PLANE.format("") + balls(16, ['condim="3"']) + ROW
    model = compile_world(bodies)
    ends = []
    for adhesion, edited in ((0, False), (3, False), (3, True)):
        model.geom_adhesion[:] = 0 if edited else adhesion
        worlds = worlds_of(model)
        simulation = carom.Simulation(worlds)
        if edited:
            with worlds.edit():
                worlds.shape_adhesion.assign(np.full(worlds.shape_count, 3.0))
        simulation.step(20)
        ends.append(np.array(simulation.state.joint_q.numpy()))
    assert ends[1].tobytes() == ends[2].tobytes() and np.abs(ends[0] - ends[1]).max() > 1e-4


def test_what_is_refused_is_named():
    """Also when an edit asks for it."""
    still = '<body name="base" pos="0 5 0"><geom size=".1"/></body>'
    for actuator, words in (
        ('<adhesion name="a" body="base" ctrlrange="0 1"/>', "'a'.* body 'base', which does not move; in worlds"),
        ('<general name="a" body="held" biastype="affine" biasprm="0 0 -1"/>', "'a'.* body 'held', with a force that"),
    ):
        worlds = worlds_of(compile_world(HOLDING.replace("near", "held") + still, actuator=actuator))
        with pytest.raises(carom.Error, match=words):
            carom.SolverMuJoCo(worlds)
    worlds = worlds_of(compile_world(HOLDING, actuator=HOLDS))
    simulation = carom.Simulation(worlds)
    simulation.step()
    with worlds.edit():
        worlds.actuator_bias[1] = (0, 0, -1)
    for _ in range(2):
        with pytest.raises(carom.Error, match="contacts of body 'hand0', with a force that depends on their velocity"):
            simulation.step()
    with worlds.edit():
        worlds.actuator_bias[1] = (0, 0, 0)
    simulation.step()
