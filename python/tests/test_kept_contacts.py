"""Contacts that are kept while their shapes have hardly moved (keep_distance, options.contact_keep_distance): the door
to them, and piles at rest beside MuJoCo, which finds all contacts anew."""

import numpy as np
import pytest

from mujoco_states import mujoco

KEEP = 1e-3  # [m]


def cube_on_box(carom):
    """Two boxes are always searched, so the cube is a hull."""
    builder = carom.ModelBuilder()
    builder.add_shape_box(-1, xform=(0, 0, -1, 0, 0, 0, 1), hx=5, hy=4, hz=1)
    builder.begin_world()
    cube = carom.make_box_mesh(0.5, 0.5, 0.5)
    builder.add_shape_convex_hull(builder.add_body(xform=(0, 0, 0.499, 0, 0, 0, 1)), mesh=cube)
    builder.end_world()
    return builder.finalize()


def points(contacts):
    return contacts.rigid_contact_point.numpy().copy()


def test_pipelines_keep_remember_and_forget(carom):
    model = cube_on_box(carom)
    pipeline, state = carom.CollisionPipeline(model, keep_distance=KEEP), model.state()
    found = points(pipeline.collide(state))
    poses = state.body_q.numpy()
    poses[0, 0] += 4e-4
    state.body_q.assign(poses)
    memory = pipeline.remember()
    kept = points(pipeline.collide(state))
    assert kept == pytest.approx(found + [2e-4, 0, 0], abs=1e-6)  # one surface has moved, the other has not
    pipeline.forget()
    anew = pipeline.collide(state)
    assert points(anew) == pytest.approx(found + [4e-4, 0, 0], abs=1e-6)
    assert not anew.rigid_contact_age.numpy().any()
    pipeline.recall(memory)
    assert (points(pipeline.collide(state)) == kept).all()
    pipeline.forget([True])
    assert (points(pipeline.collide(state)) == points(anew)).all()


def test_refusals(carom):
    model = cube_on_box(carom)
    for distance in (-1, float("nan"), float("inf")):
        with pytest.raises(carom.Error, match="keep_distance must be finite and not negative"):
            carom.CollisionPipeline(model, keep_distance=distance)
    builder = carom.ModelBuilder()
    builder.options = carom.ModelOptions(contact_keep_distance=-1)
    with pytest.raises(carom.Error, match="options: contact_keep_distance must not be negative, is -1"):
        builder.finalize()
    memory = carom.CollisionPipeline(model).remember()
    with pytest.raises(carom.Error, match="of a pipeline with keep_distance 0, this one has 0.001"):
        carom.CollisionPipeline(model, keep_distance=KEEP).recall(memory)
    with pytest.raises(carom.Error, match="the memory belongs to another model"):
        carom.CollisionPipeline(cube_on_box(carom)).recall(memory)


def test_the_option_travels_with_the_model(carom, tmp_path):
    builder = carom.ModelBuilder()
    builder.options.contact_keep_distance = 0.25
    builder.finalize().save(tmp_path / "kept.carom")
    assert carom.load(tmp_path / "kept.carom").options.contact_keep_distance == 0.25


BOX = '<body pos="{x} 0 {z}"><freejoint/><geom type="box" size=".1 .08 .06"/></body>'
DISC = '<body pos="{x} 0 {z}"><freejoint/><geom type="cylinder" size=".09 .05"/></body>'
PILES = {
    "discs": "".join(DISC.format(x=0.02 * k, z=0.05 + 0.1 * k) for k in range(3)),
    "boxes and discs": "".join((BOX, DISC)[k % 2].format(x=0.01 * k, z=0.06 + 0.11 * k) for k in range(4)),
}


@pytest.mark.parametrize("name", PILES)
def test_piles_rest_as_under_mujoco(carom, name):
    """On a box, for two seconds: where MuJoCo's bodies come to rest, and as long as the contacts are kept."""
    compiled = mujoco.MjModel.from_xml_string(f"""<mujoco>
      <option timestep="0.002" cone="elliptic" impratio="10" integrator="implicitfast"/>
      <default><geom friction="0.8 0 0" density="500"/></default>
      <worldbody><geom type="box" size="1 1 .5" pos="0 0 -.5"/>{PILES[name]}</worldbody></mujoco>""")
    data = mujoco.MjData(compiled)
    for _ in range(1000):
        mujoco.mj_step(compiled, data)
    wanted = data.xpos[1:]
    rest = {}
    for keep in (0, KEEP):
        builder = carom.from_mujoco(compiled)
        builder.options.contact_keep_distance = keep
        sim = carom.Simulation(builder.finalize(), "mujoco", contacts="mujoco")
        assert not sim.step(1000).numpy().any()
        rest[keep] = sim.state.body_q.numpy()[:, :3]
        assert np.abs(sim.state.body_qd.numpy()).max() < 2e-3
        force = sim.contacts.rigid_contact_force.numpy()
        on_ground = sim.contacts.rigid_contact_shape0.numpy() == 0
        weight = 9.81 * compiled.body_mass[1:].sum()
        assert force[on_ground].sum(axis=0) == pytest.approx([0, 0, weight], rel=1e-3, abs=1e-3 * weight)
    assert rest[KEEP][:, 2] == pytest.approx(wanted[:, 2], abs=1e-4)
    assert rest[KEEP] == pytest.approx(rest[0], abs=5e-5)
