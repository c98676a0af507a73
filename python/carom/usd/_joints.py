"""Joints of UsdPhysics: which bodies they join where, their degrees of freedom, limits and drives.

Angles are degrees on the stage, and stiffness and damping of what turns are per degree."""

import math
from typing import Any

from carom.usd import _frames
from carom.usd._pxr import Gf
from carom.usd._scene import Body, Joint, Scene
from carom.usd._stage import Item

DEGREE = math.pi / 180
LINEAR, ANGULAR = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
_UNIT = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_UNLIMITED = 1e10
# Numbers of newton: by joint or by axis, the field, and how they are measured where something slides, where it turns.
_PASSIVE = {
    "armature": ("armature", "mass", "inertia", 1.0),
    "damping": ("damping", "mass", "torque", 1 / DEGREE),
    "friction": ("friction", "force", "torque", 1.0),
    "limitStiffness": ("limit_ke", "mass", "torque", 1 / DEGREE),
    "limitDamping": ("limit_kd", "mass", "torque", 1 / DEGREE),
    "velocityLimit": ("velocity_limit", "length", None, DEGREE),
}
KNOWN = {f"newton:{name}" for name in _PASSIVE} | {"physxJoint:armature", "physxJoint:jointFriction",
                                                  "physxJoint:maxJointVelocity", "newton:mimicJoint",
                                                  "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled"}


def read_joints(scene: Scene) -> None:
    for item in scene.stage.items:
        if item.kind != "joint" or scene.is_left_out(item):
            continue
        enabled = scene.stage.flag(item, "physics:jointEnabled", True)
        if enabled or not scene.options.only_load_enabled_joints:
            joint = _read_joint(scene, item, enabled)
            if joint is not None:
                scene.joints.append(joint)


def _end(scene: Scene, item: Item, number: int) -> tuple[Body | None, Gf.Matrix4d] | None:
    """Body on one side of a joint, and the frame of the joint there; None: the body is not loaded."""
    stage = scene.stage
    targets = stage.targets(item, f"physics:body{number}")
    if len(targets) > 1:
        stage.report.fail(item.path, f"physics:body{number} names {len(targets)} prims; a joint has one on each side")
    body, M = None, Gf.Matrix4d(1)
    if targets and targets[0] != "/":
        target = stage.by_path.get(targets[0])
        if target is None:
            if stage.stage.GetPrimAtPath(targets[0]):
                stage.report.warn(item.path, "joins what is left out, and is left out, too")
                return None
            stage.report.fail(item.path, f"physics:body{number}: there is no prim {targets[0]}")
        if scene.is_left_out(target):
            return None
        body, M = scene.owner(target), target.matrix
    place = stage.vector(item, f"physics:localPos{number}", (0.0, 0.0, 0.0))
    x, y, z, w = stage.vector(item, f"physics:localRot{number}", (0.0, 0.0, 0.0, 1.0), size=4)
    if not any((x, y, z, w)):
        stage.report.fail(item.path, f"physics:localRot{number} must not be zero")
    try:
        R = _frames.rigid(M)[0]
    except _frames.NotAFrame as why:
        stage.report.fail(item.path, f"physics:body{number}, {targets[0]}: {why}")
    X = _frames.frame(Gf.Vec3d(0), Gf.Quatd(w, x, y, z)) * R
    X.SetTranslateOnly(M.Transform(Gf.Vec3d(*place)))
    return body, _frames.scaled(X, scene.units.length) * scene.placement


def _read_joint(scene: Scene, item: Item, enabled: bool) -> Joint | None:
    ends = [_end(scene, item, number) for number in (0, 1)]
    if ends[0] is None or ends[1] is None:
        return None
    (body0, X0), (body1, X1) = ends[0], ends[1]
    stage = scene.stage
    if body0 is None and body1 is None:
        stage.report.warn(item.path, "joins nothing that moves; left out")
        return None
    if body0 is body1:
        stage.report.fail(item.path, f"physics:body0 and physics:body1 are the same body, {body0.item.path}"
                          if body0 else "joins the world with itself")
    joint = Joint(item, "d6", (body0, body1), (X0, X1), [], [], enabled,
                  stage.flag(item, "physics:excludeFromArticulation", False),
                  stage.flag(item, "physics:collisionEnabled", False))
    reader = _READERS.get(str(item.prim.GetTypeName()))
    if reader is None:
        stage.report.fail(item.path, f"a joint of type {item.prim.GetTypeName()}; one of {', '.join(_READERS)} is read")
    reader(scene, joint)
    _read_extra(scene, joint)
    return joint


