"""Dry friction, equality constraints, pulled tendons and carried weight, in every integrator and in cones of friction,
against MuJoCo in double precision: motions under random controls, of several worlds at once; and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion, make_simulation, solve_strictly
from mujoco_states import compile_xml, find_model, mujoco

STEPS, DT = 80, 0.005

BOX = '<geom type="box" size=".1 .2 .3" mass="2" contype="0" conaffinity="0"/>'
CROOKED = '<geom type="box" size=".1 .2 .3" pos=".2 .1 -.3" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
PLANE = '<geom type="plane" size="0 0 1"/>'
FREE = f'<body name="F" pos="1 0 0" euler="10 20 30"><freejoint/>{CROOKED}</body>'


def arm(number="", joint="", body=""):
    """Two branches; with attributes of their joints and of two of their bodies."""
    n = number
    return f"""<body name="A{n}" {body}><joint name="a{n}" axis="0 1 0" damping=".5" stiffness="3" ref="20" {joint}/>
      {CROOKED}
      <body name="B{n}" pos=".3 0 .1"><joint name="b{n}" axis="1 0 0" range="-20 20" {joint}/>{CROOKED}
        <site name="s{n}" pos=".1 .2 .3" euler="30 20 10"/>
        <body name="C{n}" pos="0 .3 0" {body}><joint name="c{n}" type="slide" axis="0 0 1" damping="1" stiffness="50"
          ref=".1" {joint}/>{BOX}</body></body>
      <body name="D{n}" pos="0 0 .5"><joint name="d{n}" axis="0 1 1" stiffness="20" {joint}/>{CROOKED}</body></body>"""


def tendons(attributes=""):
    """The second one runs over branches that M does not couple."""
    return f"""<fixed name="s" damping="2" stiffness="5" {attributes}><joint joint="a" coef="1.5"/>
        <joint joint="c" coef="-2"/></fixed>
      <fixed name="t" damping="1" {attributes}><joint joint="c" coef="1"/><joint joint="d" coef="2"/>
        <joint joint="b" coef=".5"/></fixed>"""


POLYNOMIAL = 'polycoef=".1 .5 .2 -.1 .05"'
TWO_ARMS = arm(0) + f'<body pos="0 1 0">{arm(1)}</body>'


def turning(joint, child=""):
    """A body on a free or ball joint, which may carry another one."""
    return f'<body pos="1 2 3" euler="10 20 30"><joint {joint}/>{CROOKED}{child}</body>'


BALL = f"""<body pos=".3 .2 .1"><joint type="ball" pos=".1 0 0" range="0 30" stiffness="3" frictionloss=".5"/>
  {CROOKED}</body>"""
# bodies, other sections of the file
SCENES = {
    "spring of a ball joint": (turning('type="ball" stiffness="30" damping=".2" armature=".3"'), {}),
    "limit of a ball joint": (turning('type="ball" range="0 20" margin=".05" solreflimit=".03 1"'), {}),
    "friction of a ball joint": (turning('type="ball" frictionloss="3"'), {}),
    "spring of a free joint": (turning('type="free" stiffness="30"'), {}),
    "damping of a free joint": (turning('type="free" damping=".7" armature=".4"'), {}),
    "friction of a free joint": (turning('type="free" frictionloss="3"'), {}),
    "all of free and ball joints": (
        turning('type="free" stiffness="30" damping="1" armature=".3" frictionloss="1"', BALL),
        {},
    ),
    "dry friction": (arm(joint='frictionloss="3"'), {}),
    "dry friction with numbers of its own": (
        arm(joint='frictionloss="3" solreffriction=".05 .5" solimpfriction=".5 .8 .1"'),
        {},
    ),
    "dry friction of tendons": (arm(), {"tendon": tendons('frictionloss="2" solreffriction=".05 1"')}),
    "joints": (
        arm(),
        {"equality": f'<joint joint1="a" joint2="d" {POLYNOMIAL}/><joint joint1="c" polycoef=".02" solref=".05 1"/>'},
    ),
    "joints, with dry friction": (
        arm(joint='frictionloss="3"'),
        {"equality": f'<joint joint1="b" joint2="d" {POLYNOMIAL} solimp=".5 .9 .1"/>'},
    ),
    "tendons": (
        arm(),
        {"tendon": tendons(), "equality": f'<tendon tendon1="s" tendon2="t" {POLYNOMIAL}/><tendon tendon1="t"/>'},
    ),
    "pulled tendons": (
        arm(),
        {
            "tendon": tendons(),
            "actuator": """<position tendon="s" kp="20" kv="4" gear="2"/><motor tendon="t" gear="3"/>
              <velocity joint="a" kv="2"/><general tendon="t" biastype="affine" gainprm="4" biasprm="1 -3 -2"
              forcerange="-2 2"/>""",
        },
    ),
    "carried weight": (arm(body='gravcomp=".7"'), {}),
    "connect in a tree": (arm(), {"equality": '<connect body1="C" body2="D" anchor=".1 .2 .3"/>'}),
    "connect to the world": (
        arm(),
        {"equality": '<connect body1="C" anchor=".1 .2 .3" solref=".05 1" solimp=".8 .9 .01"/>'},
    ),
    "connect trees": (TWO_ARMS, {"equality": '<connect body1="C0" body2="D1" anchor=".1 .2 .3"/>'}),
    "connect a free body": (arm() + FREE, {"equality": '<connect body1="F" body2="D" anchor=".1 .2 .3"/>'}),
    "connect sites": (TWO_ARMS, {"equality": '<connect site1="s0" site2="s1"/>'}),
    "weld in a tree": (arm(), {"equality": '<weld body1="C" body2="D" anchor=".1 .2 .3"/>'}),
    "weld to the world": (arm(), {"equality": '<weld body1="D" torquescale=".3"/>'}),
    "weld from the world": (FREE, {"equality": '<weld body1="world" body2="F" torquescale="3"/>'}),
    "weld at a pose": (
        arm() + FREE,
        {"equality": '<weld body1="F" body2="D" relpose=".1 .2 .3 .8 .6 0 0" torquescale="2"/>'},
    ),
    "weld sites": (TWO_ARMS, {"equality": '<weld site1="s0" site2="s1"/>'}),
    "switched off": (arm() + FREE, {"equality": '<weld body1="F" body2="D" active="false"/>'}),
    "sliding": (f'{PLANE}<body pos="0 0 .1"><freejoint/><geom size=".1" mass="2"/></body>', {}),
    "rolling": (
        f'{PLANE}<body pos="0 0 .1"><freejoint/><geom size=".1" mass="2" condim="6" friction="1 .1 .05"/></body>',
        {},
    ),
    "spinning": (
        f'{PLANE}<body pos="0 0 .1"><freejoint/><geom size=".1" mass="2" condim="4" friction="1 .1 .05"/></body>',
        {},
    ),
    # More rows than degrees of freedom, and fewer: solved in either space.
    "a box with an arm": (
        f'{PLANE}<body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/>'
        f'{arm(joint="""frictionloss="2" """)}</body>',
        {"equality": '<weld body1="C" body2="D" solref=".1 1"/>'},
    ),
}
OPTIONS = {
    "Euler": "",
    "implicitfast": 'integrator="implicitfast"',
    "implicit": 'integrator="implicit"',
    "RK4": 'integrator="RK4"',
    "discrete": 'integrator="discrete"',
    "discrete, cones": 'integrator="discrete" cone="elliptic" impratio="3"',
    "cones": 'cone="elliptic"',
    "cones, impratio 10": 'cone="elliptic" impratio="10" integrator="implicitfast"',
}


def compile_scene(scene, options):
    bodies, sections = SCENES[scene]
    option = f'timestep="{DT}" {OPTIONS[options]}'
    return compile_xml(bodies, option=option, **sections)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    check_motion(compile_scene(scene, options), STEPS, speed=2, ctrl_size=1)


@pytest.mark.parametrize("options", ["Euler", "implicitfast", "cones, impratio 10", "discrete", "discrete, cones"])
@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene != "connect sites"])
def test_motion_with_exact_diagonals(scene, options):
    """From a pose where nothing is singular: a row that nothing moves is as stiff as rounding makes it. MuJoCo's motion
    of the connected sites ends in infinity."""
    bodies, sections = SCENES[scene]
    option = f'timestep="{DT}" {OPTIONS[options]}'
    model = compile_xml(bodies, option=option, flags='diagexact="enable"', **sections)
    start = model.qpos0.copy()
    mujoco.mj_integratePos(model, start, np.random.default_rng(3).uniform(-1, 1, model.nv), 0.1)
    check_motion(model, STEPS, speed=2, ctrl_size=1, start=start)


def test_exact_diagonals_are_those_of_the_first_pose_there():
    """A limit of one hinge meets the same inertia wherever it is; that of an arm that folds does not."""
    def end(bodies, **flags):
        model = compile_xml(bodies, option=f'timestep="{DT}"', **flags)
        simulation = make_simulation(model, np.full((1, model.nv), 3.0))
        simulation.step(60)
        return np.array(simulation.state.joint_q.numpy())

    stopped = '<body><joint range="-20 20" limited="true" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/>{}</body>'
    folding = stopped.format('<body pos="1 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body>')
    exact = {"flags": 'diagexact="enable"'}
    assert np.abs(end(stopped.format("")) - end(stopped.format(""), **exact)).max() < 1e-12
    assert np.abs(end(folding) - end(folding, **exact)).max() > 1e-5


def test_an_equality_is_switched_on_and_off():
    """By an edit between two steps, as MuJoCo's eq_active."""
    model = compile_scene("weld at a pose", "Euler")
    solve_strictly(model)
    data = mujoco.MjData(model)
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(model))
    worlds = scene.finalize()
    solver = carom.SolverMuJoCo(worlds, tolerance=1e-14, iterations=200)
    simulation = carom.Simulation(worlds, solver)
    for step in range(90):
        if step % 30 == 0:
            on = step != 30
            data.eq_active[0] = on
            with worlds.edit() as numbers:
                numbers.equality_constraint_enabled.numpy()[0] = on
        mujoco.mj_step(model, data)
        simulation.step()
        assert (int(solver.reports().rows[0]) >= 6) == on
    qpos = carom.mujoco.joint_q_to_qpos(model, np.array(simulation.state.joint_q.numpy()))
    np.testing.assert_allclose(qpos, data.qpos, atol=1e-10)


