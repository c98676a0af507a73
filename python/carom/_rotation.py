"""Quaternions (xyzw) and poses (position, quaternion) as numpy arrays, over any leading axes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def from_wxyz(q: ArrayLike) -> Floats:
    return np.asarray(q, np.float64)[..., [1, 2, 3, 0]]


def to_wxyz(q: ArrayLike) -> Floats:
    return np.asarray(q, np.float64)[..., [3, 0, 1, 2]]


def conjugate(q: Floats) -> Floats:
    return np.multiply(q, (-1.0, -1.0, -1.0, 1.0))


def normalize(q: Floats) -> Floats:
    length: Floats = np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    return q / length


def multiply(a: Floats, b: Floats) -> Floats:
    va, wa, vb, wb = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = wa * vb + wb * va + np.cross(va, vb)
    return np.concatenate([vector, wa * wb - np.sum(va * vb, axis=-1, keepdims=True)], axis=-1)


def rotate(q: Floats, v: Floats) -> Floats:
    """v turned by the unit quaternion q."""
    twice = 2 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * twice + np.cross(q[..., :3], twice)


def to_matrix(q: Floats) -> Floats:
    return rotate(q[..., None, :], np.eye(3)).swapaxes(-1, -2)


def to_vectors(q: Floats) -> Floats:
    """Axis times angle of unit quaternions."""
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, np.abs(q[..., 3:])) * np.where(q[..., 3:] < 0, -1, 1)
    vectors: Floats = q[..., :3] * np.divide(angle, length, out=np.zeros_like(length), where=length > 0)
    return vectors


def from_vectors(v: Floats) -> Floats:
    """The inverse of to_vectors()."""
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2
    return np.concatenate([v * np.sinc(half / np.pi) / 2, np.cos(half)], axis=-1)


def pose(p: ArrayLike = (0, 0, 0), q: ArrayLike = (0, 0, 0, 1)) -> Floats:
    return np.concatenate([np.asarray(p, np.float64), np.asarray(q, np.float64)])


def compose(X: Floats, Y: Floats) -> Floats:
    """X Y: what Y does, seen in the frame of X."""
    return pose(X[:3] + rotate(X[3:], Y[:3]), multiply(X[3:], Y[3:]))
