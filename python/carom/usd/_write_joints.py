"""Joints and constraints as joints of UsdPhysics. The axis of a hinge or a slider becomes x of its frames."""

import math
from typing import Any

import numpy as np

from carom.usd import _frames
from carom.usd._joints import ANGULAR, DEGREE, LINEAR
from carom.usd._pxr import Gf, Sdf, UsdPhysics
from carom.usd._write import Writer

_UNLIMITED = 1e9
_PASSIVE = {"armature": ("armature", 1.0), "damping": ("damping", DEGREE), "friction": ("friction", 1.0),
            "limit_ke": ("limitStiffness", DEGREE), "limit_kd": ("limitDamping", DEGREE),
            "velocity_limit": ("velocityLimit", 1 / DEGREE)}
# Fields of a degree of freedom that are written as carom:FIELD where they are not those of a plain JointDofConfig.
_EXTRA = ("limit_margin", "limit_solref", "limit_solimp", "friction_solref", "friction_solimp", "stiffness",
          "stiffness_poly", "damping_poly", "spring_ref", "spring_yield", "gravcomp_by_motor", "effort_lower",
          "effort_upper")


def _scope(writer: Writer, world: Any) -> Any:
    path = world.AppendChild("joints")
    if not writer.stage.GetPrimAtPath(path):
        writer.stage.DefinePrim(path, "Scope")
    return path


def write_joints(writer: Writer, worlds: dict[int, Any]) -> None:
    columns, kinds = writer.columns, writer.module.JointType
    for joint, key in enumerate(writer.keys("joint")):
        kind = kinds(int(columns.joint_type[joint]))
        parent, child = int(columns.joint_parent[joint]), int(columns.joint_child[joint])
        if kind == kinds.FREE:
            if parent >= 0:
                writer.lose(f"the parent of the free joint {key}")
            continue
        path = writer.prim_path(_scope(writer, worlds[int(columns.joint_world[joint])]), key, f"joint_{joint}")
        prim = _WRITERS[kind.name](writer, joint, path).GetPrim()
        writer.joint_prims[joint] = prim
        writer.set_key(prim, "joint", joint, key)
        _write_ends(writer, prim, joint, parent, child)
        first, last = _dofs(writer, joint)
        velocity = columns.joint_qd[first:last].astype(float)
        if velocity.any():
            writer.set(prim, "carom:qd", velocity)


def _dofs(writer: Writer, joint: int) -> tuple[int, int]:
    return int(writer.columns.joint_qd_start[joint]), int(writer.columns.joint_qd_start[joint + 1])


def _write_ends(writer: Writer, prim: Any, joint: int, parent: int, child: int) -> None:
    columns, api = writer.columns, UsdPhysics.Joint(prim)
    turn = _frame_of_axes(writer, joint)
    X_p, X_c = (turn * _frames.matrix(x[joint]) for x in (columns.joint_X_p, columns.joint_X_c))
    _write_frames(writer, api, (parent, child), (X_p, X_c))
    if not columns.joint_enabled[joint]:
        api.CreateJointEnabledAttr(False)
    filters = writer.module.ShapeFlag.FILTER_PARENT
    flags = columns.shape_flags[columns.shape_body == child] if writer.model.shape_count else np.array([], int)
    if parent >= 0 and len(flags) and not (flags & int(filters)).any():
        api.CreateCollisionEnabledAttr(True)


def _write_frames(writer: Writer, api: Any, bodies: tuple[int, int], frames: Any) -> None:
    relations = (api.CreateBody0Rel, api.CreateBody1Rel)
    places = (api.CreateLocalPos0Attr, api.CreateLocalPos1Attr)
    turns = (api.CreateLocalRot0Attr, api.CreateLocalRot1Attr)
    for body, X, relation, place, turn in zip(bodies, frames, relations, places, turns):
        if body >= 0:
            relation().SetTargets([writer.body_prims[body][0].GetPath()])
        place(Gf.Vec3f(X.ExtractTranslation()))
        turn(Gf.Quatf(X.ExtractRotationQuat()))