def _revolute(scene: Scene, joint: Joint) -> None:
    joint.kind = "revolute"
    low, high = _limits(scene, joint.item, "physics:lowerLimit", "physics:upperLimit")
    joint.angular = [_dof(scene, joint.item, "angular", _axis(scene, joint.item), low, high)]


def _prismatic(scene: Scene, joint: Joint) -> None:
    joint.kind = "prismatic"
    low, high = _limits(scene, joint.item, "physics:lowerLimit", "physics:upperLimit")
    joint.linear = [_dof(scene, joint.item, "linear", _axis(scene, joint.item), low, high)]


def _spherical(scene: Scene, joint: Joint) -> None:
    joint.kind = "ball"
    for name in ("physics:coneAngle0Limit", "physics:coneAngle1Limit"):
        if scene.stage.number(joint.item, name, -1.0, infinite=True) >= 0 and not _is_ours(joint.item):
            scene.stage.report.warn(joint.item.path, "the limits of a cone are not read: it turns freely")
    joint.angular = [_dof(scene, joint.item, "angular", _UNIT["X"], -math.inf, math.inf)]


def _fixed(scene: Scene, joint: Joint) -> None:
    joint.kind = "fixed"


def _distance(scene: Scene, joint: Joint) -> None:
    joint.kind = "distance"
    number, length = scene.stage.number, scene.units.length
    low, high = (number(joint.item, f"physics:{name}Distance", -1.0, infinite=True) for name in ("min", "max"))
    if low > high >= 0:
        scene.stage.report.fail(joint.item.path, f"physics:minDistance {low:g} is larger than maxDistance {high:g}")
    joint.distance = tuple(x * length if 0 <= x < math.inf else -1.0 for x in (low, high))  # type: ignore[assignment]


def _d6(scene: Scene, joint: Joint) -> None:
    """An axis without a LimitAPI is free, one whose limits are the wrong way round is locked."""
    item = joint.item
    for names, dofs in ((LINEAR, joint.linear), (ANGULAR, joint.angular)):
        for name in names:
            low, high = -math.inf, math.inf
            if f"PhysicsLimitAPI:{name}" in item.schemas:
                low, high = (scene.stage.number(item, f"limit:{name}:physics:{end}", default, infinite=True)
                             for end, default in (("low", -math.inf), ("high", math.inf)))
                if low > high:
                    continue
            dofs.append(_dof(scene, item, name, _UNIT[name[-1]], low, high))
    if not joint.linear and not joint.angular:
        joint.kind = "fixed"
    elif not joint.linear and len(joint.angular) == 3 and not any(_is_bounded(dof) for dof in joint.angular):
        joint.kind, joint.angular = "ball", joint.angular[:1]


_READERS = {
    "PhysicsRevoluteJoint": _revolute,
    "PhysicsPrismaticJoint": _prismatic,
    "PhysicsSphericalJoint": _spherical,
    "PhysicsFixedJoint": _fixed,
    "PhysicsDistanceJoint": _distance,
    "PhysicsJoint": _d6,
}


def _is_bounded(dof: dict[str, Any]) -> bool:
    return any(field not in ("axis", "armature") for field in dof)


def _is_ours(item: Item) -> bool:
    """Written by to_usd(), which says more than USD can."""
    return any(name.startswith("carom:") for name in item.names)


_NO_DOF = {"axes", "slides", "key", "q", "qd", "solref", "solimp", "torquescale", "mimic"}


def _axis(scene: Scene, item: Item) -> tuple[float, float, float]:
    axis = str(scene.stage.value(item, "physics:axis", "X"))
    if axis not in _UNIT:
        scene.stage.report.fail(item.path, f"physics:axis must be X, Y or Z, is '{axis}'")
    return _UNIT[axis]


def _limits(scene: Scene, item: Item, lower: str, upper: str) -> tuple[float, float]:
    low = scene.stage.number(item, lower, -math.inf, infinite=True)
    high = scene.stage.number(item, upper, math.inf, infinite=True)
    if low > high:
        scene.stage.report.fail(item.path, f"{lower} {low:g} is larger than {upper} {high:g}")
    return low, high


