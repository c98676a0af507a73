"""Physics materials, and what else says how a collider touches: fields of its ShapeConfig."""

from typing import Any

from carom.usd._pxr import UsdShade
from carom.usd._scene import Scene
from carom.usd._stage import Item

# attribute -> field, and which unit of the stage it is in
_MATERIAL = {
    "newton:torsionalFriction": ("torsional_friction", "length"),
    "newton:rollingFriction": ("rolling_friction", "length"),
    "newton:contactStiffness": ("ke", "mass"),
    "newton:contactDamping": ("kd", "mass"),
    "newton:contactFrictionGain": ("kf", "mass"),
    "newton:contactAdhesion": ("ka", "length"),
    "physxMaterial:compliantContactStiffness": ("ke", "mass"),
    "physxMaterial:compliantContactDamping": ("kd", "mass"),
}
_SHAPE = {
    "newton:contact_ke": ("ke", "mass"),
    "newton:contact_kd": ("kd", "mass"),
    "newton:contact_kf": ("kf", "mass"),
    "newton:contact_ka": ("ka", "length"),
    "newton:contactMargin": ("thickness", "length"),
    "newton:contactGap": ("contact_margin", "length"),
    "physxCollision:restOffset": ("thickness", "length"),
}
KNOWN = {*_MATERIAL, *_SHAPE, "physxCollision:contactOffset", "newton:massModel", "newton:shellThickness",
         "newton:collision_group", "newton:world", "carom:key", "carom:finite"}


class Materials:
    """Of all colliders; each material is read once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._any = any("PhysicsMaterialAPI" in item.schemas for item in scene.stage.items)
        self._read: dict[Any, tuple[dict[str, Any], float]] = {}

    def of(self, item: Item) -> tuple[dict[str, Any], float]:
        """Fields of the ShapeConfig, and the density, 0 where there is none."""
        if not self._any:
            return {}, 0.0
        material, _ = UsdShade.MaterialBindingAPI(item.prim).ComputeBoundMaterial("physics")
        prim = material.GetPrim() if material else None
        if not prim or "PhysicsMaterialAPI" not in prim.GetAppliedSchemas():
            return {}, 0.0
        if prim.GetPath() not in self._read:
            self._read[prim.GetPath()] = self._fields(
                Item(prim, str(prim.GetPath()), None, None, "", frozenset(),
                     names=frozenset(prim.GetAuthoredPropertyNames())))
        return self._read[prim.GetPath()]

    def _fields(self, item: Item) -> tuple[dict[str, Any], float]:
        stage = self._scene.stage
        fields = {"mu": stage.number(item, "physics:dynamicFriction", 0.0, least=0),
                  "restitution": stage.number(item, "physics:restitution", 0.0, least=0)}
        static = stage.number(item, "physics:staticFriction", fields["mu"], least=0)
        if static != fields["mu"]:
            stage.report.warn(item.path, "staticFriction differs from dynamicFriction, which counts for both")
        fields |= numbers(self._scene, item, _MATERIAL)
        density = stage.number(item, "physics:density", 0.0, least=0) * self._scene.units.density
        return fields, density


def numbers(scene: Scene, item: Item, table: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """The fields that a table says, of the attributes that a prim has."""
    found = {}
    for name, (field, unit) in table.items():
        if name not in item.names:
            continue
        value = scene.stage.number(item, name, least=0 if field != "contact_margin" else -float("inf"), infinite=True)
        if value is not None and abs(value) != float("inf"):  # which is "as the engine likes it"
            found[field] = value * getattr(scene.units, unit)
    return found


def contact_fields(scene: Scene, item: Item) -> dict[str, Any]:
    """What a collider says itself."""
    fields = numbers(scene, item, _SHAPE)
    reach = scene.stage.number(item, "physxCollision:contactOffset", infinite=True)
    if reach is not None and abs(reach) != float("inf"):
        fields["contact_margin"] = max(reach * scene.units.length - fields.get("thickness", 0.0), 0.0)
    return fields
