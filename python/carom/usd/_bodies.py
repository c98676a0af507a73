"""Rigid bodies: where they are, and which of them move."""

import math

from carom.usd import _frames
from carom.usd._pxr import Gf, UsdGeom
from carom.usd._scene import Body, Scene

_DEGREE = math.pi / 180


def read_bodies(scene: Scene) -> None:
    stage = scene.stage
    for item in stage.items:
        if "PhysicsRigidBodyAPI" not in item.schemas:
            continue
        if not stage.flag(item, "physics:rigidBodyEnabled", True):  # what is in it stands still
            if scene.options.only_load_enabled_rigid_bodies:
                scene.left_out.add(item.path)
            continue
        try:
            X, scale, mirrored = _frames.rigid(item.matrix)
        except _frames.NotAFrame as why:
            stage.report.fail(item.path, f"a body, but {why}")
        if mirrored:
            stage.report.fail(item.path, "a body, but its transform mirrors it (a negative scale); mirror its shapes "
                                         "instead")
        body = Body(item, _frames.scaled(X, scene.units.length) * scene.placement, scene.world(item), scale)
        body.kinematic = stage.flag(item, "physics:kinematicEnabled", False)
        scene.bodies.append(body)
        scene.body_of[item.path] = body


def initial_velocity(scene: Scene, body: Body) -> list[float] | None:
    """Velocity of the centre of mass and angular velocity, world axes of the builder; None: it begins at rest. On the
    stage they are in the space that the transform of the body is in, that of its parent."""
    linear = scene.stage.vector(body.item, "physics:velocity", (0.0, 0.0, 0.0))
    angular = scene.stage.vector(body.item, "physics:angularVelocity", (0.0, 0.0, 0.0))
    if not any(linear) and not any(angular):
        return None
    parent = body.item.parent
    if parent is not None and not UsdGeom.Xformable(body.item.prim).GetResetXformStack():
        linear = parent.matrix.TransformDir(linear)
        try:
            angular = _frames.rigid(parent.matrix)[0].TransformDir(angular)
        except _frames.NotAFrame as why:
            scene.stage.report.fail(parent.path, f"the velocity of a body is in its space, but {why}")
    linear, angular = (_frames.numbers(scene.placement.TransformDir(Gf.Vec3d(*_frames.numbers(v))))
                       for v in (linear, angular))
    return [x * scene.units.length for x in linear] + [x * _DEGREE for x in angular]