def _frame_of_axes(writer: Writer, joint: int) -> Gf.Matrix4d:
    """A frame along the axes: those that turn, or those that slide."""
    columns, kinds = writer.columns, writer.module.JointType
    if columns.joint_type[joint] not in (int(kinds.REVOLUTE), int(kinds.PRISMATIC), int(kinds.D6)):
        return Gf.Matrix4d(1)
    first, last = _dofs(writer, joint)
    slides = int(columns.joint_dof_dim[joint][0])
    axes = columns.joint_axis[first + slides : last] if first + slides < last else columns.joint_axis[first:last]
    return _along([Gf.Vec3d(*axis.tolist()).GetNormalized() for axis in axes.astype(float)])


def _along(axes: list[Gf.Vec3d]) -> Gf.Matrix4d:
    x = axes[0] if axes else Gf.Vec3d(1, 0, 0)
    if len(axes) < 2:
        R = Gf.Matrix4d(1)
        # Where the axis is y or z already, the frame turns by a quarter; otherwise as little as it can.
        return R.SetRotate(Gf.Rotation(Gf.Vec3d(1, 0, 0), x))
    y = (axes[1] - x * Gf.Dot(x, axes[1])).GetNormalized()
    return Gf.Matrix4d(Gf.Matrix3d(*x, *y, *Gf.Cross(x, y)), Gf.Vec3d(0))


def _write_revolute(writer: Writer, joint: int, path: Any) -> Any:
    api = UsdPhysics.RevoluteJoint.Define(writer.stage, path)
    _write_axis(writer, api, joint, "angular")
    return api


def _write_prismatic(writer: Writer, joint: int, path: Any) -> Any:
    api = UsdPhysics.PrismaticJoint.Define(writer.stage, path)
    _write_axis(writer, api, joint, "linear")
    return api


def _write_axis(writer: Writer, api: Any, joint: int, name: str) -> None:
    dof, unit = _dofs(writer, joint)[0], DEGREE if name == "angular" else 1.0
    api.CreateAxisAttr("X")
    low, high = _limits(writer, dof)
    if low > -math.inf:
        api.CreateLowerLimitAttr(low / unit)
    if high < math.inf:
        api.CreateUpperLimitAttr(high / unit)
    _write_numbers(writer, api.GetPrim(), dof, name, "")
    q = float(writer.columns.joint_q[writer.columns.joint_q_start[joint]])
    if name == "angular" and abs(q) > 3:  # that of the poses may be a turn away
        writer.set(api.GetPrim(), "carom:q", [q])


def _limits(writer: Writer, dof: int) -> tuple[float, float]:
    low, high = float(writer.columns.joint_limit_lower[dof]), float(writer.columns.joint_limit_upper[dof])
    return low if low > -_UNLIMITED else -math.inf, high if high < _UNLIMITED else math.inf


def _write_ball(writer: Writer, joint: int, path: Any) -> Any:
    api = UsdPhysics.SphericalJoint.Define(writer.stage, path)
    dof = _dofs(writer, joint)[0]
    high = _limits(writer, dof)[1]
    if high < math.inf:
        api.CreateConeAngle0LimitAttr(high / DEGREE)
        api.CreateConeAngle1LimitAttr(high / DEGREE)
        writer.set(api.GetPrim(), "carom:limit_upper", high)
    _write_numbers(writer, api.GetPrim(), dof, "angular", "")
    return api


def _write_fixed(writer: Writer, joint: int, path: Any) -> Any:
    return UsdPhysics.FixedJoint.Define(writer.stage, path)


def _write_distance(writer: Writer, joint: int, path: Any) -> Any:
    api = UsdPhysics.DistanceJoint.Define(writer.stage, path)
    low, high = _limits(writer, _dofs(writer, joint)[0])
    api.CreateMinDistanceAttr(low if 0 <= low < math.inf else -1.0)
    api.CreateMaxDistanceAttr(high if 0 <= high < math.inf else -1.0)
    return api


