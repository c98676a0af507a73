"""Spatial tendons against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion, make_simulation
from mujoco_states import compile_xml, mujoco

STEPS, DT = 120, 0.004

ROD = '<geom type="capsule" fromto="0 0 0 .5 0 0" size=".04" mass="1" contype="0" conaffinity="0"/>'
# Two rods that turn in a plane and out of it, in front of a post that stands still.
ARM = f"""<site name="wall" pos="-.2 .1 .4"/><site name="low" pos=".2 -.3 -.4"/>
<geom name="post" type="cylinder" size=".1 .3" pos=".1 0 .3" euler="90 10 0" contype="0" conaffinity="0"/>
<geom name="ball" type="sphere" size=".12" pos=".1 0 .35" contype="0" conaffinity="0"/>
<site name="above" pos=".1 0 .7"/><site name="below" pos=".1 .02 -.1"/><site name="within" pos=".1 0 .34"/>
<body><joint name="a" axis="0 1 0" damping=".1"/>{ROD}<site name="first" pos=".45 .03 .05"/>
  <geom name="knob" type="sphere" size=".05" pos=".5 0 .1" mass=".1" contype="0" conaffinity="0"/>
  <site name="hook" pos=".3 0 .1"/>
  <body pos=".5 0 0"><joint name="b" axis="0 1 .2" damping=".1"/>{ROD}<site name="last" pos=".4 .02 .1"/></body></body>
