"""The integrator discrete, whose springs, servos, dampers and rows act as they will at the end of a step: beside MuJoCo
in double precision, a dense solution and closed forms. What it does with each kind of actuator, constraint and fluid is
tested beside what the other integrators do."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion, make_simulation
from mujoco_states import compile_xml, mujoco

STEPS, DT = 80, 0.004

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
PLANE = '<geom type="plane" size="0 0 1" {}/>'


def ball(attributes, place=0.0):
    return (f'<body pos="{place} 0 .0985"><joint type="free" damping=".3" stiffness="5"/>'
            f'<geom size=".1" mass="1" {attributes}/></body>')


def balls(attributes):
    """One for each condim."""
    return "".join(ball(f'condim="{n}" friction=".6 .02 .01" {attributes}', n) for n in (1, 3, 4, 6))


# How hard contacts and limits are: with a time constant far below the step, and harder than rows may be.
REFERENCES = {
    "soft": 'solref=".03 .8"',
    "too fast": 'solref=".0005 .7"',
    "stiffness and damping": 'solref="-2e4 -80"',
    "harder than may be": 'solref="-1e9 -1e6" solimp=".99 .9999 .0001"',
    "hard and too fast": 'solref=".0005 1" solimp=".999 .9999 .0001"',
}
FLAGS = {"": "", "not safe": 'refsafe="disable"', "exact": 'diagexact="enable"'}
CONES = {"pyramidal": "", "elliptic": 'cone="elliptic" impratio="3"'}


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("reference", REFERENCES)
def test_motion_of_contacts(reference, flags, cone):
    numbers = REFERENCES[reference]
    model = compile_xml(PLANE.format(f'condim="1" friction=".1" {numbers}') + balls(numbers), flags=FLAGS[flags],
                        option=f'timestep="{DT}" integrator="discrete" {CONES[cone]}')
    check_motion(model, STEPS, speed=0.5, ctrl_size=0)


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("count", [1, 50])
def test_motion_of_contacts_beside_a_ball_joint(count, cone):
    """Which touch the slider that carries it, in the same block of degrees of freedom; and one each in a world that is
    taken apart."""
    def table(x):
        return (f'<body pos="{x} 0 .0985"><joint type="slide" axis="0 0 1" damping="2" stiffness="50"/><geom size=".1" '
                f'mass="1"/><body pos="0 0 .4"><joint type="ball" stiffness="9" damping=".1 .2 .3"/>{BOX}</body></body>'
                f'<body pos="{x} .5 .0985"><joint type="ball" pos="0 0 1" damping="3"/><geom size=".1" mass="1"/>'
                '</body>'
                f'<body pos="{x} .69 .0985"><freejoint/><geom size=".1" mass="1"/></body>')
    model = compile_xml(PLANE.format("") + "".join(map(table, range(count))),
                        option=f'timestep="{DT}" integrator="discrete" {CONES[cone]}')
    check_motion(model, 60 if count == 1 else 20, speed=0.5, ctrl_size=0)


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("reference", REFERENCES)
def test_motion_of_limits(reference, flags):
    """Of a hinge, a ball joint and a tendon; a servo holds what the tendon couples."""
    limit = REFERENCES[reference].replace("solref", "solreflimit").replace("solimp", "solimplimit")
    bodies = f"""<body><joint name="a" axis="0 1 0" range="-10 10" limited="true" stiffness="9 -3 7" {limit}/>{BOX}
      <body pos=".3 0 .1"><joint type="ball" range="0 15" limited="true" damping=".1 .2 .3" {limit}/>{BOX}</body>
      <body pos="-.3 0 .1"><joint name="b" axis="1 0 0" frictionloss=".2"/>{BOX}</body></body>"""
    tendon = (f'<fixed name="t" range="-.2 .2" stiffness="30" {limit}><joint joint="a" coef="1"/>'
              '<joint joint="b" coef="-1"/></fixed>')
    model = compile_xml(bodies, option=f'timestep="{DT}" integrator="discrete"', flags=FLAGS[flags],
                        tendon=tendon, actuator='<position tendon="t" kp="50" kv="2"/>')
    check_motion(model, STEPS, speed=2, ctrl_size=1)


# -- Against a dense solution: MuJoCo solves what is coupled, and has no rows, to 1e-7 only.

COUPLED = f"""<site name="wall" pos="0 0 2"/>
<body pos="0 0 1"><joint name="a" type="slide" axis="1 0 .3" damping="1 .5 .2" stiffness="10 -3 7"/>{BOX}
  <body pos=".3 0 0"><joint name="b" axis="0 1 .2" damping=".3 -2 0" stiffness="3 -20 0"/>{BOX}
    <body pos=".3 .1 0"><joint name="c" type="ball" damping=".2" stiffness="4 1 2"/>{BOX}<site name="hand"/></body>
    <body pos="-.3 .1 0"><joint axis="1 1 1"/>{BOX}<site name="foot"/></body></body></body>