# -- Closed forms


def one_slide(**numbers):
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_link(mass=2, inertia=np.eye(3))
    joint = world.add_joint_prismatic(-1, body, axis=(1, 0, 0), **numbers)
    world.add_articulation([joint])
    world.add_actuator(joint)
    return world


def simulate(world, **options):
    scene = carom.ModelBuilder()
    scene.add_world(world)
    return carom.Simulation(scene.finalize(), dt=0.001, **options)


@pytest.mark.parametrize("push, expected", [(2.9, 0.0), (-2.9, 0.0), (5.0, 1.0), (-5.0, -1.0)])
def test_dry_friction_holds_up_to_its_force(push, expected):
    """A mass of 2 kg with 3 N of friction creeps under 2.9 N, and moves with 2 N more at 1 m/s^2."""
    simulation = simulate(one_slide(friction=3))
    simulation.control.ctrl.assign([push])
    simulation.step(1000)
    assert float(simulation.state.joint_qdd.numpy()[0]) == pytest.approx(expected, abs=1e-9)
    # What friction lets creep: the speed at which B v, over the regularisation, is the force.
    if expected == 0:
        impedance, time = 0.9, 0.02
        inverse_mass = 1 / 2
        speed = push * (1 - impedance) / impedance * inverse_mass / (2 / (0.95 * time))
        assert float(simulation.state.joint_qd.numpy()[0]) == pytest.approx(speed, rel=1e-6)


