"""Contacts of particles: the ways to call for them, and what comes back."""

import numpy as np
import pytest


def particle_over_ground(carom, **particle):
    """A particle of radius 0.1, 0.12 above a global plane."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane(cfg=builder.ShapeConfig(thickness=0.0))
    builder.begin_world()
    builder.add_particle((1, 2, 0.12), (0, 0, 0), 1, radius=0.1, **particle)
    builder.end_world()
    return builder.finalize()


def test_margin_of_a_call(carom):
    """model.collide finds soft contacts from soft_contact_margin on, by default 0.01."""
    model = particle_over_ground(carom)
    state = model.state()
    assert model.collide(state).soft_contact_count[0] == 0
    assert model.collide(state, soft_contact_margin=0.03).soft_contact_count[0] == 1
    assert model.collide(state, soft_contact_margin=None).soft_contact_count[0] == 0


def test_margin_of_a_pipeline(carom):
    """A pipeline has a margin of its own, and a call with a pipeline may have another."""
    model = particle_over_ground(carom)
    state = model.state()
    makers = (carom.CollisionPipeline, carom.CollisionPipeline.from_model, carom.CollisionPipelineUnified.from_model)
    for make in makers:
        pipeline = make(model, soft_contact_margin=0.03)
        assert pipeline.collide(state).soft_contact_count[0] == 1
        assert pipeline.collide(state, soft_contact_margin=0.01).soft_contact_count[0] == 0
        assert model.collide(state, collision_pipeline=pipeline).soft_contact_count[0] == 1
        assert model.collide(state, collision_pipeline=pipeline, soft_contact_margin=0.01).soft_contact_count[0] == 0


def test_margins_that_make_no_sense(carom):
    """Negative and infinite margins are refused."""
    model = particle_over_ground(carom)
    with pytest.raises(carom.Error, match="soft_contact_margin"):
        carom.CollisionPipeline(model, soft_contact_margin=-1)
    with pytest.raises(carom.Error, match="soft_contact_margin"):
        model.collide(model.state(), soft_contact_margin=float("inf"))


def test_arrays(carom, real):
    """A soft contact: particle, shape, point of the surface, normal, depth, and where its world begins."""
    model = particle_over_ground(carom)
    contacts = model.collide(model.state(), soft_contact_margin=0.03)
    assert contacts.soft_contact_world_start.numpy().tolist() == [0, 1, 1]
    assert contacts.soft_contact_particle.numpy().tolist() == [0]
    assert contacts.soft_contact_shape.numpy().tolist() == [0]
    np.testing.assert_allclose(contacts.soft_contact_body_pos.numpy(), [[1, 2, 0]], atol=1e-6)
    np.testing.assert_allclose(contacts.soft_contact_normal.numpy(), [[0, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(contacts.soft_contact_depth.numpy(), [-0.02], atol=1e-6)
    assert contacts.soft_contact_depth.numpy().dtype == real


@pytest.mark.parametrize(("group", "count"), [(-1, 1), (0, 0), (1, 1), (2, 0)])
def test_collision_group(carom, group, count):
    """Particles have a collision group, 1 unless one is given, with the rule of shapes."""
    model = particle_over_ground(carom, collision_group=group)
    assert model.particle_collision_group.numpy().tolist() == [group]
    assert model.collide(model.state(), soft_contact_margin=0.03).soft_contact_count[0] == count
    assert particle_over_ground(carom).particle_collision_group[0] == 1


def test_particles_among_themselves(carom):
    """particle_contacts asks for contacts between particles; worlds in the same place keep apart."""
    cloud = carom.ModelBuilder()
    for x in (0.0, 0.15, 0.5):
        cloud.add_particle((x, 0, 0), (0, 0, 0), 1, radius=0.1)
    builder = carom.ModelBuilder()
    builder.replicate(cloud, 2)
    model = builder.finalize()
    state = model.state()
    assert model.collide(state).particle_contact_count[0] == 0
    contacts = carom.CollisionPipeline(model, particle_contacts=True).collide(state)
    assert contacts.particle_contact_count[0] == 2
    assert contacts.particle_contact_world_start.numpy().tolist() == [0, 1, 2, 2]
    assert contacts.particle_contact_particle0.numpy().tolist() == [0, 3]
    assert contacts.particle_contact_particle1.numpy().tolist() == [1, 4]
    np.testing.assert_allclose(contacts.particle_contact_normal.numpy(), [[1, 0, 0], [1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(contacts.particle_contact_depth.numpy(), [0.05, 0.05], atol=1e-6)
