"""Mass, centre of mass and inertia of bodies, by the rules of UsdPhysicsMassAPI.

A collider has its own mass, or the density of its own MassAPI, of the one of its body, of its material, or 1000 kg/m^3,
in this order. A mass of the body is that of all its colliders together, its inertia and centre of mass replace theirs.
How much space colliders fill is asked of a builder of the same precision, from density 1."""

from typing import Any

import numpy as np

from carom._rotation import Floats
from carom.usd import _frames
from carom.usd._joints import plain
from carom.usd._pxr import Gf
from carom.usd._scene import Body, Scene, Shape
from carom.usd._stage import Item

_WATER = 1000.0  # [kg/m^3]
_SMALL = 0.1  # radius of the ball whose inertia a body has that has nothing but a mass [m]


def set_masses(scene: Scene, builder: Any) -> None:
    """builder: of the kind that all of it goes to."""
    complete = {body for body in scene.bodies if _is_complete(scene, body.item)}
    colliders: dict[Body, list[Shape]] = {}
    for shape in scene.shapes:
        if shape.body is not None and shape.is_collider and shape.body not in complete:
            colliders.setdefault(shape.body, []).append(shape)
    volumes = _volumes(scene, builder, [shape for shapes in colliders.values() for shape in shapes])
    for body in scene.bodies:
        _set_mass(scene, body, colliders.get(body, []), volumes)


def _is_complete(scene: Scene, item: Item) -> bool:
    """Whether a body says everything itself, and what its colliders are like does not matter."""
    mass, inertia, com = _explicit(scene, item)
    return mass > 0 and inertia is not None and com is not None


def _explicit(scene: Scene, item: Item) -> tuple[float, Any, Any]:
    """Mass, inertia and centre of mass that a prim gives; 0 and None where it does not."""
    if "PhysicsMassAPI" not in item.schemas:
        return 0.0, None, None
    stage, units = scene.stage, scene.units
    mass = stage.number(item, "physics:mass", 0.0, least=0) * units.mass
    inertia, com = None, None
    diagonal = stage.vector(item, "physics:diagonalInertia", (0.0, 0.0, 0.0))
    if min(diagonal) < 0:
        stage.report.fail(item.path, f"physics:diagonalInertia must not be negative, is {diagonal}")
    if any(diagonal):
        x, y, z, w = stage.vector(item, "physics:principalAxes", (0.0, 0.0, 0.0, 0.0), size=4)
        axes = Gf.Matrix3d(Gf.Quatd(w, x, y, z).GetNormalized()) if any((x, y, z, w)) else Gf.Matrix3d(1)
        R = np.array(axes).T
        inertia = R @ np.diag(diagonal) @ R.T * units.inertia
    centre = stage.value(item, "physics:centerOfMass")
    if centre is not None and not _is_unset(centre):
        com = np.array(stage.vector(item, "physics:centerOfMass"))
    return mass, inertia, com


def _is_unset(centre: Any) -> bool:
    """-inf is USD's word for "not given"."""
    try:
        return bool(np.isneginf(np.array(centre, np.float64)).all())
    except (TypeError, ValueError):
        return False


def _volumes(scene: Scene, builder: Any, shapes: list[Shape]) -> dict[Shape, tuple[float, Floats, Floats]]:
    """Volume, centre and inertia at density 1 in the frame of the body, of every collider that has some."""
    measured = []
    for shape in shapes:
        if shape.method == "add_shape_plane":
            continue
        link = builder.add_link()
        cfg = builder.ShapeConfig(density=1.0)
        shell = scene.stage.value(shape.item, "newton:massModel") == "shell"
        if shell:
            cfg.is_solid = False
            cfg.thickness = scene.stage.number(shape.item, "newton:shellThickness", 0.0) * scene.units.length
        assert shape.body is not None
        X = shape.X * shape.body.X.GetInverse()
        try:
            getattr(builder, shape.method)(link, xform=_frames.pose(X), cfg=cfg, **shape.sizes)
        except ValueError as error:
            if shape.method == "add_shape_mesh":
                shape.density = 0  # an open surface fills no space
                scene.stage.report.warn(shape.path, f"has no volume, and no mass follows from it ({error})")
                continue
            scene.stage.report.fail(shape.path, str(error))
        measured.append((shape, link))
    mass, com, inertia = (np.array(getattr(builder, name).numpy(), np.float64)
                          for name in ("body_mass", "body_com", "body_inertia"))
    return {shape: (float(mass[i]), com[i], inertia[i].reshape(3, 3)) for shape, i in measured if mass[i] > 0}