<body pos="2 0 1"><joint type="free" damping=".4" stiffness="5 1 2"/>{BOX}<site name="kite" pos=".1 .1 .1"/></body>"""
TENDONS = """<spatial damping=".5" stiffness="20 3 1" springlength=".2 .3"><site site="wall"/><site site="hand"/>
</spatial>
<spatial damping=".5" stiffness="7"><site site="kite"/><site site="hand"/></spatial>
<spatial name="t" damping=".5 .2 0"><site site="foot"/><site site="hand"/></spatial>"""
ACTUATORS = """<position joint="a" kp="30" kv="2"/><position joint="b" kp="30" kv="2" forcerange="-.01 .01"/>
<pid tendon="t" gear="2" kp="5" kv="1"/><general joint="b" gaintype="affine" gainprm="1 -2 -3" biastype="affine"
  biasprm="0 4 5"/><general site="foot" refsite="hand" gear="1 2 3 0 0 0" gainprm="3" biastype="affine"
  biasprm="0 -3 -1"/><general site="kite" gear="1 2 3 4 5 6" biastype="affine" biasprm="0 0 -.3"/>"""


def dense(rows, row_start, counts, columns, width):
    out = np.zeros((len(counts), width))
    for i, (first, count) in enumerate(zip(row_start, counts)):
        out[i, columns[first:first + count]] = np.ravel(rows)[first:first + count]
    return out


def holding(a, poly, x):
    return max(0, a + 2 * poly[0] * x + 3 * poly[1] * x * x)


def accelerations(model, data, ctrl):
    """(M + h B + h^2 K)^-1 (f - h K v), from MuJoCo's numbers."""
    h, v, n = model.opt.timestep, data.qvel, model.nv
    M, K = np.zeros((n, n)), np.zeros(n)
    mujoco.mj_fullM(model, data, M)
    for j, kind in enumerate(model.jnt_type):
        q, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
        slope = (model.jnt_stiffness[j], model.jnt_stiffnesspoly[j])
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            K[d:d + 3] = holding(*slope, np.linalg.norm(data.qpos[q:q + 3] - model.qpos_spring[q:q + 3]))
            q, d = q + 3, d + 3
        if kind <= int(mujoco.mjtJoint.mjJNT_BALL):
            turn = np.zeros(3)
            mujoco.mju_subQuat(turn, data.qpos[q:q + 4], model.qpos_spring[q:q + 4])
            K[d:d + 3] = holding(*slope, np.linalg.norm(turn))
        else:
            K[d] = holding(*slope, data.qpos[q] - model.qpos_spring[q])
    B = [holding(model.dof_damping[i], model.dof_dampingpoly[i], abs(v[i])) for i in range(n)]
    S, push = np.diag(h * np.array(B) + h * h * K), -h * K * v

    def add(J, stiffness, damping):
        nonlocal S, push
        S = S + (h * h * stiffness + h * damping) * np.outer(J, J)
        push = push - h * stiffness * (J @ v) * J

    J = dense(data.ten_J, model.ten_J_rowadr, model.ten_J_rownnz, model.ten_J_colind, n)
    for i in range(model.ntendon):
        (low, high), length = model.tendon_lengthspring[i], data.ten_length[i]
        x = max(length - high, 0) - max(low - length, 0)
        add(J[i], holding(model.tendon_stiffness[i], model.tendon_stiffnesspoly[i], x) if x else 0,
            holding(model.tendon_damping[i], model.tendon_dampingpoly[i], abs(data.ten_velocity[i])))
    J = dense(data.actuator_moment, data.moment_rowadr, data.moment_rownnz, data.moment_colind, n)
    for i in range(model.nactuator):
        by_length, by_speed = model.actuator_biasprm[i, 1:3]
        if model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_AFFINE:
            by_length += model.actuator_gainprm[i, 1] * ctrl[i]
            by_speed += model.actuator_gainprm[i, 2] * ctrl[i]
        low, high = model.actuator_forcerange[i]
        if not model.actuator_forcelimited[i] or low < data.actuator_force[i] < high:
            add(J[i], max(0, -by_length), max(0, -by_speed))
    return np.linalg.solve(M + S, data.qfrc_smooth + push)


