"""Controls that count later, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion
from mujoco_states import compile_xml, mujoco

STEPS, DT = 60, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BODIES = f"""<body><joint name="a" axis="0 1 0" damping=".5"/>{BOX}
  <body pos=".3 0 .1"><joint name="b" axis="1 0 .3" damping=".5"/>{BOX}</body>
  <body pos="-.3 0 .1"><joint name="ball" type="ball" damping=".2"/>{BOX}</body></body>"""

# delay / DT and samples of two actuators
DELAYS = {
    "whole steps": (3, 5, 1, 2),
    "between steps": (2.37, 5, 0.6, 3),
    "longer than what is kept": (7.5, 4, 1.5, 1),
    "four and a half steps": (4.5, 8, 3.25, 6),
}


def compile_scene(actuators, options="Euler"):
    return compile_xml(BODIES, option=f'timestep="{DT}" {INTEGRATORS[options]}', actuator=actuators)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("interpolation", ["zoh", "linear", "cubic"])
@pytest.mark.parametrize("delays", DELAYS)
def test_motion(delays, interpolation, options):
    first, samples, second, more = DELAYS[delays]
    check_motion(compile_scene(
        f'<motor joint="a" delay="{first * DT}" nsample="{samples}" interp="{interpolation}" ctrlrange="-1 1"/>'
        '<motor joint="b"/><general joint="b" biastype="affine" gainprm="9" biasprm="0 -9 -1" dyntype="filter" '
        f'dynprm=".05" delay="{second * DT}" nsample="{more}" interp="{interpolation}"/>', options),
        STEPS, speed=1, ctrl_size=1.5)


@pytest.mark.parametrize("options", INTEGRATORS)
def test_motion_of_several_inputs(options):
    check_motion(compile_scene(
        f'<pid joint="a" kp="9" kv="2" ki="3" input="pos vel ff" delay="{2.5 * DT}" nsample="4" interp="linear"/>'
        f'<motor joint="b" nsample="3"/><orientation joint="ball" kp="9" kv=".5" delay="{3.25 * DT}" nsample="5" '
        'interp="cubic"/>', options), STEPS, speed=1, ctrl_size=1.5)


@pytest.mark.parametrize("options", ["Euler", "RK4"])
def test_histories_come_and_go(options):
    """carom goes on where MuJoCo is after some steps, and says the same history afterwards."""
    model = compile_scene(
        f'<pid joint="a" kp="9" kv="2" input="pos vel ff" delay="{2.5 * DT}" nsample="4" interp="linear"/>'
        f'<motor joint="b"/><orientation joint="ball" kp="9" kv=".5" delay="{3.25 * DT}" nsample="5" interp="cubic" '
        f'input="quat"/><motor joint="b" delay="{1.75 * DT}" nsample="3" interp="linear"/>', options)
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    scene = carom.ModelBuilder()
    scene.replicate(carom.from_mujoco(model), 2)
    simulation = carom.Simulation(scene.finalize())
    convert = carom.mujoco
    for step in range(30):
        data.ctrl[:] = rng.uniform(-1, 1, model.nu)
        if step == 11:
            state = simulation.state
            state.joint_q.assign(np.tile(convert.qpos_to_joint_q(model, data.qpos), 2))
            state.joint_qd.assign(np.tile(convert.qvel_to_joint_qd(model, data.qpos, data.qvel), 2))
            state.ctrl_history.assign(np.tile(convert.history_from_mujoco(model, data.history, data.time), 2))
        if step >= 11:
            simulation.control.ctrl.assign(np.tile(convert.ctrl_from_mujoco(model, data.ctrl), 2))
            simulation.step()
        mujoco.mj_step(model, data)
    for q in np.array(simulation.state.joint_q.numpy()).reshape(2, -1):
        np.testing.assert_allclose(convert.joint_q_to_qpos(model, q), data.qpos, atol=1e-9)
    ours = convert.history_from_mujoco(model, data.history, data.time)
    np.testing.assert_allclose(np.array(simulation.state.ctrl_history.numpy()).reshape(2, -1), np.tile(ours, (2, 1)),
                               atol=1e-12)
    back = convert.history_to_mujoco(model, ours, data.time)
    np.testing.assert_allclose(convert.history_from_mujoco(model, back, data.time), ours, atol=1e-14)
    with pytest.raises(carom.Error, match="ctrl_history"):
        convert.history_to_mujoco(model, ours[:-1], data.time)


def slider(**numbers):
    """A mass of 2 kg on a slide, without gravity."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0))
    world.add_articulation([joint])
    world.add_actuator(joint, key="u", **numbers)
    return world


def make_simulation(world, worlds=1, dt=0.01):
    scene = carom.ModelBuilder()
    scene.replicate(world, worlds)
    return carom.Simulation(scene.finalize(), dt=dt)


def forces(simulation, controls):
    """What acted in each of these steps."""
    result, last = [], 0.0
    for ctrl in controls:
        simulation.control.ctrl.assign([ctrl])
        simulation.step(1)
        speed = float(simulation.state.joint_qd.numpy()[0])
        result.append((speed - last) / simulation.dt * 2)
        last = speed
    return result


