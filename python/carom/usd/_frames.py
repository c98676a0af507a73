"""Matrices of USD, whose rows are the images of the axes, as rigid frames and scales, and as the numbers of a pose."""

import math
from typing import Any

import numpy as np

from carom.usd._pxr import Gf

_RIGHT_ANGLE = 1e-4  # cosine that counts as none: matrices are made from floats


class NotAFrame(Exception):
    """Says why a matrix has no frame."""


def numbers(v: Any) -> list[float]:
    """Of a vector, or of a row; the elements one by one take ten times as long."""
    result: list[float] = np.array(v, np.float64).tolist()
    return result


def rigid(M: Gf.Matrix4d) -> tuple[Gf.Matrix4d, tuple[float, float, float], bool]:
    """The frame that a matrix places, without scale, its scales along the three axes, and whether it mirrors: then z
    of the frame is the other way round."""
    rows = np.array(M).tolist()
    if not all(map(math.isfinite, (x for row in rows for x in row))):
        raise NotAFrame("its transform is not finite")
    x, y, z, place = (row[:3] for row in rows)
    scale = (math.hypot(*x), math.hypot(*y), math.hypot(*z))
    if min(scale) <= 0:
        raise NotAFrame("its transform scales by 0")
    for a, b, size in ((x, y, scale[0] * scale[1]), (x, z, scale[0] * scale[2]), (y, z, scale[1] * scale[2])):
        if abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > _RIGHT_ANGLE * size:
            raise NotAFrame("its transform is sheared: scales of its parents along axes that are not its own")
    mirrored = M.GetDeterminant3() < 0
    if max(abs(s - 1) for s in scale) > 1e-12 or mirrored:
        axes = [[component / s for component in axis] for axis, s in zip((x, y, z), scale)]
        if mirrored:
            axes[2] = [-component for component in axes[2]]
        M = Gf.Matrix4d(*axes[0], 0, *axes[1], 0, *axes[2], 0, *place, 1)
    return M.GetOrthonormalized(), scale, mirrored


def frame(place: Gf.Vec3d, turn: Gf.Quatd) -> Gf.Matrix4d:
    return Gf.Matrix4d(Gf.Matrix3d(turn.GetNormalized()), place)


def scaled(M: Gf.Matrix4d, length: float) -> Gf.Matrix4d:
    """A rigid frame whose place is measured in other units."""
    result = Gf.Matrix4d(M)
    return result.SetTranslateOnly(M.ExtractTranslation() * length)


def pose(M: Gf.Matrix4d) -> list[float]:
    """Position and quaternion xyzw of a rigid frame."""
    q = M.ExtractRotationQuat().GetNormalized()
    return [*numbers(M.ExtractTranslation()), *numbers(q.GetImaginary()), q.GetReal()]


def matrix(numbers: object) -> Gf.Matrix4d:
    """The inverse of pose()."""
    px, py, pz, x, y, z, w = (float(number) for number in numbers)  # type: ignore[attr-defined]
    return frame(Gf.Vec3d(px, py, pz), Gf.Quatd(w, x, y, z))
