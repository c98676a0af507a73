"""Custom attributes: what a stage says for its users alone, kept by body, shape, joint and articulation.

Declared ones: an attribute of a PhysicsScene in the namespace newton, whose customData has a frequency ("body",
"shape", "joint", "articulation" or "once"); prims of that kind have its default unless they have a value of their own.
Others: attributes that prims have as `custom`, with a namespace."""

from typing import Any

from carom.usd import _joints, _materials
from carom.usd._joints import plain
from carom.usd._scene import Scene
from carom.usd._stage import Item

KNOWN = _joints.KNOWN | _materials.KNOWN | {
    "newton:selfCollisionEnabled", "newton:gravityEnabled", "newton:timeStepsPerSecond"}
_ROWS = {"body", "shape", "joint", "articulation"}
_WORDS_FOR_OTHERS = {"xformOp", "primvars", "carom", "collection", "material", "state", "ui", "outputs", "inputs"}
_MOST = 4096  # numbers of one value
# Namespaces whose attributes change the motion: what is not understood there is told.
_MOVING = ("physx", "newton:")
_UNDERSTOOD = ("physics:", "drive:", "limit:", "xformOp", "carom:")


class Custom:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.once: dict[str, Any] = {}
        self._declared: dict[str, dict[str, Any]] = {kind: {} for kind in _ROWS}  # name -> default
        for item in scene.stage.items:
            if item.kind == "scene":
                self._read_declarations(item)

    def _read_declarations(self, item: Item) -> None:
        for attribute in item.prim.GetAuthoredAttributes():
            name, data = attribute.GetName(), attribute.GetCustomData()
            if not name.startswith("newton:") or "frequency" not in data:
                continue
            frequency = str(data["frequency"])
            value = self._value(item, attribute)
            if frequency == "once":
                self.once[name] = value
            elif frequency in _ROWS:
                self._declared[frequency][name] = value
            else:
                self._scene.stage.report.warn(item.path, f"{name} has the frequency {frequency}, which is not kept; "
                                                         "one of body, shape, joint, articulation and once is")

    def of(self, kind: str, item: Item) -> dict[str, Any]:
        """Of a prim that becomes a body, shape, joint or articulation."""
        values = dict(self._declared[kind])
        is_owner = kind == self._owner(item)
        for name in sorted(item.names):
            if name.startswith(_UNDERSTOOD) or ":" not in name and name not in values:
                continue
            attribute = item.prim.GetAttribute(name)
            if attribute and (name in values or (is_owner and self._is_free(name, attribute))):
                values[name] = self._value(item, attribute)
            elif name.startswith(_MOVING) and not self._is_known(name):
                self._scene.stage.report.warn(item.path, f"{name} is not understood, and left out")
        return {name: value for name, value in values.items() if value is not None}

    def _owner(self, item: Item) -> str:
        """What has the attributes of a prim that nothing declares; a body that is a collider has them as a body."""
        if item.kind == "joint":
            return "joint"
        if item.path in self._scene.body_of:
            return "body"
        return "articulation" if "PhysicsArticulationRootAPI" in item.schemas else "shape"

    def _is_free(self, name: str, attribute: Any) -> bool:
        space = name.split(":")[0]
        return attribute.IsCustom() and space != name and space not in _WORDS_FOR_OTHERS and not self._is_known(name)

    def _is_known(self, name: str) -> bool:
        return name in KNOWN or _is_axis_number(name) or any(name in names for names in self._declared.values())

    def _value(self, item: Item, attribute: Any) -> Any:
        value = attribute.Get()
        if value is not None and not isinstance(value, str) and hasattr(value, "__len__") and len(value) > _MOST:
            self._scene.stage.report.warn(item.path, f"{attribute.GetName()} has {len(value)} values, and is not kept")
            return None
        return plain(value)


def _is_axis_number(name: str) -> bool:
    """newton:rotX:damping"""
    words = name.split(":")
    return len(words) == 3 and words[0] == "newton" and f"newton:{words[2]}" in _joints.KNOWN
