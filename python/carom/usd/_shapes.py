"""Colliders as shapes, and what is only seen as shapes that touch nothing."""

from collections.abc import Callable
from typing import Any

from carom.usd import _frames
from carom.usd._materials import Materials, contact_fields
from carom.usd._meshes import Meshes, linear
from carom.usd._pxr import Gf, UsdGeom
from carom.usd._scene import Scene, Shape
from carom.usd._stage import Item

Vec = tuple[float, float, float]
# What turns z into an axis of USD.
_TURN = {"X": Gf.Quatd(0.5, 0.5, 0.5, 0.5), "Y": Gf.Quatd(0.5, -0.5, -0.5, -0.5), "Z": Gf.Quatd(1)}


def read_shapes(scene: Scene, mesh_class: Any) -> None:
    reader = _Reader(scene, mesh_class)
    for item in scene.stage.items:
        if scene.is_left_out(item):
            continue
        if "PhysicsCollisionAPI" in item.schemas:
            reader.add_collider(item)
        elif item.kind == "gprim" and (scene.options.load_visual_shapes or scene.stage.flag(item, "carom:site", False)):
            reader.add_visual(item)
    scene.shapes.sort(key=lambda shape: shape.is_site)  # sites follow the shapes


class _Reader:
    def __init__(self, scene: Scene, mesh_class: Any) -> None:
        self.scene = scene
        self.materials = Materials(scene)
        self.meshes = Meshes(scene, mesh_class)
        self.colliding: set[str] = set()  # geometry that belongs to a collider above it
        self.below: dict[str, list[Item]] = {}  # geometry by the collider without one of its own above it
        for item in scene.stage.items:
            if item.kind == "gprim" and "PhysicsCollisionAPI" not in item.schemas:
                self._find_collider(item)

    def _find_collider(self, item: Item) -> None:
        """A collider that is no geometry itself, as an Xform, is all of the geometry below it."""
        for above in item.up():
            if above.kind != "gprim" and "PhysicsCollisionAPI" in above.schemas:
                self.below.setdefault(above.path, []).append(item)
                self.colliding.add(item.path)
                return
            if above.path in self.scene.body_of:
                return

    def add_collider(self, item: Item) -> None:
        stage = self.scene.stage
        fields, density = self.materials.of(item)
        fields = fields | contact_fields(self.scene, item)
        if not stage.flag(item, "physics:collisionEnabled", True):
            fields |= {"has_shape_collision": False, "has_particle_collision": False}
        group = next((g for g in (stage.integer(above, "newton:collision_group") for above in item.up())
                      if g is not None), None)
        if group is not None:
            fields["collision_group"] = group
        for geometry in [item] if item.kind == "gprim" else self.below.get(item.path, []):
            self._append(geometry, item, fields, density)
        if item.kind != "gprim" and item.path not in self.below:
            stage.report.warn(item.path, "a collider without geometry is taken for a Cube with USD's default size, 2")
            self._append(item, item, fields, density, cube=True)

    def add_visual(self, item: Item) -> None:
        stage = self.scene.stage
        if stage.flag(item, "carom:site", False):
            self._append(item, item, {}, 0, is_collider=False)
            self.scene.shapes[-1].is_site = True
            return
        purpose = str(UsdGeom.Imageable(item.prim).ComputePurpose())
        if item.path in self.colliding or purpose in ("guide", "proxy"):
            return
        seen = str(UsdGeom.Imageable(item.prim).ComputeVisibility()) != "invisible"
        fields = {"has_shape_collision": False, "has_particle_collision": False, "is_visible": seen}
        if str(item.prim.GetTypeName()) not in _GEOMETRIES:
            stage.report.warn(item.path, f"{item.prim.GetTypeName()}: is seen and does not collide; left out")
            return
        try:
            self._append(item, item, fields, 0, is_collider=False)
        except ValueError as error:  # nothing that is only seen is in the way of the motion
            stage.report.warn(item.path, f"is seen and does not collide; left out, since {error}")

    def _append(self, item: Item, collider: Item, fields: dict[str, Any], density: float, *, is_collider: bool = True,
                cube: bool = False) -> None:
        scene, report = self.scene, self.scene.stage.report
        kind = "Cube" if cube else str(item.prim.GetTypeName())
        if kind not in _GEOMETRIES:
            report.fail(item.path, f"a collider of type {kind or 'none'}; one of {', '.join(_GEOMETRIES)} can collide")
        if kind == "Mesh":
            method, sizes, X = self._mesh(item, collider)
        else:
            try:
                X, scale, mirrored = _frames.rigid(item.matrix)
            except _frames.NotAFrame as why:
                report.fail(item.path, f"a {kind}, but {why}")
            method, sizes, turn = _GEOMETRIES[kind](self, item, scale)
            if mirrored and kind.startswith("Cone"):  # z of the frame is the other way round; so is x after half a turn
                X = _frames.frame(Gf.Vec3d(0), Gf.Quatd(0, 1, 0, 0)) * X if turn == _TURN["Z"] else X
            X = _frames.scaled(_frames.frame(Gf.Vec3d(0), turn) * X, scene.units.length)
        body = scene.owner(item)
        world = scene.world(item)
        if body is not None and body.world != world:
            report.fail(item.path, f"newton:world is {world}, and that of its body {body.item.path} is {body.world}")
        scene.shapes.append(Shape(item, collider, item.path, body, X * scene.placement, world, method, sizes,
                                  dict(fields), density, is_collider))

    def _mesh(self, item: Item, collider: Item) -> tuple[str, dict[str, Any], Gf.Matrix4d]:
        try:
            X = _frames.rigid(item.matrix)[0]
        except _frames.NotAFrame as why:
            if "shear" not in str(why):
                self.scene.stage.report.fail(item.path, f"a Mesh, but {why}")
            X = Gf.Matrix4d(1).SetTranslate(item.matrix.ExtractTranslation())
        A = linear(item.matrix, X, self.scene.units.length)
        method, sizes, middle = self.meshes.shape(item, collider, A)
        X = _frames.scaled(X, self.scene.units.length)
        return method, sizes, _frames.frame(Gf.Vec3d(*middle), Gf.Quatd(1)) * X

    def size(self, item: Item, name: str, default: float) -> float:
        value: float = self.scene.stage.number(item, name, default)
        if value <= 0:
            self.scene.stage.report.fail(item.path, f"{name} must be positive, is {value:g}")
        return value * self.scene.units.length

    def axis(self, item: Item, default: str = "Z") -> str:
        axis = str(self.scene.stage.value(item, "axis", default))
        if axis not in _TURN:
            self.scene.stage.report.fail(item.path, f"axis must be X, Y or Z, is '{axis}'")
        return axis

    def round_scale(self, item: Item, scale: Vec, axis: str) -> tuple[float, float]:
        """Across an axis, and along it."""
        along = "XYZ".index(axis)
        across = [scale[i] for i in range(3) if i != along]
        if abs(across[0] - across[1]) > 1e-4 * max(across):
            self.scene.stage.report.warn(item.path, "is scaled differently across its axis; the larger scale is taken")
        return max(across), scale[along]


