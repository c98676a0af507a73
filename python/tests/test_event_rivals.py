"""Impacts of EventStepper through joints. Without friction beside MuJoCo, where the same hit is a spring without a
damper, stiff enough to be over before anything has moved; with friction beside Routh's path of impulses, which grow
little by little against the slip of the moment, with the masses and Jacobians that MuJoCo has."""

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
    <geom name="tip" type="sphere" size="0.05" pos="0.3 0 -0.5"/></body></body>"""
STICK = f"""<body pos="0 0 0.5" euler="0 30 0"><freejoint/><geom fromto="-0.3 0 0 0.3 0 0" {BARE}/>
  <geom name="tip" type="sphere" size="0.05" pos="0.3 0 0"/></body>"""
SCENES = {"chain": (CHAIN, [1.0, 1.5]), "stick": (STICK, [3.0, 0.0, -1.5, 0.0, 1.0, 0.0])}


def model_of(bodies, mu):
    return mujoco.MjModel.from_xml_string(f"""<mujoco>
      <option gravity="0 0 0" timestep="{STEP}" cone="elliptic" impratio="1000" integrator="Euler" tolerance="1e-14"/>
      <default><geom density="1000" friction="{mu} 0 0" solref="{-STIFF} 0" solimp="0.9999 0.9999 0.001"/></default>
      <worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>""")


def before_and_after(mj_model, qvel):
    """qpos and qvel a moment before the hit, and qvel behind it, from event to event."""
    model = carom.f64.from_mujoco(mj_model).finalize()
    with model.edit():
        model.shape_material_restitution[:] = 1
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


def along_rouths_path(mj_model, qpos, qvel, mu):
    """Velocities where the normal one has turned round."""
    data = mujoco.MjData(mj_model)
    data.qpos[:] = qpos
    mujoco.mj_forward(mj_model, data)
    tip = mj_model.geom("tip").id
    J, M = np.zeros((3, mj_model.nv)), np.zeros((mj_model.nv, mj_model.nv))
    mujoco.mj_jac(mj_model, data, J, None, data.geom_xpos[tip] - [0, 0, 0.05], mj_model.geom_bodyid[tip])
    mujoco.mj_fullM(mj_model, data, M)
    to_velocity = np.linalg.solve(M, J.T)
    W, u, impulse = J @ to_velocity, J @ qvel, np.zeros(3)
    end, piece = -u[2], abs(u[2] / W[2, 2]) / 20_000
    while u[2] < end:
        push = np.append(-mu * u[:2] / np.linalg.norm(u[:2]), 1) * piece
        impulse += push
        u = u + W @ push
    return qvel + to_velocity @ impulse


@pytest.mark.parametrize("scene", SCENES)
def test_a_hit_does_what_a_spring_does(scene):
    bodies, qvel = SCENES[scene]
    mj_model = model_of(bodies, 0)
    qpos, before, after = before_and_after(mj_model, np.array(qvel))
    expected = after_a_spring(mj_model, qpos, before)
    change = np.linalg.norm(expected - before)
    assert change > 0.3 * np.linalg.norm(before)
    np.testing.assert_allclose(after, expected, atol=5e-3 * change)


# A slip that keeps its direction leaves nothing open. (Where it turns the law takes the last direction for all of it.)
@pytest.mark.parametrize("scene", SCENES)
def test_a_hit_rubs_as_along_rouths_path(scene):
    bodies, qvel = SCENES[scene]
    mj_model = model_of(bodies, 0.15)
    qpos, before, after = before_and_after(mj_model, np.array(qvel))
    expected = along_rouths_path(mj_model, qpos, before, 0.15)
    without = along_rouths_path(mj_model, qpos, before, 0.0)
    assert np.linalg.norm(expected - without) > 0.1 * np.linalg.norm(expected)
    np.testing.assert_allclose(after, expected, atol=2e-4 * np.linalg.norm(expected - before))
