"""Matrices of USD, whose rows are the images of the axes, as rigid frames and scales; and as the seven numbers of a pose."""

import math

from carom.usd._pxr import Gf

_RIGHT_ANGLE = 1e-4  # cosine that counts as none: matrices are made from floats


class NotAFrame(Exception):
    """Says why a matrix has no frame."""


def rigid(M: Gf.Matrix4d) -> tuple[Gf.Matrix4d, tuple[float, float, float], bool]:
    """The frame that a matrix places, without scale, its scales along the three axes, and whether it mirrors: then z
    of the frame is the other way round."""
    rows = [M.GetRow3(i) for i in range(3)]
    place = M.ExtractTranslation()
    if not all(math.isfinite(x) for v in (*rows, place) for x in v):
        raise NotAFrame("its transform is not finite")
    scale = tuple(row.GetLength() for row in rows)
    if min(scale) <= 0:
        raise NotAFrame("its transform scales by 0")
    axes = [row / s for row, s in zip(rows, scale)]
    if max(abs(Gf.Dot(axes[i], axes[j])) for i, j in ((0, 1), (0, 2), (1, 2))) > _RIGHT_ANGLE:
        raise NotAFrame("its transform is sheared: scales of its parents along axes that are not its own")
    mirrored = Gf.Dot(Gf.Cross(axes[0], axes[1]), axes[2]) < 0
    if mirrored:
        axes[2] = -axes[2]
    R = Gf.Matrix3d(*axes[0], *axes[1], *axes[2]).GetOrthonormalized()
    return Gf.Matrix4d(R, place), scale, mirrored


def frame(place: Gf.Vec3d, turn: Gf.Quatd) -> Gf.Matrix4d:
    return Gf.Matrix4d(Gf.Matrix3d(turn.GetNormalized()), place)


def scaled(M: Gf.Matrix4d, length: float) -> Gf.Matrix4d:
    """A rigid frame whose place is measured in other units."""
    result = Gf.Matrix4d(M)
    return result.SetTranslateOnly(M.ExtractTranslation() * length)


def pose(M: Gf.Matrix4d) -> list[float]:
    """Position and quaternion xyzw of a rigid frame."""
    q = M.ExtractRotationQuat().GetNormalized()
    return [*M.ExtractTranslation(), *q.GetImaginary(), q.GetReal()]


def matrix(numbers: object) -> Gf.Matrix4d:
    """The inverse of pose()."""
    px, py, pz, x, y, z, w = (float(number) for number in numbers)  # type: ignore[attr-defined]
    return frame(Gf.Vec3d(px, py, pz), Gf.Quatd(w, x, y, z))
