"""Bodies as Xform prims with RigidBodyAPI and MassAPI, and what stands still."""

from typing import Any

import numpy as np

from carom.usd._pxr import Gf, UsdGeom, UsdPhysics
from carom.usd._write import Writer, place
from carom.usd._write_joints import free_numbers
from carom.usd._write_shapes import write_shape

_DEGREE = np.pi / 180


def write_static_shapes(writer: Writer, worlds: dict[int, Any]) -> None:
    columns = writer.columns
    for shape in np.flatnonzero(columns.shape_body < 0):
        write_shape(writer, int(shape), worlds[int(columns.shape_world[shape])])


def write_bodies(writer: Writer, worlds: dict[int, Any]) -> None:
    model, columns = writer.model, writer.columns
    shapes: dict[int, list[int]] = {}
    for shape, body in enumerate(columns.shape_body.tolist()):
        shapes.setdefault(body, []).append(shape)
    poses = np.array(model.state().body_q.numpy(), np.float64)
    roots = {int(columns.joint_child[j]) for j in columns.articulation_start[: model.articulation_count]}
    trees = np.bincount(columns.joint_articulation[columns.joint_articulation >= 0])  # joints of each
    for body, key in enumerate(model.body_key):
        world = worlds[int(columns.body_world[body])]
        xform = UsdGeom.Xform.Define(writer.stage, writer.prim_path(world, key, f"body_{body}"))
        prim = xform.GetPrim()
        writer.body_prims.append((prim, *place(xform, poses[body])))
        writer.set_key(prim, "body", body, key)
        _write_mass(writer, prim, body)
        joint = int(columns.body_joint[body])
        articulation = int(columns.joint_articulation[joint]) if joint >= 0 else -1
        if body in roots and articulation >= 0 and trees[articulation] > 1:
            UsdPhysics.ArticulationRootAPI.Apply(prim)
        for name, values in writer.custom["articulation"].items():
            if body in roots and articulation >= 0 and values[articulation] is not None:
                writer.set(prim, name, values[articulation])
        for shape in shapes.get(body, ()):
            write_shape(writer, shape, prim.GetPath())


def _write_mass(writer: Writer, prim: Any, body: int) -> None:
    columns = writer.columns
    rigid, mass = UsdPhysics.RigidBodyAPI.Apply(prim), UsdPhysics.MassAPI.Apply(prim)
    if columns.body_flags[body] & writer.module.BodyFlag.KINEMATIC:
        rigid.CreateKinematicEnabledAttr(True)
    inertia = columns.body_inertia[body].astype(float).reshape(3, 3)
    moments, axes = principal(inertia)
    mass.CreateMassAttr(float(columns.body_mass[body]))
    mass.CreateCenterOfMassAttr(Gf.Vec3f(*columns.body_com[body].tolist()))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
    mass.CreatePrincipalAxesAttr(Gf.Quatf(axes))
    if columns.body_mass[body] == 0 or not any(moments):  # for USD these are "not given"
        writer.set(prim, "carom:mass", float(columns.body_mass[body]))
        writer.set(prim, "carom:inertia", inertia.ravel())
    if columns.body_gravcomp[body] != 0:
        writer.set(prim, "carom:gravcomp", float(columns.body_gravcomp[body]))
    _write_velocity(writer, rigid, body)
    free_numbers(writer, prim, int(columns.body_joint[body]))


def _write_velocity(writer: Writer, rigid: Any, body: int) -> None:
    columns = writer.columns
    joint = int(columns.body_joint[body])
    free = joint >= 0 and columns.joint_type[joint] == int(writer.module.JointType.FREE)
    twist = columns.body_qd[body].astype(float)
    if free and twist.any():
        rigid.CreateVelocityAttr(Gf.Vec3f(*twist[:3].tolist()))
        rigid.CreateAngularVelocityAttr(Gf.Vec3f(*(twist[3:] / _DEGREE).tolist()))


def principal(inertia: Any) -> tuple[list[float], Gf.Quatd]:
    """Moments and axes of an inertia; axes that are those of the body stay where they are."""
    if np.abs(inertia - np.diag(np.diag(inertia))).max() <= 1e-12 * max(np.abs(inertia).max(), 1e-300):
        return np.diag(inertia).tolist(), Gf.Quatd(1)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] = -axes[:, 2]
    turn = Gf.Matrix3d(*axes.T.ravel().tolist())
    return np.maximum(moments, 0).tolist(), turn.ExtractRotation().GetQuat()