def test_what_is_coupled_is_solved_exactly():
    """Tendons and actuators between branches and trees."""
    model = compile_xml(COUPLED, option='timestep=".01" integrator="discrete"', tendon=TENDONS, actuator=ACTUATORS)
    rng, data = np.random.default_rng(1), mujoco.MjData(model)
    for _ in range(5):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.3)
        data.qvel[:], ctrl = rng.normal(size=model.nv), rng.normal(size=model.nu)
        data.ctrl[:] = ctrl
        mujoco.mj_forward(model, data)
        expected = data.qvel + 0.01 * accelerations(model, data, ctrl)
        simulation = make_simulation(model, data.qvel[None], data.qpos)
        simulation.control.ctrl.assign(ctrl)
        simulation.step()
        q, qd = (np.array(x.numpy())[None] for x in (simulation.state.joint_q, simulation.state.joint_qd))
        mujoco.mj_step(model, data)
        for velocity, size in ((expected, 1e-11), (data.qvel, 1e-6)):
            np.testing.assert_allclose(carom.mujoco.joint_qd_to_qvel(model, q, qd)[0], velocity, atol=size)


@pytest.mark.parametrize("flags", FLAGS)
def test_motion_of_what_is_coupled(flags):
    """With rows."""
    body = COUPLED.replace('name="a"', 'name="a" range="-.01 .01" limited="true" frictionloss=".2"')
    model = compile_xml(body, option=f'timestep="{DT}" integrator="discrete"', flags=FLAGS[flags], tendon=TENDONS,
                        actuator=ACTUATORS, equality='<joint joint1="a" joint2="b"/>')
    check_motion(model, STEPS, speed=1, ctrl_size=1)


# -- Closed forms.

def mass_on_a_spring(integrator, k=50.0, kp=0.0, kv=0.0):
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0), stiffness=k, damping=3)
    world.add_articulation([joint])
    world.add_actuator(joint, gain=kp, bias=(0, -kp, -kv))
    world.options.integrator, world.options.timestep = integrator, 0.01
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    return carom.Simulation(scene.finalize())


@pytest.mark.parametrize("kp, kv, expected", [(0, 0, 0.6142506142506142), (20, 4, 0.572941742898411)])
def test_one_step_of_a_mass_on_a_spring(kp, kv, expected):
    """v+ = v - h (K (q + h v) + B v) / (m + h B + h^2 K)"""
    simulation = mass_on_a_spring("discrete", kp=kp, kv=kv)
    simulation.state.joint_q.assign(np.full(3, 0.3))
    simulation.state.joint_qd.assign(np.full(3, 0.7))
    simulation.step()
    np.testing.assert_allclose(simulation.state.joint_qd.numpy(), expected, atol=1e-15)
    K, B = 50 + kp, 3 + kv
    assert expected == pytest.approx(0.7 - 0.01 * (K * 0.307 + B * 0.7) / (2 + 0.01 * B + 1e-4 * K), abs=1e-15)


