"""Distance joints in SolverMuJoCo: ropes, rods and springless bumpers between two bodies, or a body and the world,
against MuJoCo's tendons of two sites, and against closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import STRICT, solve_strictly
from mujoco_states import compile_xml, mujoco

DT = 0.002
INERTIA = np.diag([0.02, 0.03, 0.04])
MASS = 1.5


def simulate(builder, worlds=3, **queue):
    scene = carom.ModelBuilder()
    scene.replicate(builder, worlds)
    model = scene.finalize()
    solver = carom.SolverMuJoCo(model, tolerance=STRICT, iterations=200, queue=carom.Queue("cpu", **queue))
    return model, carom.Simulation(model, solver)


def tethered(least, most, integrator="euler", com=(0, 0, 0)):
    """A body whose origin is held at a distance from a point above it."""
    world = carom.ModelBuilder()
    body = world.add_link(mass=MASS, inertia=INERTIA, com=com)
    frame = (0.1, 0.2, 2, 0, 0, 0, 1)
    held = world.add_joint_distance(-1, body, parent_xform=frame, min_distance=least, max_distance=most)
    world.add_articulation([held])
    world.set_joint_q(held, [0, 0, -0.31, 0, 0, 0, 1])  # which says what the string weighs
    world.options.timestep, world.options.integrator = DT, integrator
    return world


def mujoco_tethered(least, most, integrator, com):
    return compile_xml(
        f"""<site name="w" pos=".1 .2 2"/><body pos=".1 .2 1.69"><freejoint/>
        <inertial pos="{' '.join(map(str, com))}" mass="{MASS}" diaginertia=".02 .03 .04"/><site name="b"/></body>""",
        option=f'timestep="{DT}" integrator="{integrator}"',
        tendon=f'<spatial range="{least} {most}" limited="true"><site site="w"/><site site="b"/></spatial>',
    )


@pytest.mark.parametrize("com", [(0, 0, 0), (0.05, -0.02, 0.03)])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit", "RK4", "discrete"])
@pytest.mark.parametrize("least, most", [(0, 0.4), (0.3, 0.3001), (0.3, 2)])
def test_a_body_on_a_string_moves_as_on_a_tendon(least, most, integrator, com):
    model = mujoco_tethered(least, most, integrator, com)
    solve_strictly(model)
    data = mujoco.MjData(model)
    data.qvel[:] = (1, -0.5, 0.8, 1, 2, -1)
    _, simulation = simulate(tethered(least, most, integrator.lower(), com))
    _, alone = simulate(tethered(least, most, integrator.lower(), com), lanes=1)
    for one in (simulation, alone):
        # of the centre of mass
        qd = np.tile(np.concatenate([data.qvel[:3] + np.cross(data.qvel[3:], com), data.qvel[3:]]), 3)
        one.state.joint_qd.assign(qd)
    seen = set()
    for _ in range(250):
        mujoco.mj_step(model, data)
        seen.add(data.nefc)
        assert not np.asarray(simulation.step()).any() and not np.asarray(alone.step()).any()
    assert 1 in seen
    q = np.array(simulation.state.joint_q.numpy())
    assert q.tobytes() == np.array(alone.state.joint_q.numpy()).tobytes()
    for row in q.reshape(3, 7):
        np.testing.assert_allclose(row[:3] + (0.1, 0.2, 2), data.qpos[:3], atol=1e-9)
        np.testing.assert_allclose(row[3:], data.qpos[[4, 5, 6, 3]] * np.sign(row[6] * data.qpos[3]), atol=1e-9)


def two_bodies(least, most, parent_anchor, child_anchor, integrator):
    world = carom.ModelBuilder()
    first = world.add_link(mass=MASS, inertia=INERTIA)
    second = world.add_link(mass=0.7, inertia=2 * INERTIA)
    free = world.add_joint_free(first)
    held = world.add_joint_distance(first, second, min_distance=least, max_distance=most,
                                    parent_xform=(*parent_anchor, 0, 0, 0, 1),
                                    child_xform=(*child_anchor, 0, 0, 0, 1))
    world.add_articulation([free, held])
    world.set_joint_q(held, [0.5, 0.04, 0, 0, 0, 0, 1])
    world.options.timestep, world.options.integrator = DT, integrator
    return world


def mujoco_two_bodies(least, most, a, b, integrator):
    return compile_xml(
        f"""<body pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="{MASS}" diaginertia=".02 .03 .04"/>
          <site name="a" pos="{a[0]} {a[1]} {a[2]}"/></body>
        <body pos=".7 .07 .96"><freejoint/><inertial pos="0 0 0" mass=".7" diaginertia=".04 .06 .08"/>
          <site name="b" pos="{b[0]} {b[1]} {b[2]}"/></body>""",
        option=f'timestep="{DT}" integrator="{integrator}"',
        tendon=f'<spatial range="{least} {most}" limited="true"><site site="a"/><site site="b"/></spatial>',
    )


@pytest.mark.parametrize("most, turn, speed, steps", [(5, 0, 1, 100), (0.45, 0, 0, 1), (0.3, 1, 0, 1)])
def test_two_bodies_move_as_on_a_tendon(most, turn, speed, steps):
    """While the string is slack; and when it begins to pull at bodies at rest. Later not: neither counts the part of
    its acceleration that velocities bring about, which differs between coordinates that are relative and MuJoCo's."""
    a, b = (0.1, 0.05, 0.0), (-0.1, 0.02, 0.04)
    integrator = "Euler" if steps == 1 else "RK4"
    model = mujoco_two_bodies(0, most, a, b, integrator)
    solve_strictly(model)
    data = mujoco.MjData(model)
    data.qvel[:] = np.array((0.3, 0.2, 0, 1, 0, 2, -0.4, 0.5, 0.1, 0, -1, 1)) * speed
    mujoco.mj_integratePos(model, data.qpos, np.array((0, 0.1, 0, 1, 2, 3, 0, 0.1, 0, -2, 1, 0.5)) * turn, 0.5)
    worlds, simulation = simulate(two_bodies(0, most, a, b, integrator.lower()), worlds=2)
    state = simulation.state
    mujoco.mj_forward(model, data)
    assert (data.nefc > 0) == (most < 1)
    turns = [np.array(data.xmat[i + 1]).reshape(3, 3) for i in (0, 1)]
    poses = [np.concatenate([data.xpos[i], data.xquat[i][[1, 2, 3, 0]]]) for i in (1, 2)]
    twists = [np.concatenate([data.qvel[6 * i:][:3], turns[i] @ data.qvel[6 * i + 3:][:3]]) for i in (0, 1)]
    state.body_q.assign(np.tile(np.concatenate(poses), 2).reshape(-1, 7))
    state.body_qd.assign(np.tile(np.concatenate(twists), 2).reshape(-1, 6))
    carom.eval_ik(worlds, state, state.joint_q, state.joint_qd)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        assert not np.asarray(simulation.step()).any()
    mujoco.mj_kinematics(model, data)
    if steps > 1:
        turns[0] = data.xmat[1].reshape(3, 3)
        np.testing.assert_allclose(state.body_q.numpy().reshape(2, 2, 7)[:, :, :3],
                                   np.tile(data.xpos[1:], (2, 1, 1)), atol=1e-9)
    # That of the second body is found from the new pose of the first.
    speeds = np.array(state.body_qd.numpy()).reshape(2, 2, 6)[:, 0]
    np.testing.assert_allclose(speeds[:, :3], np.tile(data.qvel[:3], (2, 1)), atol=1e-10)
    np.testing.assert_allclose(speeds[:, 3:] @ turns[0], np.tile(data.qvel[3:6], (2, 1)), atol=1e-10)