def test_a_delay_of_whole_steps_shifts():
    controls = list(np.random.default_rng(3).normal(size=40))
    for steps in (1, 2, 7):
        simulation = make_simulation(slider(delay=0.01 * steps, delay_samples=steps + 2))
        np.testing.assert_allclose(forces(simulation, controls), [0.0] * steps + controls[:-steps], atol=1e-12)


def test_steps_need_not_be_equally_long():
    """A ramp in time, read linearly, is the ramp of so long ago, whatever the steps are."""
    solver_steps = np.random.default_rng(5).uniform(0.002, 0.01, 60)
    model = slider(delay=0.03, delay_samples=40, interpolation="linear").finalize()
    solver, state, control, time, last = carom.SolverMuJoCo(model), model.state(), model.control(), 0.0, 0.0
    for dt in solver_steps:
        control.ctrl.assign([time])
        solver.step(state, state, control, None, dt)
        speed = float(state.joint_qd.numpy()[0])
        if time > 0.05:
            assert (speed - last) / dt * 2 == pytest.approx(time - 0.03, abs=1e-12)
        last, time = speed, time + dt
    assert time > 0.2


def test_history_is_state():
    """Reset empties it, a snapshot keeps it, worlds are copied with it."""
    simulation = make_simulation(slider(delay=0.02, delay_samples=3), worlds=2)
    state, before = simulation.state, simulation.snapshot()
    simulation.control.ctrl.assign([1, 2]), simulation.step(1)
    np.testing.assert_allclose(state.ctrl_history.numpy(), [0.01, 0, 0, 1, 0, 0, 0.01, 0, 0, 2, 0, 0])
    after = simulation.snapshot()
    simulation.control.ctrl.assign([3, 4]), simulation.step(1)
    np.testing.assert_allclose(state.ctrl_history.numpy()[3:6], [3, 1, 0])
    simulation.restore(after)
    np.testing.assert_allclose(simulation.state.ctrl_history.numpy()[9:], [2, 0, 0])
    simulation.reset([True, False])
    np.testing.assert_allclose(simulation.state.ctrl_history.numpy(), [0] * 6 + [0.01, 0, 0, 2, 0, 0])
    simulation.restore(before)
    assert not simulation.state.ctrl_history.numpy().any()


def test_models_without_delay_have_no_history():
    assert len(make_simulation(slider()).state.ctrl_history.numpy()) == 0


def test_files_and_edits(tmp_path):
    model = slider(delay=0.02, delay_samples=3, interpolation="cubic").finalize()
    model.save(tmp_path / "delay.carom")
    loaded = carom.load(tmp_path / "delay.carom")
    assert loaded.actuator_delay[0] == 0.02 and loaded.actuator_interpolation[0] == 2
    assert loaded.ctrl_history_count == 6 and loaded.actuator_history_start.numpy().tolist() == [0, 6]
    simulation = carom.Simulation(loaded, dt=0.01)
    with loaded.edit():
        loaded.actuator_delay.numpy()[0] = 0.01
    np.testing.assert_allclose(forces(simulation, [1.0, 2.0, 3.0]), [0, 1, 2], atol=1e-12)
    plain = slider().finalize()
    with pytest.raises(carom.Error, match="actuator 0 'u'.*actuator_delay must stay 0 without delay_samples"):
        with plain.edit():
            plain.actuator_delay.numpy()[0] = 0.01


@pytest.mark.parametrize("arguments, words", [
    (dict(delay=-1, delay_samples=1), "delay must not be negative"),
    (dict(delay=0.1), "delay_samples is 0"),
    (dict(delay_samples=-1), "delay_samples must be 0 to"),
    (dict(delay=np.nan, delay_samples=1), "delay"),
    (dict(interpolation="none"), '"hold", "linear" or "cubic"'),
])
def test_bad_delays(arguments, words):
    with pytest.raises(carom.Error) as caught:
        slider(**arguments)
    assert words in str(caught.value)


def test_parts_of_a_large_world_have_their_own():
    """A hundred mechanisms in one world, which is taken apart, move as each of them alone."""
    model = compile_scene(
        f'<pid joint="a" kp="9" kv="2" ki="3" slewmax="9" input="pos vel ff" delay="{2.5 * DT}" nsample="4"/>'
        '<dcmotor joint="b" resistance="2" motorconst=".5" inductance=".03 0" lugre="2.1 .22 .23 .24 .25"/>'
        f'<orientation joint="ball" kp="9" kv=".5" delay="{3.25 * DT}" nsample="5" interp="cubic"/>')
    one, copies = carom.from_mujoco(model), 100
    apart, together = carom.ModelBuilder(), carom.ModelBuilder()
    apart.replicate(one, copies)
    together.begin_world()
    for i in range(copies):
        together.add_builder(one, key_prefix=f"{i}/")
    together.end_world()
    ctrl = np.random.default_rng(9).uniform(-1, 1, (40, copies * model.nu))
    states = []
    for scene in (apart, together):
        simulation = carom.Simulation(scene.finalize())
        for row in ctrl:
            simulation.control.ctrl.assign(row)
            assert not np.asarray(simulation.step()).any()
        states.append(simulation.state)
    for name in ("joint_q", "joint_qd", "act", "ctrl_history"):
        np.testing.assert_array_equal(getattr(states[0], name).numpy(), getattr(states[1], name).numpy(), name)
    assert np.ptp(states[0].joint_q.numpy()) > 0.1