<body pos="0 1 0"><joint name="s" type="slide" axis="0 0 1"/>{ROD}<site name="away"/></body>"""


def spatial(*path, **attributes):
    numbers = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<spatial {numbers}>{''.join(path)}</spatial>"


def sites(*names):
    return "".join(f'<site site="{name}"/>' for name in names)


def around(geom, side=None):
    return f'<geom geom="{geom}"' + (f' sidesite="{side}"/>' if side else "/>")


PULLEY = '<pulley divisor="2"/>'
SPRING = {"stiffness": 40, "damping": 2, "springlength": ".2 .5"}
TENDONS = {
    "straight": (spatial(sites("wall", "first", "last"), **SPRING), ""),
    "on one body": (spatial(sites("first", "hook"), **SPRING), ""),
    "between trees": (spatial(sites("away", "last"), **SPRING), ""),
    "pulleys": (spatial(sites("wall", "first"), PULLEY, sites("first", "last"), '<pulley divisor="3"/>',
                        sites("low", "last", "first"), **SPRING), ""),
    "limits": (spatial(sites("wall", "first", "last"), range=".5 .9", limited="true", margin=".01"), ""),
    "friction": (spatial(sites("wall", "last"), frictionloss="2"), ""),
    "post": (spatial(sites("wall"), around("post"), sites("first"), **SPRING), ""),
    "post, above": (spatial(sites("wall"), around("post", "above"), sites("first"), **SPRING), ""),
    "post, below": (spatial(sites("wall"), around("post", "below"), sites("last"), **SPRING), ""),
    "ball": (spatial(sites("wall"), around("ball"), sites("first"), **SPRING), ""),
    "ball, above": (spatial(sites("low"), around("ball", "above"), sites("first"), **SPRING), ""),
    "ball, below": (spatial(sites("wall"), around("ball", "below"), sites("last"), **SPRING), ""),
    "post, inside": (spatial(sites("wall"), around("post", "within"), sites("last"), **SPRING), ""),
    "ball, inside": (spatial(sites("low"), around("ball", "within"), sites("first"), **SPRING), ""),
    "knob": (spatial(sites("hook"), around("knob"), sites("last", "low"), **SPRING), ""),
    "knob, with a pulley": (spatial(sites("hook"), around("knob"), sites("last"), PULLEY, sites("wall"),
                                    around("ball"), sites("first"), **SPRING), ""),
    "equal to a length": (spatial(sites("wall", "first"), name="t"), '<tendon tendon1="t"/>'),
    "equal to another": (spatial(sites("wall", "last"), name="t") + spatial(sites("low", "first"), name="u"),
                         '<tendon tendon1="t" tendon2="u" polycoef=".02 .7 .1"/>'),
    "equal to a fixed one": (spatial(sites("wall", "last"), name="t")
                             + '<fixed name="u"><joint joint="a" coef=".3"/></fixed>',
                             '<tendon tendon1="t" tendon2="u" polycoef="0 .5"/>'),
}


def compile_tendon(name, options="Euler"):
    tendon, equality = TENDONS[name]
    return compile_xml(ARM, option=f'timestep="{DT}" {INTEGRATORS[options]}', tendon=tendon, equality=equality)


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("name", TENDONS)
def test_motion(name, options):
    # Inside, MuJoCo looks for the point that is touched to an angle of 1e-6.
    check_motion(compile_tendon(name, options), STEPS, speed=3, ctrl_size=0, atol=1e-6 if "inside" in name else 1e-9)


@pytest.mark.parametrize("name", [name for name in TENDONS if "equal" not in name])
def test_tendons_pull(name):
    """So that none of these scenes says nothing; that within one body pulls at nothing."""
    def end(stiff):
        model = compile_tendon(name)
        if not stiff:
            model.tendon_stiffness[:] = model.tendon_damping[:] = model.tendon_frictionloss[:] = 0
            model.tendon_limited[:] = 0
        simulation = make_simulation(model, np.full((1, model.nv), 1.0))
        simulation.step(60)
        return np.array(simulation.state.joint_q.numpy())

    assert (np.abs(end(True) - end(False)).max() > 1e-5) == (name != "on one body")


def test_a_weight_on_a_pulley():
    """Two masses on one string over two fixed points."""
    m, M, k, g, h = 1.0, 3.0, 2000.0, 9.81, 1e-3
    world = carom.ModelBuilder()
    bodies = [world.add_link(mass=mass, inertia=np.eye(3)) for mass in (m, M)]
    for x, body in enumerate(bodies):
        joint = world.add_joint_prismatic(-1, body, parent_xform=(x, 0, 0, 0, 0, 0, 1), axis=(0, 0, 1), damping=20)
        world.add_articulation([joint])
    point = carom.TendonPoint
    up = (0, 0, 5, 0, 0, 0, 1)
    world.add_tendon_spatial(
        [point(bodies[0]), point(-1, up), point(-1, (1, 0, 5, 0, 0, 0, 1)), point(bodies[1])],
        stiffness=k, spring_lower=11, spring_upper=11,
    )
    scene = carom.ModelBuilder()
    scene.add_world(world)
    simulation = carom.Simulation(scene.finalize(), dt=h)
    simulation.step(3000)
    # What is left is the steady state of both with one tension: M sinks and m rises at the speed where damping holds.
    speed = (M - m) * g / 40
    np.testing.assert_allclose(simulation.state.joint_qd.numpy(), [speed, -speed], rtol=1e-6)


def test_length_round_a_cylinder():
    """From (-2, 0) over the top of a circle of radius 1 to (2, 0): two tangents of sqrt(3), and an arc of pi / 3."""
    force = np.zeros(2)
    expected = 2 * np.sqrt(3) + np.pi / 3
    for i, side in enumerate([(0, 0, 3), (0, 0, -3)]):
        world = carom.ModelBuilder(gravity=(0, 0, 0))
        body = world.add_link(mass=1, inertia=np.eye(3))
        joint = world.add_joint_prismatic(-1, body, parent_xform=(2, 0, 0, 0, 0, 0, 1), axis=(0, 0, 1))
        world.add_articulation([joint])
        point, half = carom.TendonPoint, np.sqrt(0.5)
        world.add_tendon_spatial(
            [point(-1, (-2, 0, 0, 0, 0, 0, 1)),
             point(-1, (0, 0, 0, half, 0, 0, half), type="cylinder", radius=1, side=(-1, side)), point(body)],
            stiffness=1, spring_lower=expected - 1, spring_upper=expected - 1,
        )
        scene = carom.ModelBuilder()
        scene.add_world(world)
        solver = carom.SolverMuJoCo(model := scene.finalize())
        result = solver.forward(model.state(), model.control(), None)
        force[i] = result.qacc.numpy()[0]
    # A unit of tension pulls the end towards the point where it touches, 30 degrees up or down.
    np.testing.assert_allclose(force, [0.5, -0.5], atol=1e-12)


@pytest.mark.parametrize("side", ["", "outside", "inside"])
@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
def test_random_wraps(shape, side):
    """From one point to another round a shape in 400 worlds, which differ in all three, against MuJoCo's forces: a
    spring pulls with what it is long, towards where the tendon touches. The points of a world are those of an edit."""
    count, radius = 400, 0.5
    sidesite = 'sidesite="side"' if side else ""
    model = compile_xml(
        f"""<body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
        <geom size=".1" mass="1" contype="0" conaffinity="0"/><site name="p"/></body>
        <body><joint axis="1 0 0"/><geom name="round" type="{shape}" size="{radius} 1" contype="0" conaffinity="0"/>
        <site name="q"/><site name="side" pos="1 0 0"/></body>""",
        option='gravity="0 0 0"',
        tendon=f'<spatial stiffness="1" springlength="0"><site site="p"/><geom geom="round" {sidesite}/>'
               '<site site="q"/></spatial>',
    )
    rng = np.random.default_rng(3)
    points = rng.uniform(-1.2, 1.2, (count, 3, 3))  # p, q, side
    if side == "inside":
        points[:, 2] *= 0.15
    else:  # also beside the axis of a cylinder, but beyond its radius from the centre
        points[:, 2] *= np.maximum(1, 1.2 * radius / np.linalg.norm(points[:, 2], axis=1))[:, None]
    scene = carom.ModelBuilder()
    scene.replicate(carom.from_mujoco(model), count)
    worlds = scene.finalize()
    with worlds.edit():
        xform = np.array(worlds.tendon_point_xform.numpy()).reshape(count, 3, 7)
        xform[:, 0, :3], xform[:, 2, :3] = points[:, 0], points[:, 1]
        worlds.tendon_point_xform[:] = xform.reshape(-1, 7)
        if side:
            of_side = np.array(worlds.tendon_point_side.numpy()).reshape(count, 3, 3)
            of_side[:, 1] = points[:, 2]
            worlds.tendon_point_side[:] = of_side.reshape(-1, 3)
    found = carom.SolverMuJoCo(worlds).forward(worlds.state(), worlds.control(), None).qacc_smooth.numpy()
    data, expected = mujoco.MjData(model), []
    names = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name) for name in ("p", "q", "side")]
    model.site_sameframe[:] = 0
    for row in points:
        model.site_pos[names] = row
        mujoco.mj_forward(model, data)
        expected.append(data.qacc_smooth.copy())
    # Inside, MuJoCo looks for the point that is touched to an angle of 1e-6.
    tolerance = 1e-4 if side == "inside" else 1e-9
    np.testing.assert_allclose(np.array(found).reshape(count, -1), expected, atol=tolerance * np.abs(expected).max())


def test_weights_at_the_initial_pose():
    """tendon_invweight0 scales the rows; a soft limit shows it, also of a free body that hangs off its centre."""
    hook = """<body pos=".1 0 -.3" euler="10 20 30"><freejoint/><geom type="box" size=".1 .2 .05" contype="0"/>
      <site name="h" pos=".1 .2 0"/></body>"""
    tendon = spatial(sites("wall", "h"), range="0 .3", limited="true")
    for model in (compile_tendon("limits"), compile_xml(ARM + hook, option=f'timestep="{DT}"', tendon=tendon)):
        model.tendon_solimp_lim[:] = (0.5, 0.5, 0.001, 0.5, 2)
        check_motion(model, 20, speed=3, ctrl_size=0)


@pytest.mark.parametrize("points, words", [
    ([], "no points"),
    ([dict()], "two points"),
    ([dict(), dict(type="sphere", radius=1)], "between two points"),
    ([dict(), dict(type="pulley"), dict()], "two points"),
    ([dict(type="pulley"), dict(), dict()], "between two pieces"),
    ([dict(), dict(type="sphere"), dict(type="cylinder"), dict()], "between two points"),
    ([dict(), dict(body=7)], "body 7"),
    ([dict(), dict(xform=(np.nan, 0, 0, 0, 0, 0, 1))], "xform"),
    ([dict(), dict(), dict(type="pulley", divisor=0), dict(), dict()], "divisor"),
    ([dict(), dict(type="sphere", radius=-1), dict()], "radius"),
])
def test_bad_paths(points, words):
    with pytest.raises(carom.Error, match=words):
        carom.ModelBuilder().add_tendon_spatial([carom.TendonPoint(**point) for point in points], key="string")


def test_unknown_type():
    with pytest.raises(carom.Error, match='"point", "sphere", "cylinder" or "pulley"'):
        carom.TendonPoint(type="cube")
