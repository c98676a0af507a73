"""Meshes of a stage as triangles, with their transforms worked in, and the shapes that approximate them."""

from typing import Any

import numpy as np

from carom._rotation import Floats
from carom.usd._pxr import TIME, Gf, UsdGeom
from carom.usd._scene import Scene
from carom.usd._stage import Item

_APPROXIMATIONS = {"none", "convexHull", "convexDecomposition", "boundingCube", "boundingSphere", "meshSimplification"}


class Meshes:
    """Of all shapes; instances of one prototype share theirs."""

    def __init__(self, scene: Scene, mesh_class: Any) -> None:
        self._scene = scene
        self._mesh_class = mesh_class
        self._made: dict[Any, Any] = {}
        self._points = 0

    def shape(self, item: Item, collider: Item, A: Floats) -> tuple[str, dict[str, Any], Floats]:
        """Method of the builder, its sizes, and where the shape is in the frame that A leads to. A: 3 x 3, whose rows
        are the images of the axes [m]."""
        approximation = self._approximation(collider)
        prim = item.prim.GetPrimInPrototype() if item.prim.IsInstanceProxy() else item.prim
        key = (prim.GetPath(), approximation, A.tobytes())
        if key not in self._made:
            points, triangles = self._triangles(item, A)
            self._made[key] = self._shape(approximation, points, triangles, item.path)
        return self._made[key]  # type: ignore[no-any-return]

    def _shape(self, approximation: str, points: Floats, triangles: Any,
               path: str) -> tuple[str, dict[str, Any], Floats]:
        nowhere = np.zeros(3)
        if approximation in ("boundingCube", "boundingSphere"):
            low, high = points.min(axis=0), points.max(axis=0)
            middle = (low + high) / 2
            if approximation == "boundingSphere":
                radius = float(np.sqrt(((points - middle) ** 2).sum(axis=1).max()))
                return "add_shape_sphere", {"radius": radius}, middle
            hx, hy, hz = (float(x) for x in (high - low) / 2)
            return "add_shape_box", {"hx": hx, "hy": hy, "hz": hz}, middle
        try:
            mesh = self._mesh_class(points, triangles.ravel())
        except ValueError as error:
            self._scene.stage.report.fail(path, str(error))
        hull = approximation in ("convexHull", "convexDecomposition")
        return "add_shape_convex_hull" if hull else "add_shape_mesh", {"mesh": mesh}, nowhere

    def _approximation(self, collider: Item) -> str:
        if "PhysicsMeshCollisionAPI" not in collider.schemas or self._scene.options.skip_mesh_approximation:
            return "none"
        report = self._scene.stage.report
        approximation = str(self._scene.stage.value(collider, "physics:approximation", "none"))
        if approximation == "convexDecomposition":
            report.warn(collider.path, "approximation convexDecomposition: one convex hull is taken")
        elif approximation not in _APPROXIMATIONS or approximation == "meshSimplification":
            report.warn(collider.path, f"approximation {approximation}: the mesh is taken as it is")
        return approximation

    def _triangles(self, item: Item, A: Floats) -> tuple[Any, Any]:
        report = self._scene.stage.report
        mesh = UsdGeom.Mesh(item.prim)
        values = (mesh.GetPointsAttr().Get(TIME), mesh.GetFaceVertexCountsAttr().Get(TIME),
                  mesh.GetFaceVertexIndicesAttr().Get(TIME))
        points, counts, corners = (np.array(value if value is not None else [], kind)
                                   for value, kind in zip(values, (np.float64, np.int64, np.int64)))
        points = points.reshape(-1, 3)
        self._points += len(points) + len(corners)
        if self._points > self._scene.stage.limits.points:
            report.fail(item.path, f"more than {self._scene.stage.limits.points} points of meshes (limits.points)")
        if len(points) == 0 or len(counts) == 0:
            report.fail(item.path, "a mesh without points or faces")
        if not np.isfinite(points).all():
            report.fail(item.path, f"point {int(np.argwhere(~np.isfinite(points))[0, 0])} is not finite")
        if counts.min() < 3 or counts.sum() != len(corners):
            report.fail(item.path, f"faceVertexCounts, from 3 on, must add up to the {len(corners)} faceVertexIndices; "
                                   f"the least is {counts.min()}, the sum {counts.sum()}")
        if corners.min() < 0 or corners.max() >= len(points):
            report.fail(item.path, f"faceVertexIndices must be from 0 to {len(points) - 1}, are from "
                                   f"{corners.min()} to {corners.max()}")
        triangles = _fans(counts, corners)
        left_handed = str(mesh.GetOrientationAttr().Get()) == UsdGeom.Tokens.leftHanded
        if left_handed != (np.linalg.det(A) < 0):
            triangles = triangles[:, ::-1]
        return points @ A, triangles


def _fans(counts: Any, corners: Any) -> Any:
    """Faces cut into triangles that share their first corner."""
    if (counts == 3).all():
        return corners.reshape(-1, 3)
    first = np.repeat(np.cumsum(counts) - counts, counts - 2)
    number = np.arange(len(first)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    return np.stack([corners[first], corners[first + number + 1], corners[first + number + 2]], axis=1)


def linear(M: Gf.Matrix4d, X: Gf.Matrix4d, length: float) -> Floats:
    """What a matrix does beyond placing the frame X, rows as in USD [m]."""
    result: Floats = np.array(M * X.GetInverse())[:3, :3] * length
    return result
