"""Forces of contacts by body, shape and pair of bodies, as arrays with a row for each world."""

import numpy as np
import pytest


def robot(carom):
    """A hull on two feet."""
    builder = carom.ModelBuilder()
    hull = builder.add_body(xform=(0, 0, 0.4, 0, 0, 0, 1), mass=4, inertia=np.eye(3) * 0.1, key="hull")
    for key, y in (("left_foot", 0.2), ("right_foot", -0.2)):
        builder.add_shape_sphere(hull, xform=(0, y, -0.3, 0, 0, 0, 1), radius=0.1, key=key,
                                 cfg=carom.ShapeConfig(density=0))
    builder.add_shape_box(hull, 0.1, 0.1, 0.1, key="trunk", cfg=carom.ShapeConfig(density=0))
    return builder


def standing(carom, worlds):
    scene = carom.ModelBuilder()
    scene.add_ground_plane()
    if worlds:
        scene.replicate(robot(carom), worlds)
    else:
        scene.add_builder(robot(carom))
    model = scene.finalize()
    sim = carom.Simulation(model, dt=0.002)
    sim.step(100)
    return model, sim


def test_feet_carry_the_weight(carom):
    model, sim = standing(carom, 3)
    shapes, bodies = carom.ContactForces(model, of="shapes"), carom.ContactForces(model)
    for forces in (shapes, bodies):
        forces.update(sim.contacts)
    force, count = shapes.force.numpy(), shapes.count.numpy()
    assert force.shape == (3, 4, 3) and count.shape == (3, 4)  # two feet, a trunk, the ground of all worlds
    left, right, trunk = (shapes.column(key) for key in ("left_foot", "right_foot", "trunk"))
    np.testing.assert_allclose(force[:, left, 2] + force[:, right, 2], 4 * 9.81, rtol=0.01)
    np.testing.assert_array_equal(count[:, [left, right, trunk]], [[1, 1, 0]] * 3)
    np.testing.assert_array_equal(force[:, trunk], 0)
    np.testing.assert_allclose(bodies.force.numpy()[:, bodies.column("hull")], -bodies.force.numpy()[:, -1], rtol=1e-5)
    assert (bodies.count.numpy() == 2).all()


def test_pairs_and_updates_in_place(carom):
    model, sim = standing(carom, 2)
    forces = carom.ContactForces(model, pairs=[(None, "hull"), ("hull", None)])
    seen = forces.force.numpy()
    assert seen.shape == (2, 2, 3) and not seen.any()
    forces.update(sim.contacts)
    assert (seen[:, 0, 2] > 30).all()  # the same memory
    np.testing.assert_array_equal(seen[:, 0], -seen[:, 1])
    sim.reset()
    forces.update(sim.contacts)
    np.testing.assert_array_equal(seen, 0)


def test_a_model_without_worlds_has_no_dimension_of_worlds(carom):
    model, sim = standing(carom, 0)
    forces = carom.ContactForces(model, of="shapes")
    forces.update(sim.contacts)
    assert forces.force.shape == (4, 3) and forces.count.shape == (4,)
    assert forces.count.numpy()[forces.column("left_foot")] == 1


def test_wrong_use_is_told_by_name(carom):
    model, sim = standing(carom, 2)
    with pytest.raises(carom.Error, match="use \"bodies\" or \"shapes\""):
        carom.ContactForces(model, of="joints")
    with pytest.raises(carom.Error, match="'hulk'"):
        carom.ContactForces(model, pairs=[("hulk", None)])
    with pytest.raises(carom.Error, match="contacts"):
        carom.ContactForces(model).update(standing(carom, 2)[1].contacts)
    with pytest.raises(carom.Error, match="'left_foot'"):
        carom.ContactForces(model).column("left_foot")


SLIDERS = """<mujoco><option gravity="1 0 -9" timestep="0.002"/>
  <worldbody><geom type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 .099"><freejoint/><geom size=".1"/></body>
    <body name="rod" pos="0 1 .099"><freejoint/><geom type="capsule" size=".1 .3" euler="0 90 0"/></body>
    <body name="rider" pos="0 1 .298"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <sensor>
    <contact body2="ball" data="found force" reduce="netforce"/>
    <contact body2="rod" data="found force" reduce="netforce"/>
    <contact body1="rod" body2="rider" data="found force" reduce="netforce"/>
  </sensor></mujoco>"""


def test_mujoco_feels_the_same(carom, real):
    """Netforce of MuJoCo's contact sensors: by body, and between two bodies."""
    mujoco = pytest.importorskip("mujoco")
    native = mujoco.MjModel.from_xml_string(SLIDERS)
    data = mujoco.MjData(native)
    model = carom.load_mjcf(SLIDERS)
    sim = carom.Simulation(model)
    bodies, pair = carom.ContactForces(model), carom.ContactForces(model, pairs=[("rod", "rider")])
    for _ in range(40):
        mujoco.mj_step(native, data, 5)
        sim.step(5)
        bodies.update(sim.contacts)
        pair.update(sim.contacts)
        ball, rod, rider = data.sensordata.reshape(3, 4)
        tolerance = 1e-6 if real is np.float64 else 1e-3  # of 36 N, the weight of the ball
        for felt, force, count in ((ball, bodies.force.numpy()[0, bodies.column("ball")], bodies.count.numpy()[0, 0]),
                                   (rod, bodies.force.numpy()[0, bodies.column("rod")], bodies.count.numpy()[0, 1]),
                                   (rider, pair.force.numpy()[0, 0], pair.count.numpy()[0, 0])):
            assert count == felt[0]
            np.testing.assert_allclose(force, felt[1:], atol=36 * tolerance)
    assert rider[0] == 1 and rider[3] > 1  # it still rides, so that all three were compared
