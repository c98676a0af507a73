"""Contact pairs with numbers of their own, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import check_motion
from mujoco_states import compile_xml

STEPS, DT = 100, 0.004

PLANE = '<geom name="floor" type="plane" size="0 0 1"/>'
BALL = '<body name="ball" pos="0 0 .099"><freejoint/><geom name="g" size=".1" mass="1" condim="3"/></body>'
UNSEEN = BALL.replace('condim="3"', 'contype="0" conaffinity="0"')
HINGED = """<body name="a" pos="0 0 1"><joint axis="0 1 0"/>
  <geom name="f" type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
  <body name="b" pos=".5 0 0"><joint axis="0 1 0"/>
    <geom name="g" type="capsule" fromto="-.1 -.2 .095 -.2 .2 .09" size=".05"/></body></body>"""
NUMBERS = 'friction=".3 .3 .02 .01 .01" solref=".05 .7" solimp=".8 .9 .01 .4 3"'


def pair(attributes, geoms='geom1="floor" geom2="g"'):
    return f"<pair {geoms} {attributes}/>"


# bodies, contacts
SCENES = {
    "one condim": (PLANE + BALL, pair('condim="1"')),
    "sliding": (PLANE + BALL, pair(f'condim="3" {NUMBERS}')),
    "spinning": (PLANE + BALL, pair(f'condim="4" {NUMBERS}')),
    "rolling": (PLANE + BALL, pair(f'condim="6" {NUMBERS}')),
    "masks of 0": (PLANE + UNSEEN, pair(f'condim="3" {NUMBERS}')),
    "excluded bodies": (PLANE + BALL, f'<exclude body1="world" body2="ball"/>{pair("")}'),
    "parent and child": (HINGED, pair(NUMBERS, 'geom1="f" geom2="g"')),
    "margin": (PLANE + BALL, pair('margin=".02" solref="-500 -10"')),
    "gap": (PLANE + BALL.replace("mass", 'margin=".01" gap=".02" mass'), pair('margin=".005" gap=".03"')),
    "one of two": (PLANE + BALL + BALL.replace("ball", "other").replace('"g"', '"h"').replace('"0 0', '"1 0'),
                   pair(NUMBERS)),
}
OPTIONS = {"pyramidal": "", "elliptic": 'cone="elliptic" impratio="3"'}


def compile_scene(scene, options="pyramidal"):
    bodies, contact = SCENES[scene]
    return compile_xml(bodies, option=f'timestep="{DT}" {OPTIONS[options]}', contact=contact)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, options):
    check_motion(compile_scene(scene, options), STEPS, speed=1, ctrl_size=0)


@pytest.mark.parametrize("scene", SCENES)
def test_pairs_matter(scene):
    """So that none of these scenes says nothing."""
    def end(ignored):
        model = compile_scene(scene)
        scene_of = carom.ModelBuilder()
        scene_of.add_world(carom.from_mujoco(model, ignore=["pair"] if ignored else []))
        simulation = carom.Simulation(scene_of.finalize())
        simulation.state.joint_qd.assign(np.full(model.nv, 0.5))
        simulation.step(60)
        return np.array(simulation.state.joint_q.numpy())

    with pytest.warns(UserWarning, match="pair"):
        without = end(True)
    assert np.abs(end(False) - without).max() > 1e-5


def test_a_pair_holds_on_a_slope_where_its_shapes_slide():
    """tan(20 degrees) = 0.36 is between the friction of the shapes, 0.1, and that of the pair, 0.6."""
    for friction, moves in ((None, True), (0.6, False)):
        tilt = np.radians(20)
        world = carom.ModelBuilder(gravity=(9.81 * np.sin(tilt), 0, -9.81 * np.cos(tilt)))
        slippery = carom.ShapeConfig(mu=0.1)
        floor = world.add_shape_plane(body=-1, cfg=slippery)
        body = world.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1))
        box = world.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=slippery)
        if friction is not None:
            world.add_contact_pair(floor, box, friction=(friction, friction, 0, 0, 0))
        scene = carom.ModelBuilder()
        scene.replicate(world, 3)
        simulation = carom.Simulation(scene.finalize(), dt=0.005)
        simulation.step(100)
        speeds = np.array(simulation.state.joint_qd.numpy()).reshape(3, 6)[:, 0]
        assert np.all(speeds > 0.5) if moves else np.all(np.abs(speeds) < 0.02)


def test_an_edit_of_a_pair_counts():
    """A model that is edited steps as one that was built so."""
    def simulation_of(friction):
        world = carom.ModelBuilder()
        floor = world.add_shape_plane(body=-1)
        ball = world.add_shape_sphere(world.add_body(xform=(0, 0, 0.099, 0, 0, 0, 1)), radius=0.1)
        world.add_contact_pair(floor, ball, friction=friction)
        scene = carom.ModelBuilder()
        scene.replicate(world, 2)
        model = scene.finalize()
        return model, carom.Simulation(model, dt=0.005)

    (model, edited), (_, built) = simulation_of((1, 1, 0, 0, 0)), simulation_of((0.05, 0.05, 0, 0, 0))
    for simulation in (edited, built):
        simulation.state.joint_qd.assign([1, 0, 0, 0, 0, 0] * 2)
    with model.edit():
        model.contact_pair_friction[:] = (0.05, 0.05, 0, 0, 0)
    for simulation in (edited, built):
        simulation.step(50)
    q = [np.array(simulation.state.joint_q.numpy()) for simulation in (edited, built)]
    assert q[0].tobytes() == q[1].tobytes()


@pytest.mark.parametrize("arguments, words", [
    (dict(shape_a=0, shape_b=0), "names shape 0 twice"),
    (dict(shape_a=0, shape_b=9), "shape 9 does not exist"),
    (dict(condim=2), "condim must be 1, 3, 4 or 6, is 2"),
    (dict(friction=(-1, 0, 0, 0, 0)), "friction must not be negative"),
    (dict(solref=(np.nan, 1)), "solref"),
    (dict(margin=np.inf), "margin"),
    (dict(shape_b=2), "touches no shapes"),
])
def test_bad_pairs(arguments, words):
    builder = carom.ModelBuilder()
    body = builder.add_body()
    builder.add_shape_plane(body=-1)
    builder.add_shape_sphere(body, radius=1)
    builder.add_site(body)
    with pytest.raises(carom.Error, match=words):
        builder.add_contact_pair(**{"shape_a": 0, "shape_b": 1, **arguments})
    assert builder.contact_pair_count == 0


def test_a_pair_is_given_once():
    """Also not the other way round."""
    builder = carom.ModelBuilder()
    shapes = [builder.add_shape_sphere(builder.add_body(), radius=1) for _ in range(2)]
    builder.add_contact_pair(*shapes, key="grip")
    with pytest.raises(carom.Error, match="contact_pair 0 'grip'; give each pair once"):
        builder.add_contact_pair(*reversed(shapes))


@pytest.mark.parametrize("column, value, words", [
    ("contact_pair_condim", 2, "contact_pair 0 'grip': contact_pair_condim must be 1, 3, 4 or 6, is 2"),
    ("tendon_point_divisor", 0, "tendon_point 2: tendon_point_divisor"),
    ("actuator_time", (-1, 0, 0), "actuator 0 'motor': actuator_time"),
    ("actuator_act_upper", -1e30, "actuator 0 'motor'.*actuator_act_upper"),
    ("contact_pair_shapes", (0, 0), "contact_pair_shapes is structure"),
])
def test_bad_edits(column, value, words):
    """They are refused by name, and nothing of them stays."""
    builder = carom.ModelBuilder()
    bodies = [builder.add_body() for _ in range(2)]
    builder.add_contact_pair(*(builder.add_shape_sphere(body, radius=1) for body in bodies), key="grip")
    point = carom.TendonPoint
    builder.add_tendon_spatial([point(0), point(1), point(type="pulley"), point(1), point(-1)])
    builder.add_actuator_tendon(0, dynamics="filter", key="motor")
    model = builder.finalize()
    before = np.array(getattr(model, column).numpy())
    with pytest.raises(carom.Error, match=words), model.edit():
        getattr(model, column)[2 if column.startswith("tendon") else 0] = value
    np.testing.assert_array_equal(getattr(model, column).numpy(), before)