Geometry = tuple[str, dict[str, Any], Gf.Quatd]


def _cube(reader: _Reader, item: Item, scale: Vec) -> Geometry:
    half = reader.size(item, "size", 2.0) / 2 if item.kind == "gprim" else reader.scene.units.length
    return "add_shape_box", {"hx": half * scale[0], "hy": half * scale[1], "hz": half * scale[2]}, _TURN["Z"]


def _sphere(reader: _Reader, item: Item, scale: Vec) -> Geometry:
    radius = reader.size(item, "radius", 1.0)
    if max(scale) - min(scale) <= 1e-4 * max(scale):
        return "add_shape_sphere", {"radius": radius * scale[0]}, _TURN["Z"]
    radii = {name: radius * along for name, along in zip(("rx", "ry", "rz"), scale)}
    return "add_shape_ellipsoid", radii, _TURN["Z"]


def _axial(method: str, default_radius: float, default_height: float) -> Callable[[_Reader, Item, Vec], Geometry]:
    def read(reader: _Reader, item: Item, scale: Vec) -> Geometry:
        axis = reader.axis(item)
        across, along = reader.round_scale(item, scale, axis)
        if str(item.prim.GetTypeName()).endswith("_1"):
            top, bottom = (reader.size(item, name, default_radius) for name in ("radiusTop", "radiusBottom"))
            if top != bottom:
                reader.scene.stage.report.fail(item.path, f"radiusTop {top:g} and radiusBottom {bottom:g} m must be "
                                                          "the same; write a Mesh with the approximation convexHull")
            radius = top
        else:
            radius = reader.size(item, "radius", default_radius)
        height = reader.size(item, "height", default_height) / 2
        return method, {"radius": radius * across, "half_height": height * along}, _TURN[axis]

    return read


def _plane(reader: _Reader, item: Item, scale: Vec) -> Geometry:
    """Without end, as UsdPhysics has it, but those that carom wrote with one."""
    sizes = {"width": 0.0, "length": 0.0}
    if reader.scene.stage.flag(item, "carom:finite", False):
        for (name, _), along in zip(sizes.items(), scale):
            sizes[name] = reader.size(item, name, 2.0) * along
    return "add_shape_plane", sizes, _TURN[reader.axis(item)]


def _no_mesh(reader: _Reader, item: Item, scale: Vec) -> Geometry:
    raise AssertionError("meshes have a method of their own")


_GEOMETRIES: dict[str, Callable[[_Reader, Item, Vec], Geometry]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Capsule": _axial("add_shape_capsule", 0.5, 1.0),
    "Capsule_1": _axial("add_shape_capsule", 0.5, 1.0),
    "Cylinder": _axial("add_shape_cylinder", 1.0, 2.0),
    "Cylinder_1": _axial("add_shape_cylinder", 1.0, 2.0),
    "Cone": _axial("add_shape_cone", 1.0, 2.0),
    "Plane": _plane,
    "Mesh": _no_mesh,
}
