"""Impacts of EventStepper through joints and with friction, beside MuJoCo: there the same hit is a spring without a damper,
stiff enough to be over before anything has moved."""

import numpy as np
import pytest

import carom.f64
import carom.mujoco
from mujoco_states import mujoco

STIFF = 1e10  # of the spring, per mass [1/s^2]
STEP = 2e-7   # [s]
BEFORE = 1e-8  # the hit, MuJoCo begins [s]

BARE = 'type="capsule" size="0.02" contype="0" conaffinity="0"'
# A double pendulum whose end hits the ground, and a stick that hits it with one end. Velocities as MuJoCo has them.
CHAIN = f"""<body pos="0 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 0.5 0 -0.2" {BARE}/>
  <body pos="0.5 0 -0.2"><joint axis="0 1 0"/><geom fromto="0 0 0 0.3 0 -0.5" {BARE}/>
    <geom type="sphere" size="0.05" pos="0.3 0 -0.5"/></body></body>"""
STICK = f"""<body pos="0 0 0.5" euler="0 30 20"><freejoint/><geom fromto="-0.3 0 0 0.3 0 0" {BARE}/>
  <geom type="sphere" size="0.05" pos="0.3 0 0"/></body>"""
SCENES = {"chain": (CHAIN, [1.0, 1.5]), "stick": (STICK, [2.0, 0.5, -1.5, 0.3, 1.0, -0.5])}


def text_of(bodies, mu):
    return f"""<mujoco>
      <option gravity="0 0 0" timestep="{STEP}" cone="elliptic" impratio="1000" integrator="Euler" tolerance="1e-14"/>
      <default><geom density="1000" friction="{mu} 0 0" condim="3" solref="{-STIFF} 0" solimp="0.9999 0.9999 0.001"/>
      </default><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>"""


def before_and_after(mj_model, qvel):
    """qpos and qvel a moment before the hit, and qvel behind it, from event to event."""
    model = carom.f64.from_mujoco(mj_model).finalize()
    model.shape_material_restitution.numpy()[:] = 1
    start = model.state()
    start.joint_qd.numpy()[:] = carom.mujoco.qvel_to_joint_qd(mj_model, mj_model.qpos0, qvel)
    stepper = carom.f64.EventStepper(model, tolerance=1e-11)

    def run(until=None):
        stepper.restart(start)
        assert stepper.run_to_event(2) if until is None else stepper.run(until) is None
        q, qd = stepper.state.joint_q.numpy(), stepper.state.joint_qd.numpy()
        return carom.mujoco.joint_q_to_qpos(mj_model, q), carom.mujoco.joint_qd_to_qvel(mj_model, q, qd)

    after = run()[1]
    assert [event.kind for event in stepper.events] == ["impact"]
    return *run(stepper.events[0].time - BEFORE), after


def after_a_spring(mj_model, qpos, qvel):
    """Velocities once the spring has let go."""
    data = mujoco.MjData(mj_model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    touched = False
    for _ in range(4000):
        mujoco.mj_step(mj_model, data)
        if touched and data.ncon == 0:
            return data.qvel.copy()
        touched = touched or data.ncon > 0
    raise AssertionError("the spring has not let go")


@pytest.mark.parametrize("mu", [0.0, 0.15])
@pytest.mark.parametrize("scene", SCENES)
def test_a_hit_does_what_a_spring_does(scene, mu):
    bodies, qvel = SCENES[scene]
    mj_model = mujoco.MjModel.from_xml_string(text_of(bodies, mu))
    qpos, before, after = before_and_after(mj_model, np.array(qvel))
    expected = after_a_spring(mj_model, qpos, before)
    change = np.linalg.norm(expected - before)
    assert change > 0.3 * np.linalg.norm(before)
    np.testing.assert_allclose(after, expected, atol=5e-3 * change)