def test_springs_of_any_stiffness_are_stable():
    """The end of the step is where they pull; Euler ends in infinity."""
    for integrator, finite in (("discrete", True), ("euler", False)):
        simulation = mass_on_a_spring(integrator, k=1e9)
        simulation.state.joint_qd.assign(np.ones(3))
        status = np.asarray(simulation.step(200))
        assert (not status.any()) == finite
    assert np.abs(mass_on_a_spring("discrete", k=1e9).state.joint_q.numpy()).max() < 1e-9


def test_a_row_acts_at_the_end_of_the_step():
    """A sphere of 1 kg, 1 mm deep at 0.1 m/s: with d = .95, B = 2 / (d .02 s) and K = 1 / (d .02 s)^2."""
    sphere = '<body pos="0 0 .099"><freejoint/><geom size=".1" mass="1" condim="1"/></body>'
    model = compile_xml(PLANE.format('condim="1"') + sphere, option='timestep=".002" integrator="discrete"')
    d, speed, depth, h = 0.95, -0.1, -0.001, 0.002
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(model))
    worlds = scene.finalize()
    state = worlds.state()
    state.joint_qd.assign([0, 0, speed, 0, 0, 0])
    rows = carom.SolverMuJoCo(worlds).forward(state, worlds.control(), worlds.collide(state), dt=h).rows
    B, K = 2 / (d * 0.02), 1 / (d * 0.02) ** 2
    s = 1 + h * B + h * h * K * d
    assert len(rows) == 1 and 1 / float(rows.D[0]) == pytest.approx((1 - d) / d / s, rel=1e-9)
    aref = -(B * speed + K * d * (depth + h * speed)) / s
    assert float(np.ravel(rows.reference.numpy())[0]) == pytest.approx(aref, rel=1e-9)


def test_depth_at_rest():
    """Is that of Euler."""
    depth = {}
    for name in ("Euler", "discrete"):
        model = compile_xml(PLANE.format("") + ball('condim="3"').replace(' damping=".3" stiffness="5"', ""),
                            option=f'timestep=".002" integrator="{name}"')
        simulation = make_simulation(model, np.zeros((1, 6)))
        simulation.step(2000)
        depth[name] = float(simulation.state.joint_q.numpy()[2])
    assert depth["Euler"] == pytest.approx(depth["discrete"], abs=1e-10)


# -- Edits and files.

def two_carts(stiffness):
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    joints = []
    for _ in range(2):
        body = world.add_link(mass=1, inertia=np.eye(3))
        joints.append(world.add_joint_prismatic(-1, body, axis=(1, 0, 0)))
        world.add_articulation(joints[-1:])
    world.add_tendon_fixed(list(zip(joints, (1.0, -1.0))), stiffness=stiffness)
    world.options.integrator, world.options.timestep = "discrete", 0.01
    scene = carom.ModelBuilder()
    scene.replicate(world, 3)
    return scene.finalize()


def moved_carts(model):
    simulation = carom.Simulation(model)
    simulation.state.joint_q.assign([0.1, -0.1] * 3)
    simulation.step(20)
    return np.array(simulation.state.joint_q.numpy())


def test_an_edit_couples_two_trees():
    """A tendon without a spring is not even in the plan."""
    model = two_carts(0)
    simulation = carom.Simulation(model)
    simulation.state.joint_q.assign([0.1, -0.1] * 3)
    simulation.step()
    with model.edit():
        model.tendon_stiffness.assign(np.full(3, 1e4))
    simulation.state.joint_q.assign([0.1, -0.1] * 3)
    simulation.state.joint_qd.assign(np.zeros(6))
    simulation.step(20)
    np.testing.assert_array_equal(simulation.state.joint_q.numpy(), moved_carts(two_carts(1e4)))


def test_it_is_kept_in_files(tmp_path):
    model = two_carts(1e4)
    model.save(tmp_path / "carts.carom")
    loaded = carom.load(tmp_path / "carts.carom")
    assert loaded.options.integrator == "discrete"
    np.testing.assert_array_equal(moved_carts(loaded), moved_carts(model))
