"""Shapes as geometry of UsdGeom, with CollisionAPI, materials and filtered pairs."""

from typing import Any

import numpy as np

from carom.usd._pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade, Vt
from carom.usd._write import Writer, place

_SEEN_PLANE = 100.0  # how much of a plane without end a viewer shows [m]
# Columns of a shape that are written as carom:FIELD where they are not those of a plain ShapeConfig.
_EXTRA = ("condim", "priority", "solmix", "solref", "solimp", "gap", "adhesion", "surface_velocity", "fluid_ellipsoid",
          "fluid_coef", "contype", "conaffinity")
_MATERIAL = ("mu", "restitution", "torsional_friction", "rolling_friction", "ke", "kd", "kf", "ka")
_NEWTON = {"torsional_friction": "torsionalFriction", "rolling_friction": "rollingFriction", "ke": "contactStiffness",
           "kd": "contactDamping", "kf": "contactFrictionGain", "ka": "contactAdhesion"}


def write_shape(writer: Writer, shape: int, parent: Any) -> None:
    columns, flag = writer.columns, writer.module.ShapeFlag
    key, flags = writer.keys("shape")[shape], int(columns.shape_flags[shape])
    path = writer.prim_path(parent, key, f"shape_{shape}")
    geometry = _geometry(writer, shape, path)
    if geometry is None:
        writer.lose(f"shape {key}, a distance field")
        return
    prim = geometry.GetPrim()
    writer.shape_prims[shape] = prim
    writer.set_key(prim, "shape", shape, key)
    if not flags & flag.VISIBLE:
        geometry.CreateVisibilityAttr(UsdGeom.Tokens.invisible)
    if flags & flag.IS_SITE:
        geometry.CreatePurposeAttr(UsdGeom.Tokens.guide)
        writer.set(prim, "carom:site", True)
        return
    collision = UsdPhysics.CollisionAPI.Apply(prim)
    touches = bool(flags & flag.COLLIDES_SHAPES) and bool(
        columns.shape_contype[shape] or columns.shape_conaffinity[shape])
    collision.CreateCollisionEnabledAttr(touches)
    for name, bit in (("has_shape_collision", flag.COLLIDES_SHAPES),
                      ("has_particle_collision", flag.COLLIDES_PARTICLES)):
        if bool(flags & bit) != touches:
            writer.set(prim, f"carom:{name}", bool(flags & bit))
    _write_contact(writer, prim, shape, flags)


def _write_contact(writer: Writer, prim: Any, shape: int, flags: int) -> None:
    columns, usual = writer.columns, writer.module.ShapeConfig()
    group = int(columns.shape_collision_group[shape])
    if group != usual.collision_group:
        writer.set(prim, "newton:collision_group", group)
    if not flags & writer.module.ShapeFlag.FILTER_PARENT:
        writer.set(prim, "carom:collision_filter_parent", False)
    prim.CreateAttribute("newton:contactMargin", Sdf.ValueTypeNames.Float, custom=True).Set(
        float(columns.shape_thickness[shape]))
    prim.CreateAttribute("newton:contactGap", Sdf.ValueTypeNames.Float, custom=True).Set(
        float(columns.shape_contact_margin[shape]))
    for name in _EXTRA:
        value, plain = getattr(columns, f"shape_{name}")[shape], getattr(usual, name)
        if plain is None:  # gap: all of the margin
            plain = columns.shape_contact_margin[shape]
        if np.abs(np.asarray(value, float) - np.asarray(plain, float)).max() > 1e-7:
            writer.set(prim, f"carom:{name}", bool(value) if isinstance(plain, bool) else value)
    _bind_material(writer, prim, tuple(float(getattr(columns, f"shape_material_{name}")[shape]) for name in _MATERIAL))


def _bind_material(writer: Writer, prim: Any, numbers: tuple[float, ...]) -> None:
    made = writer.materials
    if numbers not in made:
        path = Sdf.Path("/model/materials").AppendChild(f"material_{len(made)}")
        material = UsdShade.Material.Define(writer.stage, path)
        physics = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        values = dict(zip(_MATERIAL, numbers))
        physics.CreateDynamicFrictionAttr(values["mu"])
        physics.CreateStaticFrictionAttr(values["mu"])
        physics.CreateRestitutionAttr(values["restitution"])
        for name, word in _NEWTON.items():
            attribute = material.GetPrim().CreateAttribute(f"newton:{word}", Sdf.ValueTypeNames.Float, custom=True)
            attribute.Set(values[name])
        made[numbers] = material
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(made[numbers], UsdShade.Tokens.weakerThanDescendants, "physics")


