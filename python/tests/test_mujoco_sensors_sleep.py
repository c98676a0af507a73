"""Sensors of what sleeps against MuJoCo, in double precision: while it is awake they read the same, and then they keep
it, in carom what was read in the last step, in MuJoCo what is felt at no velocity at all."""

import copy

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import STRICT, solve_strictly
from mujoco_states import FLOOR, compile_xml, mujoco

MASS = 8
# It lies unevenly, so that no two corners are pressed alike.
BOX = f"""
  <body name="box" pos="0 0 .12" euler="1 2 0"><freejoint/>
    <geom name="cube" type="box" size=".1 .1 .1" mass="{MASS - 1}"/>
    <geom size=".02" pos=".02 .05 .02" mass="1" contype="0" conaffinity="0"/>
    <site name="volume" type="box" size=".2 .2 .2"/></body>"""
ARM = """
  <body name="arm" pos="2 0 1"><joint name="hinge" axis="0 1 0" range="-40 3" damping="2"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1"/><site name="root"/>
    <body name="hand" pos=".5 0 0"><geom size=".05" mass="1"/><site name="wrist" euler="10 20 30"/></body></body>"""
OF_BOX = """
  <contact name="full" geom1="floor" body2="box" data="found force torque dist pos normal tangent" num="5"/>
  <contact name="first" body1="box" data="found force pos" num="2" reduce="mindist"/>
  <contact name="net" subtree2="box" data="found force torque pos" reduce="netforce"/>
  <contact name="strongest" geom1="cube" data="force" num="4" reduce="maxforce"/>
  <touch name="touch" site="volume"/>"""
OF_ARM = """
  <force name="force" site="wrist"/><torque name="torque" site="wrist"/><force name="root force" site="root"/>
  <jointlimitfrc name="limit" joint="hinge"/><jointlimitpos name="limit pos" joint="hinge"/>"""
NEVER = '<contact name="volume" site="volume" data="found"/><contact name="any" data="found"/>'


class Pair:
    """One scene on both sides, step by step; what carom's sensors have to read."""

    def __init__(self):
        self.model = compile_xml(FLOOR + BOX + ARM, option='timestep="0.005"', flags='sleep="enable"',
                                 sensor=OF_BOX + OF_ARM + NEVER)
        solve_strictly(self.model)
        self.data = mujoco.MjData(self.model)
        scene = carom.ModelBuilder()
        scene.add_world(carom.from_mujoco(self.model))
        self.worlds = scene.finalize()
        self.simulation = self.simulate()
        self.names = [mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_SENSOR, s) for s in range(self.model.nsensor)]
        self.last = {}  # that was read while what it looks at was awake

    def simulate(self):
        solver = carom.SolverMuJoCo(self.worlds, tolerance=STRICT, iterations=200)
        return carom.Simulation(self.worlds, solver, contacts="mujoco")

    def tree_of(self, name):
        return 0 if f'"{name}"' in OF_BOX else 1

    def native(self, name, data):
        sensor = self.model.sensor(name)
        return data.sensordata[sensor.adr[0]:sensor.adr[0] + sensor.dim[0]]

    def read(self, name, when="before", simulation=None):
        return np.array((simulation or self.simulation).sensor(name, layout="mujoco", when=when).numpy())[0]

    def step(self):
        """Compares what is awake, and what is asleep with what it read last."""
        felt = copy.copy(self.data)  # what the step feels before it puts to sleep
        mujoco.mj_forward(self.model, felt)
        mujoco.mj_step(self.model, self.data)
        self.simulation.step()
        for name in self.names:
            got = self.read(name)
            if f'"{name}"' in NEVER:
                continue
            tree = self.tree_of(name)
            if felt.tree_asleep[tree] < 0:
                wanted = self.native(name, felt)
                # The step that puts to sleep leaves no acceleration: what joints carry is told as it is at rest.
                rests = self.data.tree_asleep[tree] >= 0 and name in ("force", "torque", "root force")
                np.testing.assert_allclose(got, wanted, atol=(1e-3 if rests else 1e-6) * max(1, np.abs(wanted).max()),
                                           err_msg=name)
                self.last[name] = got
            np.testing.assert_array_equal(got, self.last[name], err_msg=name)


@pytest.fixture(scope="module")
def asleep():
    pair = Pair()
    for _ in range(500):
        pair.step()
        if (pair.data.tree_asleep >= 0).all():
            break
    for _ in range(50):
        pair.step()
    return pair


def test_what_sleeps_keeps_what_it_read(asleep):
    """Of counts the same numbers as MuJoCo's, of forces nearly: at the speed at which it was allowed to sleep."""
    assert (asleep.data.tree_asleep >= 0).all()
    for name in asleep.names:
        got, wanted = asleep.read(name), asleep.native(name, asleep.data)
        size = 0.01 * MASS * 9.81 if asleep.tree_of(name) == 0 else 0.01 * 2 * 9.81
        np.testing.assert_allclose(got, wanted, atol=size, err_msg=name)
    assert asleep.read("full")[0] == 4 and asleep.read("volume")[0] == asleep.read("any")[0] == 0
    assert abs(asleep.read("net")[3] - MASS * 9.81) < 0.01 * MASS * 9.81


def test_it_is_the_same_now_and_in_every_copy(asleep):
    sim = asleep.simulation
    before = {name: asleep.read(name) for name in asleep.names}
    weight = np.array(sim.contact_sensor("net").force_on_second.numpy())
    snapshot = sim.snapshot()
    other = asleep.simulate()
    other.step(7)
    other.restore(snapshot)
    for name, wanted in before.items():
        np.testing.assert_array_equal(asleep.read(name, when="now"), wanted, err_msg=name)
        of_state = asleep.worlds.get_sensor_value(name, sim.state, layout="mujoco")[0]
        np.testing.assert_array_equal(of_state, wanted, err_msg=name)
        np.testing.assert_array_equal(asleep.read(name, simulation=other), wanted, err_msg=name)
    np.testing.assert_array_equal(sim.contact_sensor("net", when="now").force_on_second.numpy(), weight)
    sim.reset()
    assert asleep.read("net")[0] == 0  # in the air
    sim.restore(snapshot)
    for name, wanted in before.items():
        np.testing.assert_array_equal(asleep.read(name), wanted, err_msg=name)
    np.testing.assert_array_equal(sim.contact_sensor("net").force_on_second.numpy(), weight)
