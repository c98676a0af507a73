"""What is read from a stage before a builder hears of it: bodies, shapes and joints, in SI units and placed, so that
all of it is checked first."""

import dataclasses
from typing import Any

import numpy as np

from carom._rotation import Floats
from carom.usd._pxr import Gf
from carom.usd._stage import Item, Stage
from carom.usd._units import Units


@dataclasses.dataclass(frozen=True)
class Options:
    """Arguments of add_usd(), as they are there."""

    enable_self_collisions: bool = True
    only_load_enabled_rigid_bodies: bool = False
    only_load_enabled_joints: bool = True
    joint_drive_gains_scaling: float = 1.0
    skip_mesh_approximation: bool = False
    load_visual_shapes: bool = True


@dataclasses.dataclass(eq=False, slots=True)
class Body:
    item: Item
    X: Gf.Matrix4d  # in the world of the builder
    world: int
    scale: tuple[float, float, float]  # of the prim
    kinematic: bool = False
    mass: float = 0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Floats = dataclasses.field(default_factory=lambda: np.zeros((3, 3)))
    index: int = -1  # in the builder


@dataclasses.dataclass(eq=False, slots=True)
class Shape:
    item: Item  # the geometry
    collider: Item  # has the properties: the same one, or a prim above it
    path: str
    body: Body | None
    X: Gf.Matrix4d  # in the world of the builder
    world: int
    method: str  # of the builder
    sizes: dict[str, Any]
    config: dict[str, Any]  # fields of its ShapeConfig
    density: float = 0
    is_collider: bool = True
    is_site: bool = False
    index: int = -1


@dataclasses.dataclass(eq=False, slots=True)
class Joint:
    item: Item
    kind: str  # revolute, prismatic, ball, fixed, distance, d6
    bodies: tuple[Body | None, Body | None]
    frames: tuple[Gf.Matrix4d, Gf.Matrix4d]  # in the world of the builder
    linear: list[dict[str, Any]]  # numbers of the degrees of freedom, with their axis
    angular: list[dict[str, Any]]
    enabled: bool = True
    apart: bool = False  # excludeFromArticulation
    collides: bool = False  # the bodies that it joins do
    distance: tuple[float, float] = (-1.0, -1.0)
    index: int = -1

    @property
    def world(self) -> int:
        return next(body.world for body in self.bodies if body is not None)


@dataclasses.dataclass
class Articulation:
    path: str
    bodies: list[Body]
    joints: list[tuple[Joint | None, Body, Body | None]]  # that moves the body, against the other; None: a free one
    self_collisions: bool = True
    index: int = -1


@dataclasses.dataclass
class Scene:
    stage: Stage
    units: Units
    placement: Gf.Matrix4d  # from the axes of the stage to the world of the builder
    options: Options
    bodies: list[Body] = dataclasses.field(default_factory=list)
    shapes: list[Shape] = dataclasses.field(default_factory=list)
    joints: list[Joint] = dataclasses.field(default_factory=list)
    body_of: dict[str, Body] = dataclasses.field(default_factory=dict)  # by the path of its prim
    left_out: set[str] = dataclasses.field(default_factory=set)  # bodies that are not loaded

    def owner(self, item: Item) -> Body | None:
        """The body that a prim is a part of; None: it stands still."""
        return next((self.body_of[above.path] for above in item.up() if above.path in self.body_of), None)

    def is_left_out(self, item: Item) -> bool:
        return bool(self.left_out) and any(above.path in self.left_out for above in item.up())

    def world(self, item: Item) -> int:
        """newton:world of the prim, or of the nearest one above it that has it."""
        for above in item.up():
            world = self.stage.integer(above, "newton:world")
            if world is None:
                continue
            if not -1 <= world < self.stage.limits.worlds:
                self.stage.report.fail(above.path, f"newton:world must be from -1 to {self.stage.limits.worlds - 1} "
                                                   f"(limits.worlds), is {world}")
            return world
        return -1