def _write_d6(writer: Writer, joint: int, path: Any) -> Any:
    """The frame is along the axes, so each of them is one of USD's; carom:axes says which, and which way."""
    api, columns = UsdPhysics.Joint.Define(writer.stage, path), writer.columns
    first, last = _dofs(writer, joint)
    slides, into = int(columns.joint_dof_dim[joint][0]), _frame_of_axes(writer, joint).GetInverse()
    locked, axes = {*LINEAR, *ANGULAR}, []
    for number, dof in enumerate(range(first, last)):
        axis = into.TransformDir(Gf.Vec3d(*columns.joint_axis[dof].astype(float).tolist())).GetNormalized()
        place = max(range(3), key=lambda i: abs(axis[i]))
        if abs(axis[place]) < 1 - 1e-6:
            writer.lose(f"axes of the joint {writer.keys('joint')[joint]} that are no right angles")
        name, unit = (LINEAR[place], 1.0) if number < slides else (ANGULAR[place], DEGREE)
        locked.discard(name)
        low, high = (x / unit for x in _limits(writer, dof))
        if axis[place] < 0:
            low, high = -high, -low
        if low > -math.inf or high < math.inf:
            limit = UsdPhysics.LimitAPI.Apply(api.GetPrim(), name)
            limit.CreateLowAttr(low)
            limit.CreateHighAttr(high)
        axes.append(Gf.Vec3f(*(float(round(x)) if abs(abs(x) - 1) < 1e-6 or abs(x) < 1e-6 else x for x in axis)))
        _write_numbers(writer, api.GetPrim(), dof, name, f"axis{number}:")
        for end, value in zip(("limit_lower", "limit_upper"), _limits(writer, dof)):
            if axis[place] < 0 and abs(value) < math.inf:
                writer.set(api.GetPrim(), f"carom:axis{number}:{end}", value)
    for name in sorted(locked):
        limit = UsdPhysics.LimitAPI.Apply(api.GetPrim(), name)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)
    prim = api.GetPrim()
    prim.CreateAttribute("carom:axes", Sdf.ValueTypeNames.Float3Array, custom=True).Set(axes)
    writer.set(prim, "carom:slides", slides)
    start = int(columns.joint_q_start[joint])
    q = columns.joint_q[start : start + last - first].astype(float)
    if np.abs(q[slides:]).max(initial=0) > 1.5:
        writer.set(prim, "carom:q", q)
    return api


_WRITERS = {"REVOLUTE": _write_revolute, "PRISMATIC": _write_prismatic, "BALL": _write_ball, "FIXED": _write_fixed,
            "DISTANCE": _write_distance, "D6": _write_d6}


def _write_numbers(writer: Writer, prim: Any, dof: int, name: str, prefix: str) -> None:
    columns, usual = writer.columns, writer.module.JointDofConfig()
    turns, axis = name == "angular" or name.startswith("rot"), name if prefix else ""
    for field, (word, per_degree) in _PASSIVE.items():
        value = float(getattr(columns, f"joint_{field}")[dof])
        if abs(value - getattr(usual, field)) > 1e-6 * abs(value):
            full = f"newton:{axis}:{word}" if axis else f"newton:{word}"
            value *= per_degree if turns else 1.0
            prim.CreateAttribute(full, Sdf.ValueTypeNames.Float, custom=True).Set(value)
    efforts = [float(columns.joint_effort_lower[dof]), float(columns.joint_effort_upper[dof])]
    gains = [float(getattr(columns, f"joint_target_{x}")[dof]) for x in ("ke", "kd", "pos", "vel")]
    left = set()
    if any(gains):
        drive = UsdPhysics.DriveAPI.Apply(prim, name)
        unit = DEGREE if turns else 1.0
        drive.CreateTypeAttr("force")
        drive.CreateStiffnessAttr(gains[0] * unit)
        drive.CreateDampingAttr(gains[1] * unit)
        drive.CreateTargetPositionAttr(gains[2] / unit)
        drive.CreateTargetVelocityAttr(gains[3] / unit)
        if efforts[0] == -efforts[1]:
            drive.CreateMaxForceAttr(efforts[1])
            left = {"effort_lower", "effort_upper"}
    for field in _EXTRA:
        value, plain = getattr(columns, f"joint_{field}")[dof], getattr(usual, field)
        different = np.abs(np.asarray(value, float) - np.asarray(plain, float)).max() > 1e-7
        if field not in left and (different or (any(gains) and field.startswith("effort"))):
            writer.set(prim, f"carom:{prefix}{field}", bool(value) if isinstance(plain, bool) else value)


