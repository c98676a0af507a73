"""Coordinates of joints at the poses that the bodies have on the stage."""

import math
from typing import Any

from carom.usd._frames import numbers
from carom.usd._pxr import Gf


def between(frame0: Gf.Matrix4d, frame1: Gf.Matrix4d) -> tuple[Gf.Vec3d, Gf.Quatd]:
    """Where frame1 is in frame0."""
    M = frame1 * frame0.GetInverse()
    q = M.ExtractRotationQuat().GetNormalized()
    return M.ExtractTranslation(), -q if q.GetReal() < 0 else q


def twist(q: Gf.Quatd, axis: Gf.Vec3d) -> float:
    """How far a rotation turns about an axis."""
    return 2 * math.atan2(Gf.Dot(q.GetImaginary(), axis), q.GetReal())


def of_axes(place: Gf.Vec3d, q: Gf.Quatd, linear: list[Gf.Vec3d], angular: list[Gf.Vec3d]) -> list[float]:
    """Along axes that stand still, and about axes that each carry the next."""
    coordinates = [Gf.Dot(place, axis) for axis in linear]
    if len(angular) < 2:
        return coordinates + [twist(q, axis) for axis in angular]
    # In the frame of the axes the rotation is Rx Ry Rz; rows of a matrix of USD are images of axes.
    x, y = angular[0], angular[1]
    basis = Gf.Matrix3d(*x, *y, *Gf.Cross(x, y))
    R = basis * Gf.Matrix3d(q) * basis.GetTranspose()
    about = [math.atan2(-R[2][1], R[2][2]), math.asin(max(-1.0, min(1.0, R[2][0]))), math.atan2(-R[1][0], R[0][0])]
    if len(angular) == 3 and Gf.Dot(Gf.Cross(x, y), angular[2]) < 0:
        about[2] = -about[2]
    return coordinates + about[: len(angular)]


def seven(place: Gf.Vec3d, q: Gf.Quatd) -> list[float]:
    return [*numbers(place), *numbers(q.GetImaginary()), q.GetReal()]


def unit(axis: Any) -> Gf.Vec3d:
    return Gf.Vec3d(*(float(x) for x in axis)).GetNormalized()