def test_dry_friction_stops_what_slides():
    """From 1 m/s, 3 N stop 2 kg after v^2 m / (2 f) = 1/3 m, but for the last moment, in which it is soft."""
    simulation = simulate(one_slide(friction=3))
    simulation.state.joint_qd.assign([1.0])
    simulation.step(1500)
    assert float(simulation.state.joint_q.numpy()[0]) == pytest.approx(1 / 3, abs=1e-3)
    assert abs(float(simulation.state.joint_qd.numpy()[0])) < 1e-6


def test_gears_turn_in_their_ratio():
    """Two wheels, the second one turns -3 times as fast; a torque T on the first feels I1 + 9 I2."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    joints = []
    for inertia in (0.5, 0.2):
        wheel = world.add_link(mass=1, inertia=np.eye(3) * inertia)
        joints.append(world.add_joint_revolute(-1, wheel, axis=(0, 0, 1)))
        world.add_articulation([joints[-1]])
    hard = {"solref": (0.002, 1), "solimp": (0.999, 0.9999, 0.001, 0.5, 2)}
    world.add_equality_constraint_joint(joints[1], joints[0], (0, -3, 0, 0, 0), **hard)
    world.add_actuator(joints[0])
    simulation = simulate(world)
    simulation.control.ctrl.assign([4.6])
    simulation.step(1000)
    speed = simulation.state.joint_qd.numpy()
    assert float(speed[1] / speed[0]) == pytest.approx(-3, rel=1e-6)
    # the constraint is soft: it lags by a share of 1 - d of what it needs
    assert float(speed[0]) == pytest.approx(4.6 / (0.5 + 9 * 0.2), rel=2e-3)


def test_a_four_bar_closes():
    """A parallelogram of rods: the coupler keeps its orientation while the cranks turn."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    rod = np.eye(3) * 1e-2
    left, right, coupler = (world.add_link(mass=1, inertia=rod) for _ in range(3))
    joints = [
        world.add_joint_revolute(-1, left, axis=(0, 1, 0)),
        world.add_joint_revolute(left, coupler, axis=(0, 1, 0), parent_xform=(0, 0, 1, 0, 0, 0, 1)),
        world.add_joint_revolute(-1, right, axis=(0, 1, 0), parent_xform=(2, 0, 0, 0, 0, 0, 1)),
    ]
    world.add_articulation(joints[:2])
    world.add_articulation(joints[2:])
    world.add_equality_constraint_connect(coupler, right, anchor=(2, 0, 0), anchor2=(0, 0, 1))
    simulation = simulate(world)
    simulation.state.joint_qd.assign([1.0, -1.0, 1.0])
    simulation.step(1500)
    q = simulation.state.joint_q.numpy()
    assert abs(float(q[0])) > 1
    assert float(q[0] + q[1]) == pytest.approx(0, abs=1e-5)
    assert float(q[0]) == pytest.approx(float(q[2]), abs=1e-5)