def _dof(scene: Scene, item: Item, name: str, axis: tuple[float, float, float], low: float,
         high: float) -> dict[str, Any]:
    turns = name == "angular" or name.startswith("rot")
    unit = DEGREE if turns else scene.units.length
    dof: dict[str, Any] = {"axis": axis}
    if low > -math.inf:
        dof["limit_lower"] = low * unit
    if high < math.inf:
        dof["limit_upper"] = high * unit
    if f"PhysicsDriveAPI:{name}" in item.schemas:
        dof |= _drive(scene, item, name, turns)
    for word, (field, slides, turning, per_angle) in _PASSIVE.items():
        place = next((p for p in (f"newton:{name}:{word}", f"newton:{word}") if p in item.names), None)
        value = scene.stage.number(item, place, infinite=True) if place else None
        if value is None or math.isinf(value):
            continue
        if value < 0:
            scene.stage.report.fail(item.path, f"newton:{word} must not be negative, is {value:g}")
        unit_name = turning if turns else slides
        dof[field] = value * (getattr(scene.units, unit_name) if unit_name else 1.0) * (per_angle if turns else 1.0)
    armature = scene.stage.number(item, "physxJoint:armature", least=0)
    if armature is not None and "armature" not in dof:
        dof["armature"] = armature * (scene.units.inertia if turns else scene.units.mass)
    speed = scene.stage.number(item, "physxJoint:maxJointVelocity", least=0, infinite=True)
    if speed is not None and not math.isinf(speed) and "velocity_limit" not in dof:
        dof["velocity_limit"] = speed * unit
    return dof


def _drive(scene: Scene, item: Item, name: str, turns: bool) -> dict[str, Any]:
    stage, units = scene.stage, scene.units
    prefix = f"drive:{name}:physics:"
    if str(stage.value(item, prefix + "type", "force")) != "force":
        stage.report.warn(item.path, "a drive by acceleration is taken for one by force")
    gain = (units.torque / DEGREE if turns else units.mass) * scene.options.joint_drive_gains_scaling
    length = DEGREE if turns else units.length
    drive = {"target_ke": stage.number(item, prefix + "stiffness", 0.0, least=0) * gain,
             "target_kd": stage.number(item, prefix + "damping", 0.0, least=0) * gain,
             "target_pos": stage.number(item, prefix + "targetPosition", 0.0) * length,
             "target_vel": stage.number(item, prefix + "targetVelocity", 0.0) * length}
    force = stage.number(item, prefix + "maxForce", math.inf, least=0, infinite=True)
    effort = min(force * (units.torque if turns else units.force), _UNLIMITED)
    return drive | {"effort_lower": -effort, "effort_upper": effort}


def _read_extra(scene: Scene, joint: Joint) -> None:
    """What to_usd() wrote beside USD's words: axes that are not those of the frame, in the order of the coordinates,
    and numbers of degrees of freedom, in SI units: carom:FIELD, of several degrees carom:axisNUMBER:FIELD."""
    item = joint.item
    axes = scene.stage.value(item, "carom:axes")
    slides = scene.stage.integer(item, "carom:slides")
    if axes is not None and slides is not None and joint.kind == "d6":
        axes = plain(axes)
        if not isinstance(axes, list) or not 0 <= slides <= 3 or not all(
                isinstance(axis, list) and len(axis) == 3 and all(map(math.isfinite, axis)) for axis in axes):
            scene.stage.report.fail(item.path, "carom:axes must be vectors of three finite numbers, carom:slides their "
                                               "number")
        by_axis = {tuple(abs(round(x)) for x in dof["axis"]): dof for dof in joint.linear}
        turning = {tuple(abs(round(x)) for x in dof["axis"]): dof for dof in joint.angular}
        found = [(by_axis if i < slides else turning).get(tuple(abs(round(x)) for x in axis), {})
                 for i, axis in enumerate(axes)]
        dofs = [dict(dof) | {"axis": tuple(float(x) for x in axis)} for dof, axis in zip(found, axes)]
        for dof in dofs:
            if min(dof["axis"]) < -0.5:  # USD's limits are the other way round; its own follow
                dof.pop("limit_lower", None), dof.pop("limit_upper", None)
        joint.linear, joint.angular = dofs[:slides], dofs[slides:]
    dofs = joint.linear + joint.angular
    for attribute in item.prim.GetAuthoredAttributes() if _is_ours(item) else ():
        words = attribute.GetName().split(":")
        if words[0] != "carom" or words[1] in _NO_DOF or len(words) > 3:
            continue
        digits = words[1].removeprefix("axis")
        number = int(digits) if len(words) == 3 and digits.isdecimal() else 0
        if number < len(dofs):
            dofs[number][words[-1]] = plain(attribute.Get())


def plain(value: Any) -> Any:
    """A value of USD as one of Python: numbers, texts and lists of them."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if hasattr(value, "GetImaginary"):
        return [*_frames.numbers(value.GetImaginary()), value.GetReal()]
    try:
        return [plain(element) for element in value]
    except TypeError:
        return str(value)
