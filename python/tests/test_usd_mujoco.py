"""One robot written by hand as MJCF and as USD: masses, joint layout and how it falls, beside MuJoCo itself."""

import numpy as np
import pytest
from usd_stages import body, collider, moved, prim, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

# A trunk that floats, with an arm of two hinges, a slider at its end and a leg on a ball joint.
MJCF = """
<mujoco>
  <compiler angle="degree"/>
  <option timestep="0.002"/>
  <default><geom density="500" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05"/>
      <body name="upper" pos="0.2 0 0">
        <joint name="shoulder" axis="0 1 0" range="-80 100" limited="true" damping="0.3" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/>
        <body name="lower" pos="0.3 0 0">
          <joint name="elbow" axis="0 0 1" range="-20 150" limited="true" damping="0.1"/>
          <geom type="cylinder" pos="0.15 0 0" euler="0 90 0" size="0.03 0.15"/>
          <body name="tool" pos="0.3 0 0">
            <joint name="slide" type="slide" axis="1 0 0" range="-0.05 0.1" limited="true" damping="2"/>
            <geom type="sphere" size="0.05"/>
          </body>
        </body>
      </body>
      <body name="leg" pos="-0.1 0 -0.05">
        <joint name="hip" type="ball" damping="0.2"/>
        <geom type="ellipsoid" pos="0 0 -0.2" size="0.05 0.06 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def part(name, at, geometry):
    return body(name, "float physics:density = 500\n" + geometry, at=at)


def off(kind, content, *, at=(0, 0, 0)):
    return collider(kind, "geometry", content + "\nbool physics:collisionEnabled = false", at=at)


def usd_joint(kind, name, first, second, at, content, apis=()):
    return prim(f"Physics{kind}Joint", name, apis, f"""
        rel physics:body0 = </{first}>
        rel physics:body1 = </{second}>
        point3f physics:localPos0 = {at}
        {content}
    """)


DEGREE = np.pi / 180
ROBOT = usda(
    prim("PhysicsScene", "scene", content="custom float newton:timeStepsPerSecond = 500")
    + part("trunk", (0, 0, 1), prim("Cube", "geometry", ["PhysicsCollisionAPI"], "double size = 2\nbool "
                                    "physics:collisionEnabled = false\n" + moved((0, 0, 0), scale=(0.2, 0.1, 0.05))))
    + part("upper", (0.2, 0, 1), off("Capsule", 'uniform token axis = "X"\ndouble radius = 0.04\ndouble height = 0.3',
                                     at=(0.15, 0, 0)))
    + part("lower", (0.5, 0, 1), off("Cylinder", 'uniform token axis = "X"\ndouble radius = 0.03\ndouble height = 0.3',
                                     at=(0.15, 0, 0)))
    + part("tool", (0.8, 0, 1), off("Sphere", "double radius = 0.05"))
    + part("leg", (-0.1, 0, 0.95), prim("Sphere", "geometry", ["PhysicsCollisionAPI"], "double radius = 1\nbool "
                                        "physics:collisionEnabled = false\n" + moved((0, 0, -0.2), scale=(0.05, 0.06, 0.2))))
    + usd_joint("Revolute", "shoulder", "trunk", "upper", (0.2, 0, 0), f"""uniform token physics:axis = "Y"
        float physics:lowerLimit = -80
        float physics:upperLimit = 100
        custom float newton:damping = {0.3 * DEGREE}
        custom float newton:armature = 0.01""")
    + usd_joint("Revolute", "elbow", "upper", "lower", (0.3, 0, 0), f"""uniform token physics:axis = "Z"
        float physics:lowerLimit = -20
        float physics:upperLimit = 150
        custom float newton:damping = {0.1 * DEGREE}""")
    + usd_joint("Prismatic", "slide", "lower", "tool", (0.3, 0, 0), """uniform token physics:axis = "X"
        float physics:lowerLimit = -0.05
        float physics:upperLimit = 0.1
        custom float newton:damping = 2""")
    + usd_joint("Spherical", "hip", "trunk", "leg", (-0.1, 0, -0.05), f"custom float newton:damping = {0.2 * DEGREE}"))


def test_the_same_robot(carom):
    """Masses, centres and inertias, and the joints with their limits, of MJCF and USD."""
    ours, theirs = carom.load_usd(ROBOT), carom.load_mjcf(MJCF)
    for name in ("body_mass", "body_com", "body_inertia", "joint_dof_dim", "joint_parent", "joint_limit_lower",
                 "joint_limit_upper", "joint_damping", "joint_armature", "joint_q"):
        assert getattr(ours, name).numpy() == pytest.approx(getattr(theirs, name).numpy(), abs=1e-5), name
    order = ["trunk", "upper", "lower", "tool", "leg"]
    assert [key.strip("/") for key in ours.body_key] == theirs.body_key == order
    assert ours.joint_type.numpy().tolist() == theirs.joint_type.numpy().tolist()


def test_it_falls_as_in_mujoco(carom, real):
    """Half a second from a start with velocities: MuJoCo reads the MJCF, carom the USD."""
    m = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(m)
    model = carom.load_usd(ROBOT)
    rng = np.random.default_rng(4)
    data.qvel[:] = rng.normal(size=m.nv)
    sim = carom.Simulation(model, "mujoco")
    assert sim.dt == pytest.approx(0.002)
    sim.state.joint_qd.numpy()[:] = carom.mujoco.qvel_to_joint_qd(m, data.qpos, data.qvel)
    sim.step(250)
    for _ in range(250):
        mujoco.mj_step(m, data)
    expected = carom.mujoco.qpos_to_joint_q(m, data.qpos)
    tolerance = 2e-3 if real == np.float32 else 1e-5
    assert np.abs(expected).max() > 0.2
    assert sim.state.joint_q.numpy() == pytest.approx(expected, abs=tolerance)
