"""Impulses on the engine's contacts from Python, and the flight of the quadrotor in the docs."""

import gc
import importlib.util
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def two_spheres(carom, worlds: int = 1, restitution: float = 1.0):
    cfg = carom.ShapeConfig(density=0, mu=0, restitution=restitution)
    builder = carom.ModelBuilder()
    for _ in range(worlds):
        builder.begin_world()
        for x in (0, 0.99):
            body = builder.add_link(xform=(x, 0, 0, 0, 0, 0, 1), mass=1, inertia=np.eye(3) * 0.1)
            builder.add_shape_sphere(body, radius=0.5, cfg=cfg)
        builder.end_world()
    return builder.finalize()


def test_equal_spheres_swap_velocities_in_every_world(carom):
    """Shape 1 gets the impulse, state_in stays as it was, and state_out may be the same state."""
    model = two_spheres(carom, worlds=5)
    before, after = model.state(), model.state()
    before.body_qd.numpy()[::2, 0] = 1
    before.body_qd.numpy()[1::2, 0] = -1
    contacts = model.collide(before)
    impulse = carom.resolve_impulses(model, before, after, contacts)
    np.testing.assert_allclose(impulse.numpy()[:5], [(2, 0, 0)] * 5, atol=1e-6)
    np.testing.assert_allclose(after.body_qd.numpy()[:, 0], -before.body_qd.numpy()[:, 0], atol=1e-6)
    resolver = carom.ImpulseResolver(model)
    resolver.resolve(before, before, contacts)
    np.testing.assert_array_equal(before.body_qd.numpy(), after.body_qd.numpy())
    assert not resolver.status.numpy().any()


def test_config(carom):
    """Fields are keywords with the defaults of C++, rules choose the coefficient, and repr shows all."""
    config = carom.ImpulseConfig(restitution_rule=carom.CombineRule.MIN, restitution_threshold=2)
    assert config.restitution_rule == carom.CombineRule.MIN and config.friction_rule == carom.CombineRule.AVERAGE
    assert "restitution_threshold=2.0" in repr(config)
    model = two_spheres(carom)
    before, after = model.state(), model.state()
    before.body_qd.numpy()[0, 0] = 1  # half the threshold: half the restitution
    impulse = carom.resolve_impulses(model, before, after, model.collide(before), config)
    np.testing.assert_allclose(impulse.numpy()[0], (0.75, 0, 0), atol=1e-6)


def test_what_is_refused(carom):
    model = two_spheres(carom)
    with pytest.raises(carom.Error, match="max_iterations"):
        carom.ImpulseResolver(model, carom.ImpulseConfig(max_iterations=0))
    builder = carom.ModelBuilder()
    bodies = [builder.add_link(mass=1, inertia=np.eye(3)) for _ in range(2)]
    builder.add_articulation([builder.add_joint_free(bodies[0]), builder.add_joint_revolute(*bodies)])
    with pytest.raises(carom.Error, match="revolute.*ties body 1 to body 0"):
        carom.ImpulseResolver(builder.finalize())
    other = two_spheres(carom, worlds=2)
    with pytest.raises(carom.Error, match="another model"):
        carom.resolve_impulses(model, other.state(), model.state(), model.collide(model.state()))


def test_the_queue_may_be_a_temporary(carom):
    model = two_spheres(carom)
    pipeline = carom.CollisionPipeline(model, queue=carom.Queue(threads=1))
    resolver = carom.ImpulseResolver(model, queue=carom.Queue(threads=1))
    gc.collect()
    state = model.state()
    assert resolver.resolve(state, state, pipeline.collide(state)).numpy().shape == (1, 3)


def test_quadrotor_of_the_docs():
    """What the sensors read adds up to the impulses of the hits: velocities to J/m, turns to I^-1 (r x J)."""
    pytest.importorskip("carom.f64")
    spec = importlib.util.spec_from_file_location("quadrotor", ROOT / "docs" / "pictures" / "quadrotor.py")
    quadrotor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(quadrotor)
    flight = quadrotor.fly()
    assert {hit.what for hit in flight.hits if hit.time < quadrotor.HAND_TIME} == {"the wall"}
    assert "the hand" in {hit.what for hit in flight.hits}
    time, felt = np.array(flight.time), np.array(flight.accelerometer)
    for what in ("the wall", "the hand"):
        hits = [hit for hit in flight.hits if hit.what == what]
        during = (time >= hits[0].time) & (time < hits[0].time + quadrotor.CONTACT_TIME)
        together = [hit for hit in hits if hit.time == hits[0].time]
        sensed = felt[during].sum(axis=0) * quadrotor.DT
        expected = sum(hit.impulse for hit in together) / quadrotor.MASS
        thrust = np.linalg.norm(quadrotor.GRAVITY) * during.sum() * quadrotor.DT
        assert np.linalg.norm(sensed - expected) <= thrust * (1 + 1e-9)
        if what == "the wall":  # level until then: the thrust is along z
            np.testing.assert_allclose(sensed[:2], expected[:2], rtol=1e-9)
            turned = np.array(flight.gyroscope)[np.flatnonzero(during)[-1] + 1]
            moment = sum(hit.moment for hit in together)
            np.testing.assert_allclose(turned, moment / quadrotor.INERTIA, rtol=0.02, atol=1e-9)  # less the damping