def test_a_body_whose_weight_is_carried_floats():
    """And one of which half is carried falls with g / 2."""
    world = carom.ModelBuilder()
    for share in (1.0, 0.5):
        world.add_body(mass=2, inertia=np.eye(3), com=(0.1, 0.2, 0.3), gravcomp=share)
    simulation = simulate(world)
    simulation.step(100)
    speed = simulation.state.joint_qd.numpy().reshape(2, 6)
    np.testing.assert_allclose(speed, [[0] * 6, [0, 0, -9.81 / 2 * 0.1, 0, 0, 0]], atol=1e-12)


def slope(cone, angle, direction):
    """A flat box on a slope of this angle that rises in a horizontal direction; friction 0.5."""
    world = carom.ModelBuilder()
    down_slope = -np.sin(angle) * np.array([np.cos(direction), np.sin(direction)])
    world.gravity = tuple(9.81 * np.array([*down_slope, -np.cos(angle)]))
    world.options.cone = cone
    world.default_shape_cfg.mu = 0.5
    world.add_ground_plane()
    body = world.add_body(xform=(0, 0, 0.01, 0, 0, 0, 1))
    world.add_shape_box(body, 0.2, 0.2, 0.01)
    return simulate(world)


@pytest.mark.parametrize("degrees", [0, 30, 45])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_slopes_hold_up_to_the_angle_of_friction(cone, degrees):
    """A cone holds a box where tan(angle) < mu, whichever way it slopes. A pyramid, whose edges lie along the tangents,
    holds less between them: |t1| + |t2| < mu n."""
    direction = np.radians(degrees)
    along = abs(np.cos(direction)) + abs(np.sin(direction)) if cone == "pyramidal" else 1.0
    most = np.arctan(0.5 / along)
    for share, slides in ((0.95, False), (1.05, True)):
        simulation = slope(cone, share * most, direction)
        simulation.step(600)
        moved = float(np.linalg.norm(simulation.state.body_q.numpy()[0, :2]))
        assert (moved > 0.01) == slides, (share, moved)


def test_a_cone_slides_straight():
    """A box that slides in any direction keeps it and loses mu g; in a pyramid it turns towards an edge."""
    turned = {}
    for cone in ("pyramidal", "elliptic"):
        simulation = slope(cone, 0.0, 0.0)
        velocity = 2 * np.array([np.cos(0.3), np.sin(0.3)])
        simulation.step(200)  # comes to rest
        simulation.state.joint_qd.assign([*velocity, 0, 0, 0, 0])
        simulation.step(200)
        now = simulation.state.joint_qd.numpy()[:3]
        turned[cone] = abs(float(np.arctan2(now[1], now[0])) - 0.3)
        if cone == "elliptic":  # mu times the impulse of the normal forces
            assert float(np.linalg.norm(now[:2])) == pytest.approx(2 - 0.5 * (9.81 * 0.2 + now[2]), rel=1e-4)
    assert turned["elliptic"] < 1e-3
    assert turned["pyramidal"] > 0.02


