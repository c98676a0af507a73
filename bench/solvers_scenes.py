"""Scenes of the suite `solvers` that have many worlds, once for carom and Newton: the builders of both take the same
calls, and a Dialect knows the words that they do not share.

    quadruped   a trunk that floats on four legs, 12 driven hinges, feet that meet a plane
    cloth       64 x 64 particles that fall on a sphere
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Dialect:
    builder: Any                      # class ModelBuilder
    shape_config: Any                 # class ShapeConfig
    xform: Callable[..., Any]         # of seven numbers
    vec: Callable[..., Any]
    quat: Callable[..., Any]
    words: dict[str, str] = dataclasses.field(default_factory=dict)  # carom's: the other's

    def __call__(self, **arguments) -> dict:
        return {self.words.get(name, name): value for name, value in arguments.items()}

    def at(self, x: float = 0, y: float = 0, z: float = 0):
        return self.xform(x, y, z, 0, 0, 0, 1)


def numbers_alone(*numbers: float) -> tuple:
    return numbers


def carom_dialect(carom) -> Dialect:
    return Dialect(carom.ModelBuilder, carom.ShapeConfig, numbers_alone, numbers_alone, numbers_alone)


def newton_dialect(newton, wp) -> Dialect:
    return Dialect(newton.ModelBuilder, newton.ModelBuilder.ShapeConfig, wp.transform, wp.vec3, wp.quat,
                   {"target_pos": "target_q", "contact_margin": "gap", "torsional_friction": "mu_torsional",
                    "rolling_friction": "mu_rolling"})


@dataclasses.dataclass(frozen=True)
class Scene:
    dt: float      # [s]
    warm: int      # steps before the measurement
    window: int    # steps of one repetition
    build: Callable[[Dialect, int], Any]  # a ModelBuilder with that many worlds
    # By name and unit, of an array per column with a row per world.
    summary: Callable[[dict[str, np.ndarray]], dict[str, float]]
    options: dict[str, dict[str, float]]  # of each solver, in both libraries
    start: Callable[[int], np.ndarray] | None = None  # joint_q, a row per world; None: that of the model


# -- Quadruped

TRUNK, LINK = 10.0, 1.0                # masses [kg]
TRUNK_INERTIA, LINK_INERTIA = 0.2, 0.02  # in all directions: light links are what Newton's springs cannot hold [kg m^2]
HIP, SIDE, BONE, FOOT = (0.25, 0.12), 0.05, 0.2, 0.03  # place of a hip, to its thigh, of a thigh or shank, radius [m]
STANCE = (0.0, 0.5, -1.0)              # of roll, hip and knee [rad]
GAINS = dict(target_ke=200.0, target_kd=4.0, armature=0.01)  # [N m/rad], [N m s/rad], [kg m^2]
FOOT_MATERIAL = dict(density=0.0, ke=1e4, kd=100.0, kf=500.0, mu=0.8, torsional_friction=0.0, rolling_friction=0.0,
                     contact_margin=0.01)
SPREAD = 0.05                          # of the hinges at the start [rad]
FEET_GROUP = -2                        # meets the plane and no other foot
FREE = 7                               # coordinates of the trunk


def inertia(value: float) -> tuple:
    return ((value, 0.0, 0.0), (0.0, value, 0.0), (0.0, 0.0, value))


def leg(d: Dialect, builder, trunk: int, front: int, left: int) -> list[int]:
    """The joints of a leg; front and left are 1 or -1."""
    def link(x: float, y: float, z: float) -> int:
        return builder.add_link(mass=LINK, inertia=inertia(LINK_INERTIA), com=(x, y, z))

    hip, thigh, shank = link(0, 0, 0), link(0, 0, -BONE / 2), link(0, 0, -BONE / 2)
    cfg = d.shape_config(**d(**FOOT_MATERIAL, collision_group=FEET_GROUP))
    builder.add_shape_sphere(shank, radius=FOOT, xform=d.at(z=-BONE), cfg=cfg)
    frames = [(trunk, hip, (1, 0, 0), d.at(front * HIP[0], left * HIP[1])),
              (hip, thigh, (0, 1, 0), d.at(y=left * SIDE)), (thigh, shank, (0, 1, 0), d.at(z=-BONE))]
    return [builder.add_joint_revolute(parent, child, axis=axis, parent_xform=frame, child_xform=d.at(),
                                       **d(target_pos=angle, **GAINS))
            for (parent, child, axis, frame), angle in zip(frames, STANCE)]


def quadruped(d: Dialect):
    builder = d.builder()
    trunk = builder.add_link(mass=TRUNK, inertia=inertia(TRUNK_INERTIA))
    joints = [builder.add_joint_free(trunk)]
    for front, left in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        joints += leg(d, builder, trunk, front, left)
    builder.add_articulation(joints)
    return builder


def quadrupeds(d: Dialect, worlds: int):
    builder = d.builder()
    builder.add_ground_plane(cfg=d.shape_config(**d(**FOOT_MATERIAL)))
    builder.replicate(quadruped(d), worlds)
    return builder


def quadruped_start(worlds: int) -> np.ndarray:
    """On its feet, every hinge a little off in every world."""
    q = np.zeros((worlds, FREE + 4 * len(STANCE)))
    q[:, 2] = BONE * (math.cos(STANCE[1]) + math.cos(STANCE[1] + STANCE[2])) + FOOT
    q[:, 6] = 1
    spread = np.random.default_rng(3).uniform(-SPREAD, SPREAD, (worlds, 4 * len(STANCE)))
    q[:, FREE:] = np.tile(STANCE, 4) + spread
    return q


def quadruped_summary(columns: dict[str, np.ndarray]) -> dict[str, float]:
    poses = columns["body_q"].reshape(len(columns["body_q"]), -1, 7)
    speeds = columns["body_qd"].reshape(len(columns["body_qd"]), -1, 6)
    return {"trunk height, m": float(poses[:, 0, 2].mean()),
            "speed, m/s": float(np.linalg.norm(speeds[:, :, :3], axis=2).mean())}


# -- Cloth

SIDE_PARTICLES = 64
CELL, PARTICLE_RADIUS = 0.02, 0.008     # [m]
PARTICLE_MASS = 0.001                   # [kg]
BALL, ABOVE = 0.3, 0.002                # its radius, how far below the cloth it is at the start [m]
BALL_MATERIAL = dict(ke=1e3, kd=1.0, kf=1.0, mu=0.3)
APART = (4.0, 4.0, 0.0)                 # of worlds [m]: Newton's particles meet those of other worlds


def cloth(d: Dialect):
    builder = d.builder()
    cells = SIDE_PARTICLES - 1
    height = 2 * BALL + PARTICLE_RADIUS + ABOVE
    builder.add_shape_sphere(-1, radius=BALL, xform=d.at(z=BALL), cfg=d.shape_config(**d(**BALL_MATERIAL)))
    builder.add_cloth_grid(pos=d.vec(-CELL * cells / 2, -CELL * cells / 2, height), rot=d.quat(0.0, 0.0, 0.0, 1.0),
                           vel=d.vec(0.0, 0.0, 0.0), dim_x=cells, dim_y=cells, cell_x=CELL, cell_y=CELL,
                           mass=PARTICLE_MASS, tri_ke=0.0, tri_ka=0.0, tri_kd=0.0, edge_ke=1e-3, edge_kd=0.0,
                           add_springs=True, spring_ke=50.0, spring_kd=0.01, particle_radius=PARTICLE_RADIUS)
    return builder


def cloths(d: Dialect, worlds: int):
    builder = d.builder()
    builder.replicate(cloth(d), worlds, spacing=APART)
    return builder


def cloth_summary(columns: dict[str, np.ndarray]) -> dict[str, float]:
    points = columns["particle_q"].reshape(len(columns["particle_q"]), SIDE_PARTICLES, SIDE_PARTICLES, 3)
    along = np.linalg.norm(np.diff(points, axis=1), axis=3)
    return {"mean height, m": float(points[..., 2].mean()), "stretched, %": float(along.mean() / CELL - 1) * 100}


SCENES = {
    "quadruped": Scene(dt=1e-3, warm=60, window=20, build=quadrupeds, summary=quadruped_summary, start=quadruped_start,
                       options={"xpbd": {"iterations": 2}, "featherstone": {},
                                "semi_implicit": {"joint_attach_ke": 1e4, "joint_attach_kd": 1e2}}),
    "cloth": Scene(dt=1 / 600, warm=60, window=4, build=cloths, summary=cloth_summary,
                   options={"xpbd": {"iterations": 4}, "semi_implicit": {}}),
}
COLUMNS = ("body_q", "body_qd", "particle_q")
