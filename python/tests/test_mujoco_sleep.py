"""Sleep, against MuJoCo in double precision: who sleeps, with whom, since when, and what wakes it."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import WORLDS, make_simulation, solve_strictly
from mujoco_states import FLOOR, compile_xml, mujoco

DT = 0.005
SLEEP = 'sleep="enable"'
INTEGRATORS = {"Euler": "", "implicitfast": 'integrator="implicitfast"', "implicit": 'integrator="implicit"'}

BALL = 'condim="6" friction="1 .05 .05"'
ARM = """
  <body pos="0 3 1"><joint type="ball" damping=".5"/><geom type="capsule" fromto="0 0 0 .1 0 -.4" size=".03"/>
    <body pos=".1 0 -.4"><joint axis="0 1 0" damping=".3" range="-40 10"/><joint axis="1 0 .5" damping=".3"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03"/></body></body>
  <body pos="0 4 0"><body pos="0 0 1"><joint axis="0 1 0" damping=".4" frictionloss=".05"/>
      <geom type="box" size=".02 .02 .3" pos="0 .2 -.3"/></body></body>
  <body pos="0 5 0"><body pos="0 0 1"><joint type="slide" axis="0 0 1" stiffness="90" damping="8"/>
      <geom size=".05"/></body></body>"""


def box(x, z, size=0.1, **attributes):
    given = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f'<body pos="{x} 0 {z}" {given}><freejoint/><geom type="box" size="{size} {size} {size}"/></body>'


def ball(x, z, density=1000):
    return f'<body pos="{x} 0 {z}"><freejoint/><geom size=".1" density="{density}" {BALL}/></body>'


def compiled(bodies, option="", flags=SLEEP, **sections):
    model = compile_xml(FLOOR + bodies, option=f'timestep="{DT}" {option}', flags=flags, **sections)
    solve_strictly(model)
    return model


class Pair:
    """One scene on both sides."""

    def __init__(self, model):
        self.model, self.data = model, mujoco.MjData(model)
        self.simulation = make_simulation(model, np.zeros((1, model.nv)))
        self.asleep = []  # trees that sleep, after each step

    def step(self, steps=1):
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
            assert not np.asarray(self.simulation.step()).any()
            self.check()
            self.asleep.append(int((self.data.tree_asleep >= 0).sum()))

    def check(self):
        state = self.simulation.state
        np.testing.assert_array_equal(trees(self.model, self.simulation), self.data.tree_asleep)
        qpos = carom.mujoco.joint_q_to_qpos(self.model, np.array(state.joint_q.numpy()))
        np.testing.assert_allclose(qpos, self.data.qpos, atol=1e-9)

    def set_velocity(self, dof, value):
        self.data.qvel[dof] = value
        joint_qd = carom.mujoco.qvel_to_joint_qd(self.model, self.data.qpos, self.data.qvel)
        self.simulation.state.joint_qd.assign(joint_qd)


def trees(model, simulation):
    return carom.mujoco.asleep_to_mujoco(model, np.array(simulation.state.body_asleep.numpy()))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_things_come_to_rest_and_are_hit(integrator):
    """A pile and a ball sleep; the ball is pushed and hits the pile; all sleep again."""
    pair = Pair(compiled(box(0, 0.0999) + box(0, 0.2998) + ball(-1, 0.15, density=4000), INTEGRATORS[integrator]))
    pair.step(300)
    assert pair.asleep[-1] == 3
    pair.set_velocity(12, 3)
    pair.step(50)
    assert pair.asleep[-1] == 2
    pair.step(500)
    assert 0 in pair.asleep[350:] and pair.asleep[-1] == 3


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_worlds_side_by_side(integrator):
    """Pushed differently, they sleep at different times; alone each has the same bits."""
    model = compiled(box(0, 0.12) + box(0, 0.33) + ball(-0.5, 0.12) + ARM, INTEGRATORS[integrator])
    velocities = np.zeros((WORLDS, model.nv))
    velocities[:, 12] = np.linspace(0, 4, WORLDS)
    velocities[:, 18:] = np.random.default_rng(3).uniform(-2, 2, (WORLDS, model.nv - 18))
    simulation, alone = (make_simulation(model, velocities, **queue) for queue in ({}, {"lanes": 1}))
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for data, velocity in zip(datas, velocities):
        data.qvel[:] = velocity
    seen = set()
    for _ in range(700):
        for data in datas:
            mujoco.mj_step(model, data)
        for one in (simulation, alone):
            assert not np.asarray(one.step()).any()
        expected = np.array([data.tree_asleep for data in datas])
        given = np.array(simulation.state.body_asleep.numpy()).reshape(WORLDS, -1)
        np.testing.assert_array_equal(carom.mujoco.asleep_to_mujoco(model, given), expected)
        np.testing.assert_array_equal(carom.mujoco.asleep_from_mujoco(model, expected), given)
        seen.add(tuple((expected >= 0).sum(axis=1)))
    assert len(seen) > 8
    q = np.array(simulation.state.joint_q.numpy())
    assert q.tobytes() == np.array(alone.state.joint_q.numpy()).tobytes()
    qpos = carom.mujoco.joint_q_to_qpos(model, q.reshape(WORLDS, -1))
    np.testing.assert_allclose(qpos, [data.qpos for data in datas], atol=1e-9)


def test_a_pile_in_a_large_world():
    """Sixty bodies fall, touch and sleep, a few at a time; then a heavy ball wakes some of them."""
    rng = np.random.default_rng(0)
    bodies = ball(0, 0.1, density=9000)
    for i in range(60):
        x, y, z = 0.4 * (i % 6), 0.4 * (i // 6 % 5) + 0.2, 0.15 + 0.25 * (i // 30)
        size = " ".join(f"{s:.3f}" for s in rng.uniform(0.05, 0.12, 3))
        bodies += f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{size}"/></body>'
    pair = Pair(compiled(bodies))
    pair.step(250)
    assert pair.asleep[-1] == 61 and len(set(pair.asleep)) > 6
    reports = pair.simulation.solver.reports()
    assert reports.rows[0] == reports.contacts[0] == pair.data.ncon == 0
    pair.set_velocity(1, 2)
    pair.step(40)
    assert 50 < pair.asleep[-1] < 61


@pytest.mark.parametrize("option, flags, body, sections", [
    ("", 'diagexact="enable"', "", {}),
    ('noslip_iterations="4"', "", "", {}),
    ('noslip_iterations="4" cone="elliptic"', 'diagexact="enable"', "", {}),
    ('cone="elliptic"', "", 'adhesion="2" gap=".005"', {}),
    ("", "", "", {"actuator": '<adhesion body="first" ctrlrange="0 9" gain="2"/>'}),
], ids=["exact diagonals", "no slip", "both", "adhesion", "actuator"])
def test_with_other_options(option, flags, body, sections):
    """Balls that touch fall asleep and are hit. One of them may sleep although something pulls at it."""
    first = ball(0, 0.0999).replace("<body", '<body name="first" sleep="allowed"')
    bodies = first + ball(0.1998, 0.0999) + ball(-0.5, 0.12, density=4000)
    pair = Pair(compiled(bodies.replace("<geom", f"<geom {body}"), option, f"{SLEEP} {flags}", **sections))
    if sections:
        pair.data.ctrl[:] = 3
        pair.simulation.control.ctrl.assign([3])
    pair.step(250)
    assert pair.asleep[-1] == 3
    pair.set_velocity(12, 4)
    pair.step(700)
    assert 0 in pair.asleep[250:] and pair.asleep[-1] == 3


def test_what_the_user_writes_wakes():
    """Forces on bodies and joints, coordinates and velocities, of one tree and all that sleep with it."""
    pair = Pair(compiled(box(0, 0.0999) + box(0, 0.2998) + box(2, 0.0999)))
    state, control = pair.simulation.state, pair.simulation.control
    pair.step(60)
    assert pair.asleep[-1] == 3
    pair.data.xfrc_applied[1, 2] = 20
    state.body_f.assign([[0, 0, 20, 0, 0, 0], [0] * 6, [0] * 6])
    pair.step(20)
    assert pair.asleep[-1] == 1
    pair.data.xfrc_applied[:] = 0
    state.clear_forces()
    pair.step(30)
    assert pair.asleep[-1] == 3
    pair.data.qfrc_applied[14] = 3
    control.joint_f.assign([0] * 14 + [3] + [0] * 3)
    pair.step(3)
    assert pair.asleep[-1] == 2
    pair.data.qfrc_applied[:] = 0
    control.joint_f.assign([0] * 18)
    pair.step(60)
    pair.data.qpos[7] += 0.01
    state.joint_q[7] += 0.01
    pair.step(3)
    assert pair.asleep[-1] == 1
    pair.step(60)
    pose = np.array(state.body_q.numpy())
    pose[2, 2] += 0.2
    state.body_q.assign(pose)
    pair.data.qpos[16] += 0.2
    pair.step(3)
    assert pair.asleep[-1] == 2
    pair.step(150)
    pair.set_velocity(0, 0.5)
    pair.step(2)
    assert pair.asleep[-1] == 1


def test_bodies_that_the_user_moves_wake():
    """What lies on a mocap body sleeps for a step at a time, as in MuJoCo."""
    moved = '<body mocap="true" pos="0 0 .1"><geom type="box" size=".2 .2 .1"/></body>'
    pair = Pair(compiled(moved + box(0, 0.2999) + box(2, 0.0999)))
    pair.step(60)
    assert sorted(set(pair.asleep[30:])) == [1, 2]


def test_trees_that_sleep_from_the_beginning_on():
    """In the air as on the floor, until something falls on them."""
    pair = Pair(compiled(box(0, 0.0999, sleep="init") + box(0, 0.2998, sleep="init") + box(2, 1, sleep="init")))
    pair.step(30)
    assert set(pair.asleep) == {3}
    pair = Pair(compiled(box(0, 0.0999, sleep="init") + box(0, 0.5) + box(2, 1, sleep="init")))
    pair.step(100)
    assert pair.asleep[0] == 2 and 1 in pair.asleep and pair.asleep[-1] == 3


def test_policies():
    """never; allowed, although a motor acts on it; motors and springs between trees keep it awake otherwise."""
    geom = '<geom size=".1" pos="0 0 -.2"/>'
    hinge = '<body pos="{0} 0 1" {1}><joint name="j{0}" axis="0 1 0" damping="1"/>' + geom + "</body>"
    policies = ["", 'sleep="allowed"', 'sleep="never"', "", "", "", ""]
    bodies = "".join(hinge.format(i + 1, policy) for i, policy in enumerate(policies))
    tendon = '<joint joint="j4" coef="1"/><joint joint="j5" coef="1"/>'
    sections = {
        "actuator": '<motor joint="j1"/><motor joint="j2"/>',
        "tendon": f'<fixed stiffness="1">{tendon}</fixed>',
        "equality": '<joint joint1="j6" joint2="j7"/>',
    }
    model = compiled(bodies, **sections)
    pair = Pair(model)
    pair.step(60)
    assert (pair.data.tree_asleep >= 0).tolist() == [False, True, False, False, False, True, True]
    assert model.tree_sleep_policy.tolist() == [1, 4, 3, 1, 1, 2, 2]
    worlds = carom.from_mujoco(model).finalize()
    with worlds.edit():  # and what carom finds out itself
        worlds.body_sleep.assign([0, 2, 1, 0, 0, 0, 0])
    simulation = carom.Simulation(worlds)
    simulation.step(60)
    np.testing.assert_array_equal(trees(model, simulation), pair.data.tree_asleep)


def test_trees_that_are_tied_sleep_together():
    hinge = '<joint damping="1" axis="0 1 0"/><geom size=".1" pos="0 0 .1"/>'
    bodies = box(0, 0.0999, name="a") + f'<body name="b" pos="1 0 1">{hinge}</body>'
    pair = Pair(compiled(bodies, equality='<connect body1="a" body2="b" anchor="1 0 1"/>'))
    pair.step(400)
    assert pair.asleep[-1] == 2 and pair.data.tree_asleep.tolist() == [1, 0]
    pair.set_velocity(0, 0.1)
    pair.step(2)
    assert pair.asleep[-1] == 0


# -- carom's own.


def test_trees_on_one_base_sleep_together():
    """Unlike in MuJoCo, where each of them sleeps on its own."""
    hinge = '<body pos="{0} 0 1"><joint axis="0 1 0" damping="{1}"/><geom size=".1" pos="0 0 -.2"/></body>'
    model = compiled(f"<body>{hinge.format(1, 1)}{hinge.format(2, 1)}</body>")
    simulation = make_simulation(model, np.array([[0, 1.0]]))
    seen = set()
    for _ in range(900):
        simulation.step()
        seen.add(tuple(trees(model, simulation) >= 0))
    assert seen == {(False, False), (True, True)}
    assert trees(model, simulation).tolist() == [1, 0]


def boxes(worlds=3, **options):
    """A box on the floor and one in the air, in each world."""
    world = carom.ModelBuilder()
    world.add_ground_plane()
    for x, z in ((0, 0.0999), (1, 0.3)):
        world.add_shape_box(world.add_body(xform=(x, 0, z, 0, 0, 0, 1)), hx=0.1, hy=0.1, hz=0.1)
    scene = carom.ModelBuilder()
    scene.options = carom.ModelOptions(sleep=True, timestep=DT, **options)
    scene.replicate(world, worlds)
    return scene


def asleep(state):
    return np.array(state.body_asleep.numpy()).tolist()


def test_what_sleeps_does_not_move():
    """Ten steps of rest, and the tenth does not move it; gravity does nothing then."""
    model = boxes().finalize()
    simulation = carom.Simulation(model)
    assert asleep(simulation.state) == [-11] * 6
    for step in range(9):
        simulation.step()
        assert asleep(simulation.state)[::2] == [-10 + step] * 3
    before = np.array(simulation.state.joint_q.numpy()).reshape(3, 2, 7)[:, 0]
    simulation.step()
    assert asleep(simulation.state)[::2] == [0] * 3
    simulation.step(100)
    state = simulation.state
    assert (np.array(state.joint_q.numpy()).reshape(3, 2, 7)[:, 0] == before).all()
    assert not np.array(state.joint_qd.numpy()).reshape(3, 2, 6)[:, 0].any()
    assert (np.array(state.body_q.numpy())[::2] == before).all()


def test_a_tolerance_of_its_own():
    """A box that slides at 0.5 m/s without friction sleeps where that is slow."""
    for tolerance, sleeps in ((0.4, False), (0.6, True)):
        world = carom.ModelBuilder(gravity=(0, 0, 0))
        world.options = carom.ModelOptions(sleep=True, sleep_tolerance=tolerance)
        world.add_body(mass=1, inertia=np.eye(3))
        simulation = carom.Simulation(world.finalize())
        simulation.state.joint_qd.assign([0.5, 0, 0, 0, 0, 0])
        simulation.step(10)
        assert (asleep(simulation.state)[0] >= 0) == sleeps
        assert simulation.state.joint_q.numpy()[0] == pytest.approx(0.5 * (9 if sleeps else 10) / 240)


def test_states_keep_it():
    """Reset, clones, copies of some worlds, views, snapshots; a step into another state."""
    model = boxes().finalize()
    simulation = carom.Simulation(model)
    simulation.step(20)
    state = simulation.state
    assert asleep(state)[::2] == [0, 0, 0]
    snapshot, copy = simulation.snapshot(), state.clone()
    simulation.reset([True, False, False])
    assert asleep(state)[:3] == [-11, -11, 0]
    assert asleep(copy)[:3:2] == [0, 0] and asleep(copy.world(1))[0] == 0
    assert asleep(copy.read_worlds([False, True, True]))[::2] == [0, 0]
    fresh = model.state()
    fresh.copy_worlds(copy, [False, False, True])
    assert asleep(fresh)[::2] == [-11, -11, 0]
    simulation.step(3)
    simulation.restore(snapshot)
    simulation.step(40)
    other = carom.Simulation(model)
    other.step(60)
    assert asleep(simulation.state) == asleep(other.state)
    assert np.array(simulation.state.joint_q.numpy()).tobytes() == np.array(other.state.joint_q.numpy()).tobytes()
    solver, out = carom.SolverMuJoCo(model), model.state()
    solver.step(copy, out, model.control(), carom.CollisionPipeline(model).collide(copy), DT)
    assert asleep(out)[::2] == [0, 0, 0]
    kept, now = (np.array(s.joint_q.numpy()).reshape(3, 2, 7) for s in (copy, out))
    assert (kept[:, 0] == now[:, 0]).all() and (kept[:, 1] != now[:, 1]).any()


def test_what_is_written_to_it():
    """Whoever is said to sleep with somebody who is awake, or nobody, is awake."""
    model = boxes(1).finalize()
    simulation = carom.Simulation(model)
    for value in ([0, -11], [1, 0], [0, 1], [1, -3], [7, 7], [-99, 1]):
        simulation.reset()
        simulation.state.body_asleep.assign(value)
        simulation.step()
        given = asleep(simulation.state)
        if value in ([1, 0], [0, 1]):
            assert given == value
        else:
            assert given[0] == (0 if value[0] == 0 else -10) and (given[1] == 1) == (value == [-99, 1]), value


def test_worlds_that_are_not_finite_keep_it():
    simulation = carom.Simulation(boxes().finalize())
    simulation.step(5)
    before = asleep(simulation.state)
    simulation.control.joint_f.assign(np.where(np.arange(36) == 18, np.nan, 0))
    assert (np.array(simulation.step().numpy()) != 0).tolist() == [False, True, False]
    after = asleep(simulation.state)
    assert after[2:4] == before[2:4] and after[0] == before[0] + 1


def test_models_without_it_have_no_array():
    world = carom.ModelBuilder()
    world.add_body(mass=1, inertia=np.eye(3), sleep="never")
    model = world.finalize()
    assert len(model.state().body_asleep) == 0 and model.body_sleep.numpy().tolist() == [1]


def test_save_and_load(tmp_path):
    scene = boxes(sleep_tolerance=0.02)
    scene.finalize().save(tmp_path / "boxes.carom")
    loaded = carom.load(tmp_path / "boxes.carom")
    assert loaded.options.sleep and loaded.options.sleep_tolerance == 0.02
    assert len(loaded.state().body_asleep) == 6


def test_edits():
    """The policy counts from the next step on."""
    model = boxes(1).finalize()
    simulation = carom.Simulation(model)
    simulation.step(20)
    assert asleep(simulation.state)[0] == 0
    with model.edit():
        model.body_sleep.assign([1, 0])
    simulation.step()
    assert asleep(simulation.state)[0] == -11
    with pytest.raises(carom.Error, match="body 0 .*body_sleep is 4; give 0"), model.edit():
        model.body_sleep[0] = 4


def test_bad_input():
    builder = carom.ModelBuilder()
    with pytest.raises(carom.Error, match="there is no sleep policy 'often'; use \"auto\", \"never\", \"allowed\""):
        builder.add_body(sleep="often")
    builder.options = carom.ModelOptions(sleep_tolerance=-1)
    with pytest.raises(carom.Error, match="options: sleep_tolerance must not be negative, is -1"):
        builder.finalize()
    with pytest.raises(carom.Error, match="sleep with RK4 is not supported"):
        carom.SolverMuJoCo(boxes(1, integrator="rk4").finalize())
    with pytest.raises(carom.Error, match="tree_asleep: the last axis must have 1 numbers"):
        carom.mujoco.asleep_from_mujoco(compiled(box(0, 1)), [0, 0])
    with pytest.raises(carom.Error, match="enabled flag sleep without islands"):
        carom.from_mujoco(compiled(box(0, 1), flags=f'{SLEEP} island="disable"'))
