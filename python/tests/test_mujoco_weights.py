"""How heavy a body is for a contact, against MuJoCo in double precision, for every combination of joints: the stiffness
of a contact's row is that of MuJoCo's, which it takes from the mean of J M^-1 J^T at qpos0, or from 1/m for bodies that
slide alone along their own axes."""

import itertools

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import compile_xml, mujoco

JOINTS = {
    "x": '<joint type="slide" axis="1 0 0"/>',
    "y": '<joint type="slide" axis="0 1 0"/>',
    "z": '<joint type="slide" axis="0 0 -1"/>',
    "oblique": '<joint type="slide" axis="1 3 2"/>',
    "heavy": '<joint type="slide" axis="0 0 1" armature="3"/>',
    "hinge": '<joint axis="0 1 0" pos=".1 0 .2"/>',
    "ball": '<joint type="ball" pos="0 .1 0"/>',
}
CHAINS = [chain for length in (1, 2, 3) for chain in itertools.permutations(JOINTS, length)]
CHAINS = [chain for chain in CHAINS if "ball" not in chain[:-1]] + [("free",)]

# What a body carries, and how it is turned.
BODIES = {
    "centred": '<geom type="box" size=".1 .2 .3" mass="2" condim="1"/>',
    "off centre": '<geom type="box" size=".1 .2 .3" pos=".05 0 0" mass="2" condim="1"/>',
    "turned": '<geom type="box" size=".1 .2 .3" euler="10 20 30" mass="2" condim="1"/>',
    "with a fixed body": '<geom type="sphere" size=".3" mass="2" condim="1"/><body><geom size=".1" mass=".5"'
    ' contype="0" conaffinity="0"/></body>',
    "with a pendulum": '<geom type="sphere" size=".3" mass="2" condim="1"/><body pos="0 0 .5"><joint axis="0 1 0"/>'
    '<geom size=".1" pos=".2 0 0" mass=".5" contype="0" conaffinity="0"/></body>',
}
GROUND = '<geom type="plane" size="0 0 1" condim="1"/>'


def stiffness(xml):
    """Of the rows of all contacts: carom's and MuJoCo's."""
    model = compile_xml(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    contacts = data.efc_D[data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)]
    world = carom.from_mujoco(model)
    scene = carom.ModelBuilder()
    scene.add_world(world)
    built = scene.finalize()
    state = built.state()
    forward = carom.SolverMuJoCo(built).forward(state, built.control(), built.collide(state))
    return np.sort(np.array(forward.rows.D.numpy())), np.sort(contacts)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("chain", CHAINS, ids=" ".join)
def test_every_combination_of_joints(chain, body):
    joints = "".join(JOINTS.get(name, "<freejoint/>") for name in chain)
    ours, theirs = stiffness(f'{GROUND}<body pos="0 0 .2">{joints}{BODIES[body]}</body>')
    assert len(theirs) > 0
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_on_a_body_that_stands_still():
    inner = f'<body pos="0 0 .1">{JOINTS["z"]}{BODIES["centred"]}</body>'
    ours, theirs = stiffness(f'{GROUND}<body pos="0 0 .1" euler="0 0 30">{inner}</body>')
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_a_ball_on_a_slide_rests_as_deep_as_in_mujoco():
    """The depth is g (1 - d) tc^2 with the constant impedance d, whatever the mass."""
    xml = f'{GROUND}<body pos="0 0 .1">{JOINTS["z"]}<geom size=".1" mass="3" condim="1" solimp=".9 .9 .001"/></body>'
    model = compile_xml(xml.replace('size="0 0 1"', 'size="0 0 1" solimp=".9 .9 .001"'))
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(model))
    built = scene.finalize()
    simulation = carom.Simulation(built, carom.SolverMuJoCo(built), dt=0.002)
    simulation.step(4000)
    assert float(simulation.contacts.rigid_contact_depth.numpy()[0]) == pytest.approx(9.81 * 0.1 * 0.02**2, abs=1e-9)