def free_numbers(writer: Writer, prim: Any, joint: int) -> None:
    """Numbers of a free joint, which has no prim, on that of its body: carom:free:FIELD."""
    columns, usual = writer.columns, writer.module.JointDofConfig()
    if joint < 0 or columns.joint_type[joint] != int(writer.module.JointType.FREE):
        return
    key, dof = writer.keys("joint")[joint], _dofs(writer, joint)[0]
    if not (key.startswith("joint_") and key[len("joint_") :].isdigit()):
        writer.set(prim, "carom:free:key", key)
    for field in (*_PASSIVE, *_EXTRA):
        value, plain = getattr(columns, f"joint_{field}")[dof], getattr(usual, field)
        if field != "spring_ref" and np.abs(np.asarray(value, float) - np.asarray(plain, float)).max() > 1e-7:
            writer.set(prim, f"carom:free:{field}", bool(value) if isinstance(plain, bool) else value)


def _write_mimic(writer: Writer, row: int, key: str) -> bool:
    """A hinge or a slider that follows another one in proportion; False: this is none."""
    columns, kinds = writer.columns, writer.module.JointType
    joints = [int(getattr(columns, f"equality_constraint_joint{i}")[row]) for i in (1, 2)]
    coefficients = columns.equality_constraint_polycoef[row].astype(float)
    of_one_axis = (int(kinds.REVOLUTE), int(kinds.PRISMATIC))
    if min(joints) < 0 or coefficients[2:].any() or any(columns.joint_type[j] not in of_one_axis for j in joints):
        return False
    prim, other = (writer.joint_prims[j] for j in joints)
    mine, theirs = (DEGREE if columns.joint_type[j] == of_one_axis[0] else 1.0 for j in joints)
    if prim.HasRelationship("newton:mimicJoint"):  # one joint follows one other
        return False
    prim.CreateRelationship("newton:mimicJoint", custom=True).SetTargets([other.GetPath()])
    writer.set(prim, "newton:mimicCoef0", coefficients[0] / mine)
    writer.set(prim, "newton:mimicCoef1", coefficients[1] * theirs / mine)
    writer.set(prim, "newton:mimicEnabled", bool(columns.equality_constraint_enabled[row]))
    made_up = key.startswith("equality_constraint_") and key.rsplit("_", 1)[1].isdigit()
    writer.set(prim, "carom:mimic:key", "" if made_up else key)
    for name in ("solref", "solimp"):
        writer.set(prim, f"carom:mimic:{name}", getattr(columns, f"equality_constraint_{name}")[row])
    return True


def write_equalities(writer: Writer, worlds: dict[int, Any]) -> None:
    """Those that hold points or bodies together are joints outside of articulations."""
    columns, kinds = writer.columns, writer.module.EqualityType
    for row, key in enumerate(writer.keys("equality_constraint")):
        kind = kinds(int(columns.equality_constraint_type[row]))
        if kind == kinds.JOINT and _write_mimic(writer, row, key):
            continue
        if kind not in (kinds.CONNECT, kinds.WELD):
            writer.lose(f"equality constraint {key}, of {kind.name.lower()}s")
            continue
        path = writer.prim_path(_scope(writer, worlds[int(columns.equality_constraint_world[row])]), key, f"loop_{row}")
        bodies = (int(columns.equality_constraint_body1[row]), int(columns.equality_constraint_body2[row]))
        anchor = Gf.Vec3d(*columns.equality_constraint_anchor[row].astype(float).tolist())
        if kind == kinds.CONNECT:
            other = Gf.Vec3d(*columns.equality_constraint_anchor2[row].astype(float).tolist())
            frames = [Gf.Matrix4d(1).SetTranslate(point) for point in (anchor, other)]
            api: Any = UsdPhysics.SphericalJoint.Define(writer.stage, path)
        else:
            second = Gf.Matrix4d(1).SetTranslate(anchor)
            frames = [second * _frames.matrix(columns.equality_constraint_relpose[row]), second]
            api = UsdPhysics.FixedJoint.Define(writer.stage, path)
        _write_frames(writer, api, bodies, frames)
        api.CreateExcludeFromArticulationAttr(True)
        api.CreateJointEnabledAttr(bool(columns.equality_constraint_enabled[row]))
        api.CreateCollisionEnabledAttr(True)
        writer.set_key(api.GetPrim(), "equality_constraint", row, key)
        for name in ("solref", "solimp"):
            writer.set(api.GetPrim(), f"carom:{name}", getattr(columns, f"equality_constraint_{name}")[row])
        if kind == kinds.WELD:
            writer.set(api.GetPrim(), "carom:torquescale", float(columns.equality_constraint_torquescale[row]))