def _shifted(inertia: Floats, mass: float, by: Any) -> Floats:
    """Steiner's rule: of the same mass about a point so far from its centre."""
    d = np.asarray(by)
    result: Floats = inertia + mass * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
    return result


def _part(scene: Scene, body: Body, shape: Shape, volume: tuple[float, Floats, Floats],
          body_density: float) -> tuple[float, Floats, Floats]:
    """Mass, centre and inertia of a collider, in the frame of its body."""
    size, centre, spread = volume
    mass, inertia, com = _explicit(scene, shape.collider)
    if mass == 0:
        own = 0.0
        if "PhysicsMassAPI" in shape.collider.schemas:
            own = scene.stage.number(shape.collider, "physics:density", 0.0, least=0) * scene.units.density
        mass = (own or body_density or shape.density or _WATER) * size
    spread = spread * (mass / size)
    if com is not None:
        moved = np.array((shape.X * body.X.GetInverse()).Transform(_in_frame(scene, shape.item, com)))
        spread, centre = (spread if inertia is not None else _shifted(spread, mass, moved - centre)), moved
    if inertia is not None:
        R = np.array((shape.X * body.X.GetInverse()).ExtractRotationMatrix()).T
        spread = R @ inertia @ R.T
    return mass, centre, spread


def _in_frame(scene: Scene, item: Item, point: Any) -> Gf.Vec3d:
    """A point of a prim in its rigid frame [m]."""
    M = _frames.rigid(item.matrix)[0]
    return (item.matrix * M.GetInverse()).Transform(Gf.Vec3d(*map(float, point))) * scene.units.length


def _set_mass(scene: Scene, body: Body, colliders: list[Shape], volumes: Any) -> None:
    stage = scene.stage
    mass, inertia, com = _explicit(scene, body.item)
    density = 0.0
    if "PhysicsMassAPI" in body.item.schemas:
        density = stage.number(body.item, "physics:density", 0.0, least=0) * scene.units.density
    own = body.item.path
    # A body that is a collider, too, has one MassAPI for both.
    parts = [_part(scene, body, shape, volumes[shape], density)
             if shape.collider.path != own else _plain(shape, volumes[shape], density)
             for shape in colliders if shape in volumes]
    total = sum(part[0] for part in parts)
    if total > 0:
        body.com = np.sum([part[0] * part[1] for part in parts], axis=0) / total
        body.inertia = np.sum([_shifted(part[2], part[0], part[1] - body.com) for part in parts], axis=0)
        body.mass = total
        if mass > 0:
            body.inertia, body.mass = body.inertia * (mass / total), mass
    elif mass > 0:
        body.mass = mass
        body.inertia = np.eye(3) * (0.4 * mass * _SMALL**2)
        if inertia is None:
            stage.report.warn(body.item.path, f"has a mass and no inertia: that of a ball of {_SMALL} m is taken")
    if com is not None:
        point = np.array(_in_frame(scene, body.item, com))
        if total > 0:
            body.inertia = _shifted(body.inertia, body.mass, point - body.com)
        body.com = point
    if inertia is not None:
        body.inertia = inertia
    written = stage.number(body.item, "carom:mass", least=0)  # by to_usd(), where USD takes zeros for "not given"
    if written is not None:
        body.mass = written
        body.inertia = np.array(_nine(stage.value(body.item, "carom:inertia"), scene, body.item)).reshape(3, 3)


def _nine(values: Any, scene: Scene, item: Item) -> list[float]:
    numbers = plain(values)
    if not isinstance(numbers, list) or len(numbers) != 9 or not all(isinstance(x, float) for x in numbers):
        scene.stage.report.fail(item.path, "carom:inertia must be nine numbers")
    return numbers


def _plain(shape: Shape, volume: tuple[float, Floats, Floats], density: float) -> tuple[float, Floats, Floats]:
    size, centre, spread = volume
    mass = (density or shape.density or _WATER) * size
    return mass, centre, spread * (mass / size)
