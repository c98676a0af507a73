"""Shapes that a fluid pushes as ellipsoids, against MuJoCo in double precision, and closed forms."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, check_motion
from mujoco_states import compile_xml

STEPS, DT = 100, 0.004

OFF = 'contype="0" conaffinity="0" fluidshape="ellipsoid"'
BOX = f'<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" {OFF}/>'
ROD = f'<geom type="capsule" size=".1 .3" euler="40 20 0" mass="1" fluidcoef=".4 .3 1.2 .9 .8" {OFF}/>'
EGG = f'<geom type="ellipsoid" size=".3 .2 .1" pos="0 .1 0" mass="1" {OFF}/>'
CAN = f'<geom type="cylinder" size=".1 .2" pos=".1 0 .1" euler="0 50 0" mass=".5" {OFF}/>'
BALL = f'<geom size=".2" mass="1" {OFF}/>'
BRICK = '<geom type="box" size=".1 .2 .3" mass="2" contype="0" conaffinity="0"/>'  # not one of them
SCENES = {
    "free": f"<body><freejoint/>{BOX}</body>",
    "free, several": f"<body><freejoint/>{BOX}{ROD}{BRICK}</body>",
    "free, with a fixed body": f'<body><freejoint/>{EGG}<body pos=".3 .1 0">{ROD}</body></body>',
    "ball": f"<body><freejoint/>{BALL}</body>",
    "arm": f"""<body><joint axis="0 1 0" damping=".1"/>{CAN}<body pos=".3 0 0"><joint type="ball"/>{EGG}{ROD}
      <body pos="0 .2 0">{BRICK}</body></body></body>""",
    "carries": f'<body><freejoint/>{EGG}<body pos=".3 .1 0"><joint axis="0 1 1"/>{CAN}</body></body>',
    "slides": f'<body><joint type="slide" axis="1 0 1"/><joint type="slide" axis="0 1 0"/>{ROD}</body>',
    "massless": f"""<body><joint axis="1 0 0"/>{BALL}<body pos=".1 0 0"><joint armature="1"/>
      <geom size=".1" mass="0" {OFF}/><body pos=".3 0 0">{BRICK}</body></body></body>""",
}
FLUIDS = {
    "water": 'density="300" viscosity=".0009"',
    "honey": 'viscosity="5"',
    "wind": 'density="1.2" viscosity=".00002" wind="10 -3 4"',
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("fluid", FLUIDS)
@pytest.mark.parametrize("scene", SCENES)
def test_motion(scene, fluid, integrator):
    option = f'timestep="{DT}" {FLUIDS[fluid]} {INTEGRATORS[integrator]}'
    check_motion(compile_xml(SCENES[scene], option=option), STEPS, speed=3, ctrl_size=0)


def test_motion_of_a_mesh():
    """Its ellipsoid is as large as its bounds; MuJoCo keeps vertices in single precision."""
    vertices = "0 0 0  1 0 0  0 .5 0  0 0 .3  .8 .4 .3"
    assets = f'<mesh name="m" vertex="{vertices}"/>'
    body = f'<body><freejoint/><geom type="mesh" mesh="m" mass="3" {OFF}/></body>'
    model = compile_xml(body, option=f'timestep="{DT}" density="20" integrator="implicitfast"', asset=assets)
    check_motion(model, STEPS, speed=3, ctrl_size=0, atol=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_motion_in_a_large_world(integrator):
    """Worlds of many degrees of freedom are taken apart; bodies of one structure have other shapes, or more."""
    shapes = [BOX, ROD + EGG, BRICK, EGG + BOX + CAN, BALL]
    bodies = "".join(f'<body pos="{i} 0 0"><freejoint/>{shapes[i % 5]}</body>' for i in range(35))
    option = f'timestep="{DT}" density="300" viscosity=".1" {INTEGRATORS[integrator]}'
    check_motion(compile_xml(bodies, option=option), 20, speed=3, ctrl_size=0)


@pytest.mark.parametrize("flags", ['spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"'])
def test_flags(flags):
    """The fluid goes with springs and dampers, when both are disabled."""
    check_motion(compile_xml(SCENES["free"], option='timestep=".004" density="300"', flags=flags), 50, 3, 0)


def in_fluid(builder, density=0.0, viscosity=0.0, wind=(0, 0, 0), dt=0.001, worlds=1):
    builder.options.density, builder.options.viscosity, builder.options.wind = density, viscosity, wind
    scene = carom.ModelBuilder()
    scene.replicate(builder, worlds)
    return carom.Simulation(scene.finalize(), dt=dt)


def ball(radius=0.5, mass=40.0, gravity=(0, 0, -9.81), **cfg):
    world = carom.ModelBuilder(gravity=gravity)
    body = world.add_body(mass=mass, inertia=np.eye(3) * 0.4 * mass * radius**2)
    world.add_shape_sphere(body, radius, cfg=carom.ShapeConfig(density=0, fluid_ellipsoid=True, **cfg))
    return world


def test_terminal_velocity():
    """Blunt drag, coefficient density pi r^2 v^2, carries the weight: nothing of a ball is slender."""
    radius, mass, density, blunt = 0.5, 40.0, 100.0, 0.45
    simulation = in_fluid(ball(radius, mass, fluid_coef=(blunt, 7, 0, 1, 1)), density)
    simulation.step(5000)
    expected = -np.sqrt(mass * 9.81 / (blunt * density * np.pi * radius**2))
    np.testing.assert_allclose(simulation.state.joint_qd.numpy()[2], expected, rtol=1e-9)


def test_terminal_velocity_in_honey():
    """Stokes: 6 pi r viscosity v."""
    radius, mass, viscosity = 0.5, 4.0, 8.0
    simulation = in_fluid(ball(radius, mass), viscosity=viscosity)
    simulation.step(4000)
    expected = -mass * 9.81 / (6 * np.pi * radius * viscosity)
    np.testing.assert_allclose(simulation.state.joint_qd.numpy()[2], expected, rtol=1e-9)


def test_a_spinning_ball_curves():
    """Magnus: it is pushed by magnus density volume w x v, and goes in a circle where nothing brakes it. What moves
    along with it, half of what it pushes away, turns it back: p x w with p = density volume v / 2."""
    radius, mass, density, magnus, rate, speed = 0.1, 2.0, 50.0, 1.3, 4.0, 3.0
    world = ball(radius, mass, gravity=(0, 0, 0), fluid_coef=(0, 0, 0, 0, magnus))
    simulation = in_fluid(world, density, dt=1e-5)
    simulation.state.joint_qd.assign([speed, 0, 0, 0, 0, rate])
    simulation.step(10_000)
    volume = 4 / 3 * np.pi * radius**3
    turn = 0.1 * (magnus - 0.5) * density * volume / mass * rate
    v = np.array(simulation.state.joint_qd.numpy())
    np.testing.assert_allclose(v[:3], [speed * np.cos(turn), speed * np.sin(turn), 0], rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(v[3:], [0, 0, rate], rtol=1e-12)


@pytest.mark.parametrize("angle", [0.1, -0.2])
def test_a_plate_is_lifted(angle):
    """Kutta: a thin plate that meets the wind at an angle is pushed across it, to the side that it turns away from."""
    world = carom.ModelBuilder(gravity=(0, 0, 0))
    body = world.add_body(mass=1, inertia=np.eye(3))
    pose = (0, 0, 0, 0, np.sin(angle / 2), 0, np.cos(angle / 2))  # about y: the leading edge goes down
    cfg = carom.ShapeConfig(density=0, fluid_ellipsoid=True, fluid_coef=(0, 0, 0, 1, 0))
    world.add_shape_ellipsoid(body, 1, 1, 0.01, xform=pose, cfg=cfg)
    simulation = in_fluid(world, 1.2, wind=(-5, 0, 0))
    simulation.step()
    force = np.array(simulation.state.joint_qd.numpy())[:3] / 0.001
    assert force[2] * angle < 0 and abs(force[0]) < 1e-9 * abs(force[2]) and force[1] == 0


def test_wind_alone_pushes():
    """Against the fluid, not against the world."""
    moving = in_fluid(ball(gravity=(0, 0, 0)), density=10)
    moving.state.joint_qd.assign([3, 1, 0, 0, 0, 2])
    moving.step(20)
    blown = in_fluid(ball(gravity=(0, 0, 0)), density=10, wind=(-3, -1, 0))
    blown.state.joint_qd.assign([0, 0, 0, 0, 0, 2])
    blown.step(20)
    rest = np.array([3, 1, 0, 0, 0, 0])
    np.testing.assert_allclose(moving.state.joint_qd.numpy() - rest, blown.state.joint_qd.numpy(), atol=1e-12)


def test_edits_of_one_world():
    """Size, coefficients and pose of a shape of one world among others: it moves as one that was built so."""
    first = {"size": (0.1, 0.2, 0.3), "coef": (0.5, 0.25, 1.5, 1, 1), "pose": (0, 0, 0, 0, 0, 0, 1)}
    second = {"size": (0.3, 0.1, 0.2), "coef": (0.1, 0.2, 0.3, 0.4, 0.5), "pose": (0.2, 0, 0, 0, 0.6, 0, 0.8)}

    def make(shapes):
        scene = carom.ModelBuilder(gravity=(0, 0, 0))
        scene.options.density = 300
        scene.options.integrator = "implicitfast"
        for shape in shapes:
            world = carom.ModelBuilder(gravity=(0, 0, 0))
            world.options = scene.options
            body = world.add_body(mass=2, inertia=np.diag([0.1, 0.12, 0.08]))
            cfg = carom.ShapeConfig(density=0, fluid_ellipsoid=True, fluid_coef=shape["coef"])
            world.add_shape_box(body, *shape["size"], xform=shape["pose"], cfg=cfg)
            scene.add_world(world)
        model = scene.finalize()
        simulation = carom.Simulation(model, dt=DT)
        simulation.state.joint_qd.assign(np.tile([1, -2, 0.5, 0.3, 2, -1], len(shapes)))
        return model, simulation

    model, edited = make([first] * 5)
    built, same = make([first, first, second, first, first])[1], make([first] * 5)[1]
    start = edited.state.clone()
    edited.step()
    edited.state.assign(start)
    with model.edit():
        model.shape_scale[2] = second["size"]
        model.shape_fluid_coef[2] = second["coef"]
        model.shape_transform[2] = second["pose"]
    for simulation in (edited, built, same):
        simulation.step(20)
    q, expected, others = (np.array(s.state.joint_q.numpy()).reshape(5, -1) for s in (edited, built, same))
    assert q.tobytes() == expected.tobytes()
    assert np.delete(q, 2, 0).tobytes() == np.delete(others, 2, 0).tobytes()
    assert np.abs(q[2] - others[2]).max() > 1e-3


def test_save_and_load(tmp_path):
    world = ball(fluid_coef=(0.4, 0.3, 0.2, 0.1, 0.7))
    world.options.density = 30
    built = world.finalize()
    built.save(tmp_path / "ball.carom")
    loaded = carom.load(tmp_path / "ball.carom")
    assert loaded.shape_fluid_ellipsoid.numpy().tolist() == [1]
    np.testing.assert_array_equal(loaded.shape_fluid_coef.numpy(), built.shape_fluid_coef.numpy())


def test_bad_input():
    builder = carom.ModelBuilder()
    body = builder.add_body(mass=1, inertia=np.eye(3))
    bad = carom.ShapeConfig(fluid_ellipsoid=True)
    with pytest.raises(carom.Error, match="plane shape 0 'p': a fluid cannot push it as an ellipsoid"):
        builder.add_shape_plane(body=body, cfg=bad, key="p")
    with pytest.raises(carom.Error, match=r"sphere shape 0 's': fluid_coef\[1\] is nan"):
        builder.add_shape_sphere(body, 1, cfg=carom.ShapeConfig(fluid_coef=(1, np.nan, 0, 0, 0)), key="s")


def test_ignored():
    model = compile_xml(SCENES["free"], option='density="300"')
    with pytest.warns(UserWarning, match="fluid with density 300"):
        built = carom.from_mujoco(model, ignore=["fluid"]).finalize()
    assert built.options.density == 0
