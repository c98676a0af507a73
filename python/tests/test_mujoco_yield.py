"""Springs that yield, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, WORLDS, make_simulation, solve_strictly
from mujoco_states import compile_xml, mujoco

STEPS, DT = 100, 0.005

OFF = 'contype="0" conaffinity="0"'
SCENE = f"""
  <site name="w"/>
  <body><joint name="a" type="slide" stiffness="10 2 3" springref=".05" springyield=".1"/><geom size=".1" {OFF}/></body>
  <body><joint name="b" stiffness="5" springyield="10" springref="20"/><geom size=".1" pos=".2 0 0" {OFF}/>
    <body pos=".3 0 0"><joint axis="0 1 0" stiffness="1" damping=".1"/><geom size=".1" pos=".2 0 0" {OFF}/></body>
  </body>
  <body><joint name="c" type="ball" stiffness="2 1 .5" springyield="15"/><geom size=".1" pos=".2 0 0" {OFF}/>
    <site name="s2" pos=".5 .2 0"/></body>
  <body pos="1 0 0"><joint name="e" type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0" springyield=".2"/>
    <geom size=".1" {OFF}/><site name="s"/></body>
  <body pos="2 0 0"><freejoint/><geom type="box" size=".1 .2 .3" {OFF}/><site name="f" pos=".1 .2 0"/></body>"""
TENDONS = """
  <spatial name="t" stiffness="7 1 0" springyield=".05" springlength=".9 1.05">
    <site site="w"/><site site="s"/></spatial>
  <spatial name="loose" stiffness="7" springyield=".05" springlength="0 1"><site site="w"/><site site="s"/></spatial>
  <spatial stiffness="7" damping=".3" springyield=".05"><site site="s2"/><site site="f"/></spatial>
  <spatial stiffness="3"><site site="w"/><site site="f"/></spatial>
  <fixed stiffness="3" springyield=".02"><joint joint="a" coef="1"/><joint joint="e" coef=".5"/></fixed>
  <fixed springyield=".02"><joint joint="b" coef="1"/></fixed>"""


def shifts(simulation):
    state = simulation.state
    return [np.array(array.numpy()) for array in (state.joint_spring_shift, state.tendon_spring_shift)]


def check_plastic_motion(model, steps=STEPS, speed=4):
    """As MuJoCo moves and yields, in every world; one world at a time has the same bits as all of them side by side."""
    solve_strictly(model)
    velocities = np.random.default_rng(7).uniform(-speed, speed, (WORLDS, model.nv))
    simulation, alone = make_simulation(model, velocities), make_simulation(model, velocities, lanes=1)
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for data, velocity in zip(datas, velocities):
        data.qvel[:] = velocity
    for _ in range(steps):
        for one in (simulation, alone):
            assert not np.asarray(one.step()).any()
        for data in datas:
            mujoco.mj_step(model, data)
    q = np.array(simulation.state.joint_q.numpy())
    assert q.tobytes() == np.array(alone.state.joint_q.numpy()).tobytes()
    assert [s.tobytes() for s in shifts(simulation)] == [s.tobytes() for s in shifts(alone)]
    qpos = carom.mujoco.joint_q_to_qpos(model, q.reshape(WORLDS, -1))
    np.testing.assert_allclose(qpos, [data.qpos for data in datas], atol=1e-9)
    joints, tendons = shifts(simulation)
    plastic = carom.mujoco.plastic_to_mujoco(model, joints.reshape(WORLDS, -1), tendons.reshape(WORLDS, -1, 2))
    expected = np.array([data.plastic for data in datas])
    assert (np.abs(expected - mujoco.MjData(model).plastic).max(axis=0) > 1e-3).sum() >= model.nplastic // 2
    for tendon in range(model.ntendon):  # signs of quaternions aside
        at = model.tendon_plasticadr[tendon]
        if at >= 0:
            np.testing.assert_allclose(plastic[:, at : at + 2], expected[:, at : at + 2], atol=1e-9)
    given = carom.mujoco.plastic_from_mujoco(model, expected)
    np.testing.assert_allclose(given[0], joints.reshape(WORLDS, -1), atol=1e-9)
    np.testing.assert_allclose(given[1], tendons.reshape(WORLDS, -1, 2), atol=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_motion(integrator):
    check_plastic_motion(compile_xml(SCENE, option=f'timestep="{DT}" {INTEGRATORS[integrator]}', tendon=TENDONS))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_motion_without_tendons(integrator):
    check_plastic_motion(compile_xml(SCENE, option=f'timestep="{DT}" {INTEGRATORS[integrator]}'), steps=60)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_motion_in_a_large_world(integrator):
    """Worlds of many degrees of freedom are taken apart."""
    geom = f'<geom size=".1" pos=".2 0 0" {OFF}/>'
    arm = '<body pos="{0} 0 0"><joint name="j{0}" stiffness="5" springyield="{1}"/>{2}</body>'
    bodies = "".join(arm.format(i, 5 + i % 3, geom) for i in range(200))
    pair = '<joint joint="j{0}" coef="1"/><joint joint="j{1}" coef="-1"/>'
    pairs = [pair.format(i, i + 1) for i in range(0, 200, 4)]
    tendons = "".join(f'<fixed stiffness="3" springyield=".1">{joints}</fixed>' for joints in pairs)
    model = compile_xml(bodies, option=f'timestep="{DT}" {INTEGRATORS[integrator]}', tendon=tendons)
    check_plastic_motion(model, steps=30)


def test_contacts_make_springs_yield():
    """A ball that is pressed into a sprung plate."""
    scene = """<body><joint type="slide" axis="0 0 1" stiffness="400" springyield=".02"/>
      <geom type="box" size="1 1 .1" mass="1"/></body>
      <body pos="0 0 1"><freejoint/><geom size=".2" mass="2"/></body>"""
    check_plastic_motion(compile_xml(scene, option='timestep=".002"'), steps=400, speed=0.1)


def test_without_springs_nothing_yields():
    model = compile_xml(SCENE, flags='spring="disable"', tendon=TENDONS)
    assert len(carom.from_mujoco(model).finalize().state().joint_spring_shift) == 0


def slider(worlds=3, dt=0.001, **spring):
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    world.add_articulation([world.add_joint_prismatic(-1, body, axis=(1, 0, 0), **spring)])
    scene = carom.ModelBuilder()
    scene.replicate(world, worlds)
    model = scene.finalize()
    return model, carom.Simulation(model, dt=dt)


def test_a_spring_that_yields_stays_stretched():
    """It is pulled by 0.7, gives way by 0.7 - 0.2, and swings about there."""
    _, simulation = slider(stiffness=100, spring_yield=0.2, spring_ref=0.1)
    simulation.state.joint_q.assign([0.8, 0.1, -0.6])
    simulation.step()
    np.testing.assert_allclose(simulation.state.joint_spring_shift.numpy(), [0.5, 0, -0.5], atol=1e-3)
    simulation.step(2000)
    np.testing.assert_allclose(simulation.state.joint_spring_shift.numpy(), [0.5, 0, -0.5], atol=1e-3)
    swing = []
    for _ in range(2000):
        simulation.step()
        swing.append(np.array(simulation.state.joint_q.numpy()))
    np.testing.assert_allclose(np.max(swing, axis=0), [0.8, 0.1, -0.2], atol=2e-3)
    np.testing.assert_allclose(np.min(swing, axis=0), [0.4, 0.1, -0.6], atol=2e-3)


def test_a_tendon_that_hangs_loose_only_gets_longer():
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0))
    world.add_articulation([joint])
    for lower, upper in ((0, 1), (0.5, 1)):
        world.add_tendon_fixed([(joint, 1.0)], stiffness=10, spring_yield=0.1, spring_lower=lower, spring_upper=upper)
    simulation = carom.Simulation(world.finalize(), dt=0.001)
    simulation.state.joint_q.assign([1.4])
    simulation.step()
    np.testing.assert_allclose(simulation.state.tendon_spring_shift.numpy(), [[0, 0.3], [0.3, 0.3]], atol=1e-4)


def test_states_keep_where_springs_are_relaxed():
    """Reset, copies of some worlds, views, and what is written."""
    model, simulation = slider(stiffness=100, spring_yield=0.2)
    state = simulation.state
    state.joint_q.assign([0.8, 0.8, 0.8])
    simulation.step()
    shift = np.array(state.joint_spring_shift.numpy())
    assert np.all(shift > 0.5)
    copy = state.clone()
    simulation.reset([True, False, False])
    np.testing.assert_array_equal(state.joint_spring_shift.numpy(), [0, *shift[1:]])
    np.testing.assert_array_equal(copy.joint_spring_shift.numpy(), shift)
    assert copy.world(1).joint_spring_shift.numpy().tolist() == [shift[1]]
    assert len(copy.read_worlds([False, True, True]).joint_spring_shift) == 2
    fresh = model.state()
    fresh.copy_worlds(copy, [False, False, True])
    np.testing.assert_array_equal(fresh.joint_spring_shift.numpy(), [0, 0, shift[2]])
    model.reset(fresh)
    fresh.joint_spring_shift.assign([0.1, 0, 0])  # the spring pulls from there
    state.assign(fresh)
    simulation.step()
    v = np.array(simulation.state.joint_qd.numpy())
    np.testing.assert_allclose(v, [100 * 0.1 / 2 * 0.001, 0, 0], atol=1e-12)


def test_worlds_that_are_not_finite_keep_them():
    _, simulation = slider(stiffness=100, spring_yield=0.2)
    simulation.state.joint_q.assign([0.8, 0.8, 0.8])
    simulation.step()
    before = np.array(simulation.state.joint_spring_shift.numpy())
    simulation.state.joint_q.assign([0.9, 0.9, 0.9])
    simulation.control.joint_f.assign([0, np.nan, 0])
    assert (np.array(simulation.step().numpy()) != 0).tolist() == [False, True, False]
    after = np.array(simulation.state.joint_spring_shift.numpy())
    assert after[1] == before[1] and after[0] > before[0] and after[2] > before[2]


def test_models_without_them_have_no_arrays():
    model, simulation = slider(stiffness=100)
    assert len(simulation.state.joint_spring_shift) == len(simulation.state.tendon_spring_shift) == 0
    assert len(simulation.state.world(0).joint_spring_shift) == 0
    with (
        pytest.raises(carom.Error, match="joint_dof 1 of joint 1 .*joint_spring_yield is 0.5, but no spring yielded"),
        model.edit(),
    ):
        model.joint_spring_yield[1] = 0.5


def test_edits():
    model, simulation = slider(stiffness=100, spring_yield=0.2)
    simulation.step()
    with model.edit():
        model.joint_spring_yield.assign([0, 0.3, 0.2])
    simulation.state.joint_q.assign([0.8, 0.8, 0.8])
    simulation.step()
    np.testing.assert_allclose(simulation.state.joint_spring_shift.numpy(), [0, 0.5, 0.6], atol=1e-3)


def test_save_and_load(tmp_path):
    model, _ = slider(stiffness=100, spring_yield=0.2)
    model.save(tmp_path / "slider.carom")
    loaded = carom.load(tmp_path / "slider.carom")
    np.testing.assert_array_equal(loaded.joint_spring_yield.numpy(), [0.2, 0.2, 0.2])
    assert len(loaded.state().joint_spring_shift) == 3


def test_bad_input():
    builder = carom.ModelBuilder()
    body = builder.add_link(mass=1, inertia=np.eye(3))
    with pytest.raises(carom.Error, match="joint 0 'j': spring_yield must not be negative"):
        builder.add_joint_revolute(-1, body, spring_yield=-1, key="j")
    with pytest.raises(carom.Error, match="joint 0 'j': springs of free joints do not yield"):
        builder.add_joint_free(body, spring_yield=1, key="j")
    joint = builder.add_joint_revolute(-1, body)
    with pytest.raises(carom.Error, match="tendon 0 't': spring_yield is nan"):
        builder.add_tendon_fixed([(joint, 1.0)], spring_yield=np.nan, key="t")


def test_yields_of_a_ball_joint_are_one():
    world = carom.ModelBuilder()
    body = world.add_link(mass=1, inertia=np.eye(3))
    world.add_articulation([world.add_joint_ball(-1, body, spring_yield=1, stiffness=1, key="j")])
    model = world.finalize()
    with model.edit():
        model.joint_spring_yield[1] = 2
    with pytest.raises(carom.Error, match="springs, .* that differ between the axes .*joint 'j'"):
        carom.SolverMuJoCo(model)
