"""The four examples of the contact sensor's document, on a box that falls onto a bar: their shapes, and every number of
them before, at and after the impact."""

import itertools

import numpy as np
import pytest

HALF, DROP, TOP, WEIGHT = 0.1, 0.05, 0.02, 2 * 9.81
SCENE = """<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="bar" type="box" size="1 1 .01" pos="0 0 .01"/>
    <body name="box" pos="0 0 .17"><freejoint/><geom name="freebox" type="box" size=".1 .1 .1" mass="2"/></body>
  </worldbody>
  <sensor>
    <contact name="full_contact" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="4"/>
    <contact name="force_contact" geom1="bar" geom2="freebox" data="found force pos" num="5" reduce="maxforce"/>
    <contact name="touch_only" geom1="bar" geom2="freebox" data="found" num="1"/>
    <contact name="net_force" geom1="bar" geom2="freebox" data="found force pos normal tangent" num="10"
             reduce="netforce"/>
  </sensor>
</mujoco>"""
SIZES = {"full_contact": 49, "force_contact": 31, "touch_only": 1, "net_force": 13}


class Falling:
    """The scene as the document has it, without worlds: plain vectors."""

    def __init__(self, carom):
        builder = carom.ModelBuilder()
        builder.add_mjcf(SCENE)
        self.model = builder.finalize()
        self.sim = carom.Simulation(self.model)

    def read(self):
        values = {name: self.model.get_sensor_value(name, self.sim) for name in SIZES}
        for name, value in values.items():
            assert value.shape == (SIZES[name],) and value.dtype == np.float32
        return values.values()

    def step_to_the_impact(self):
        while not self.sim.contact_sensor("net_force").force_on_second.numpy().any():
            self.sim.step()
            assert self.sim.steps < 200


@pytest.fixture
def falling(carom):
    return Falling(carom)


def check_corners(entries):
    """Rows of (force, pos, normal, tangent), or of less: one at each corner."""
    pos = entries[:, 3:6]
    np.testing.assert_allclose(np.abs(pos[:, :2]), HALF, atol=1e-4)
    np.testing.assert_allclose(pos[:, 2], TOP, atol=2e-3)
    assert set(map(tuple, np.sign(pos[:, :2]))) == set(itertools.product([-1, 1], [-1, 1]))
    if entries.shape[1] == 6:
        return
    normal, tangent = entries[:, 6:9], entries[:, 9:12]
    np.testing.assert_allclose(normal, [[0, 0, 1]] * 4, atol=1e-5)  # from the bar to the box
    np.testing.assert_allclose(np.linalg.norm(tangent, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose((normal * tangent).sum(axis=1), 0, atol=1e-5)


def test_before_the_impact(falling):
    """Sizes are fixed, and all is zero but the one entry of the net force."""
    for steps in (0, 40):
        for _ in range(steps):
            falling.sim.step()
        full, force, touch, net = falling.read()
        assert not full.any() and not force.any() and not touch.any()
        assert net[0] == 1 and not net[1:].any()


def test_at_the_impact(falling):
    """All four tell of one instant, at which far more than the weight pushes."""
    falling.step_to_the_impact()
    assert abs(falling.sim.steps * falling.sim.dt - np.sqrt(2 * DROP / 9.81)) < 0.003
    full, force, touch, net = falling.read()
    assert full[0] == 4 and force[0] == 4 and touch[0] == 1 and net[0] == 1
    check_corners(full[1:].reshape(4, 12))
    check_corners(force[1:25].reshape(4, 6))
    pushed = full[1:].reshape(4, 12)[:, 0].sum()
    assert pushed > 3 * WEIGHT
    np.testing.assert_allclose(net[3], pushed, rtol=1e-4)


def test_at_rest(falling):
    """The weight, where it stands, the axes, and zeros behind what is valid."""
    falling.step_to_the_impact()
    falling.sim.step(1500)
    full, force, touch, net = falling.read()
    assert full[0] == 4 and force[0] == 4 and touch[0] == 1 and net[0] == 1
    entries = full[1:].reshape(4, 12)
    check_corners(entries)
    np.testing.assert_allclose(entries[:, :3], [[WEIGHT / 4, 0, 0]] * 4, atol=1e-3 * WEIGHT)
    np.testing.assert_allclose(entries[:, 0].sum(), WEIGHT, rtol=1e-3)

    strongest = force[1:25].reshape(4, 6)
    check_corners(strongest)
    assert (np.diff(np.linalg.norm(strongest[:, :3], axis=1)) <= 1e-5).all()
    assert not force[25:].any()

    normal, tangent = entries[:, 6:9], entries[:, 9:12]
    axes = np.stack([normal, tangent, np.cross(normal, tangent)], 1)
    np.testing.assert_allclose(net[1:4], np.einsum("cij,ci->j", axes, entries[:, :3]), atol=1e-4 * WEIGHT)
    np.testing.assert_allclose(net[1:4], [0, 0, WEIGHT], atol=1e-3 * WEIGHT)
    np.testing.assert_allclose(net[4:7], [0, 0, TOP], atol=2e-3)
    assert net[7:].tolist() == [1, 0, 0, 0, 1, 0]


def test_the_loop_of_the_document(falling):
    """offset = 1 + i * 6 over the entries that contact_data[0] says are valid."""
    falling.step_to_the_impact()
    falling.sim.step(1500)
    contact_data = falling.model.get_sensor_value("force_contact", falling.sim)
    forces = [contact_data[1 + i * 6:4 + i * 6] for i in range(int(contact_data[0]))]
    np.testing.assert_allclose(np.linalg.norm(forces, axis=1).sum(), WEIGHT, rtol=2e-3)