def test_a_rod_is_a_pendulum():
    """Its period is 2 pi sqrt(L / g), for small swings of a mass that does not turn."""
    length, g = 0.8, 9.81
    _, simulation = simulate(tethered(length, length), worlds=1)
    angle, h = 0.02, DT
    simulation.state.joint_q.assign([length * np.sin(angle), 0, -length * np.cos(angle), 0, 0, 0, 1])
    track = []
    for _ in range(int(5 / h)):
        simulation.step()
        track.append(float(simulation.state.joint_q.numpy()[0]))
    track = np.array(track)
    falls = np.flatnonzero((track[:-1] > 0) & (track[1:] <= 0))
    times = (falls + 1 + track[falls] / (track[falls] - track[falls + 1])) * h
    assert len(times) == 3
    assert np.diff(times) == pytest.approx(2 * np.pi * np.sqrt(length / g), rel=2e-3)


def test_a_slack_rope_leaves_a_body_alone_and_a_taut_one_holds_it():
    _, simulation = simulate(tethered(-1, 0.5), worlds=1)
    simulation.state.joint_q.assign([0, 0, -0.3, 0, 0, 0, 1])
    for step in range(1, 61):  # 0.12 s: a fall of 7 cm
        simulation.step()
        fallen = 9.81 * DT * DT * step * (step + 1) / 2
        assert float(simulation.state.joint_q.numpy()[2]) == pytest.approx(-0.3 - fallen, abs=1e-12)
    simulation.step(2000)
    assert float(simulation.state.joint_q.numpy()[2]) == pytest.approx(-0.5, abs=1e-3)
    assert abs(simulation.state.joint_qd.numpy()).max() < 1e-6


def test_distances_are_edited():
    worlds, simulation = simulate(tethered(0, 0.5), worlds=2)
    with worlds.edit() as numbers:
        numbers.joint_limit_upper.numpy()[6] = 0.7  # the first degree of freedom of the second world
    simulation.state.joint_q.assign(np.tile([0, 0, -0.4, 0, 0, 0, 1.0], 2))
    simulation.step(4000)
    np.testing.assert_allclose(simulation.state.joint_q.numpy().reshape(2, 7)[:, 2], [-0.5, -0.7], atol=1e-3)