def test_rk4_is_of_fourth_order():
    """Halving the step of a tumbling free body, a ball joint and a pendulum leaves a sixteenth of the error."""

    def end(steps):
        world = carom.ModelBuilder()
        world.options.integrator, world.options.timestep = "rk4", 0.4 / steps
        inertia = np.diag([0.1, 0.2, 0.25])
        world.add_body(mass=2, inertia=inertia, com=(0.1, 0.2, 0))
        ball = world.add_link(mass=1, inertia=inertia, com=(0, 0.1, -0.3))
        rod = world.add_link(mass=1, inertia=inertia, com=(0, 0, -0.3))
        joints = [
            world.add_joint_ball(-1, ball),
            world.add_joint_revolute(ball, rod, axis=(1, 0, 0), parent_xform=(0, 0, -0.5, 0, 0, 0, 1), damping=0.1),
        ]
        world.add_articulation(joints)
        scene = carom.ModelBuilder()
        scene.add_world(world)
        simulation = carom.Simulation(scene.finalize())
        simulation.state.joint_qd.assign([1, 2, 3, 5, -3, 4, 2, 3, -4, 5])
        simulation.step(steps)
        return np.array(simulation.state.joint_q.numpy())

    exact = end(640)
    errors = [np.abs(end(steps) - exact).max() for steps in (20, 40, 80)]
    for coarse, fine in zip(errors, errors[1:]):
        assert 12 < coarse / fine < 22, errors


@pytest.mark.parametrize("bodies", [1, 40], ids=["small", "taken apart into trees"])
def test_rk4_keeps_the_state_of_a_world_that_stops_being_finite(bodies):
    """As it was before the step, all of it; its neighbour goes on."""
    world = carom.ModelBuilder()
    world.options.integrator = "rk4"
    for i in range(bodies):
        world.add_body(mass=1, inertia=np.eye(3), xform=(i, 0, 5, 0, 0, 0, 1))
    scene = carom.ModelBuilder()
    scene.replicate(world, 2)
    simulation = carom.Simulation(scene.finalize(), dt=0.001)
    simulation.step(10)
    state = simulation.state

    def rows():
        return [np.array(column.numpy()).reshape(2, -1) for column in (state.joint_q, state.joint_qd)]

    before = rows()
    for bad in (np.nan, np.inf):
        force = np.zeros((2, 6 * bodies))
        force[1, 2] = bad
        simulation.control.joint_f.assign(force.reshape(-1))
        assert simulation.step(3).numpy().tolist() == [0, 2]
        for old, new in zip(before, rows()):
            np.testing.assert_array_equal(new[1], old[1])
            assert np.abs(new[0] - old[0]).max() > 0


def test_rk4_takes_no_contacts_from_outside():
    """It needs others at every stage, which Simulation finds."""
    world = one_slide()
    world.options.integrator = "rk4"
    scene = carom.ModelBuilder()
    scene.add_world(world)
    model = scene.finalize()
    solver, state = carom.SolverMuJoCo(model), model.state()
    with pytest.raises(carom.Error, match="RK4 finds contacts 4 times a step"):
        solver.step(state, state, model.control(), model.collide(state), 0.01)
    control = model.control()
    control.ctrl.assign([1.0])
    for _ in range(10):
        solver.step(state, state, control, None, 0.01)
    assert float(state.joint_q.numpy()[0]) == pytest.approx(0.5 * 0.5 * 0.1**2, rel=1e-12)


ROBOTS = ["unitree_go1", "kuka_iiwa_14"]


@pytest.mark.parametrize("robot", ROBOTS)
def test_robots_of_menagerie(robot):
    """0.4 s under random controls, as their files are: a quadruped with dry friction on the ground, in cones with
    impratio 100, and an arm. (Later the quadruped lies on its hips, where carom's cylinders touch in other points.)"""
    model = mujoco.MjModel.from_xml_path(str(find_model(f"menagerie/{robot}/scene.xml")))
    solve_strictly(model)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    simulation = make_simulation(model, np.zeros((1, model.nv)))
    simulation.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, data.qpos))
    rng, (lower, upper) = np.random.default_rng(1), model.actuator_ctrlrange.T
    touched = 0
    for step in range(200):
        if step % 50 == 0:
            data.ctrl[:] = np.clip(data.ctrl + rng.uniform(-0.1, 0.1, model.nu) * (upper - lower), lower, upper)
            simulation.control.ctrl.assign(data.ctrl)
        mujoco.mj_step(model, data)
        simulation.step()
        touched += data.ncon
    qpos = carom.mujoco.joint_q_to_qpos(model, np.array(simulation.state.joint_q.numpy()))
    np.testing.assert_allclose(qpos, data.qpos, atol=1e-9)
    assert (touched > 0) == (robot == "unitree_go1")