def _geometry(writer: Writer, shape: int, path: Any) -> Any:
    columns, kinds, stage = writer.columns, writer.module.ShapeType, writer.stage
    kind = kinds(int(columns.shape_type[shape]))
    a, b, c = (float(x) for x in columns.shape_scale[shape])
    scale = None
    if kind in (kinds.MESH, kinds.CONVEX_HULL, kinds.HEIGHTFIELD):
        geometry = _mesh(writer, shape, path, kind)
    elif kind == kinds.BOX:
        geometry, scale = UsdGeom.Cube.Define(stage, path), (a, b, c)
        geometry.CreateSizeAttr(2.0)
    elif kind in (kinds.SPHERE, kinds.ELLIPSOID):
        geometry = UsdGeom.Sphere.Define(stage, path)
        geometry.CreateRadiusAttr(a if kind == kinds.SPHERE else 1.0)
        scale = None if kind == kinds.SPHERE else (a, b, c)
    elif kind in (kinds.CAPSULE, kinds.CYLINDER, kinds.CONE):
        classes = {kinds.CAPSULE: UsdGeom.Capsule, kinds.CYLINDER: UsdGeom.Cylinder, kinds.CONE: UsdGeom.Cone}
        geometry = classes[kind].Define(stage, path)
        geometry.CreateRadiusAttr(a)
        geometry.CreateHeightAttr(2 * b)
        geometry.CreateAxisAttr("Z")
    elif kind == kinds.PLANE:
        geometry = UsdGeom.Plane.Define(stage, path)
        geometry.CreateAxisAttr("Z")
        geometry.CreateWidthAttr(a or _SEEN_PLANE)
        geometry.CreateLengthAttr(b or _SEEN_PLANE)
        if a or b:
            writer.set(geometry.GetPrim(), "carom:finite", True)
    else:
        return None
    place(geometry, columns.shape_transform[shape])
    if scale:
        geometry.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*scale))
    return geometry


def _mesh(writer: Writer, shape: int, path: Any, kind: Any) -> Any:
    source = writer.model.shape_sources[int(writer.columns.shape_source[shape])]
    scale = writer.columns.shape_scale[shape].astype(float)
    if kind == writer.module.ShapeType.HEIGHTFIELD:
        points, triangles = _heights(source)
        writer.lose(f"heightfield {writer.keys('shape')[shape]}, which becomes a mesh")
    else:
        points, triangles = np.array(source.vertices, float), np.array(source.indices)
    geometry = UsdGeom.Mesh.Define(writer.stage, path)
    geometry.CreatePointsAttr(Vt.Vec3fArray.FromNumpy((points * scale).astype(np.float32)))
    if np.prod(scale) < 0:
        triangles = triangles.reshape(-1, 3)[:, ::-1].ravel()
    geometry.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(triangles.astype(np.int32)))
    geometry.CreateFaceVertexCountsAttr(Vt.IntArray(len(triangles) // 3, 3))
    geometry.CreateSubdivisionSchemeAttr("none")
    hull = kind == writer.module.ShapeType.CONVEX_HULL
    UsdPhysics.MeshCollisionAPI.Apply(geometry.GetPrim()).CreateApproximationAttr("convexHull" if hull else "none")
    return geometry


def _heights(field: Any) -> tuple[Any, Any]:
    """The surface of a heightfield: rows along y, columns along x."""
    x, y = np.linspace(-field.hx, field.hx, field.ncol), np.linspace(-field.hy, field.hy, field.nrow)
    grid = np.stack([*np.meshgrid(x, y), np.array(field.data, float)], axis=-1).reshape(-1, 3)
    corner = (np.arange(field.nrow - 1)[:, None] * field.ncol + np.arange(field.ncol - 1)).ravel()
    right, back, across = corner + 1, corner + field.ncol, corner + field.ncol + 1
    return grid, np.stack([corner, right, across, corner, across, back], axis=1).ravel()


def write_filters(writer: Writer) -> None:
    targets: dict[int, list[Any]] = {}
    for a, b in writer.columns.shape_collision_filter_pairs.reshape(-1, 2).tolist():
        if a in writer.shape_prims and b in writer.shape_prims:
            targets.setdefault(a, []).append(writer.shape_prims[b].GetPath())
    for shape, paths in targets.items():
        UsdPhysics.FilteredPairsAPI.Apply(writer.shape_prims[shape]).CreateFilteredPairsRel().SetTargets(paths)
