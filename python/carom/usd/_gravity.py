"""What a PhysicsScene says of the whole: gravity, the timestep and other options."""

import math
from typing import Any

from carom.usd._joints import plain
from carom.usd._scene import Scene
from carom.usd._stage import Item

_EARTH = 9.81  # [m/s^2]


def _scene_item(scene: Scene) -> Item | None:
    items = [item for item in scene.stage.items if item.kind == "scene"]
    if len(items) > 1:
        scene.stage.report.warn(items[1].path, f"is another PhysicsScene; that of {items[0].path} counts")
    return items[0] if items else None


def read_gravity(scene: Scene) -> list[float] | None:
    """In the axes of the builder [m/s^2]; None without a PhysicsScene."""
    item = _scene_item(scene)
    if item is None:
        return None
    stage = scene.stage
    if not stage.flag(item, "newton:gravityEnabled", True):
        return [0.0, 0.0, 0.0]
    direction = stage.vector(item, "physics:gravityDirection", (0.0, 0.0, 0.0))
    if not any(direction):
        direction = [-float(axis == scene.units.up_axis) for axis in "XYZ"]
    size = stage.number(item, "physics:gravityMagnitude", -math.inf, infinite=True)
    if size == math.inf:
        stage.report.fail(item.path, "physics:gravityMagnitude must be finite")
    acceleration = _EARTH if size < 0 else size * scene.units.length
    length = math.sqrt(sum(x * x for x in direction))
    turned = scene.units.turn.TransformDir([x / length for x in direction])
    return [float(x) * acceleration for x in turned]


def read_options(scene: Scene) -> dict[str, Any]:
    """Fields of ModelOptions: the timestep, and what to_usd() wrote."""
    item = next((item for item in scene.stage.items if item.kind == "scene"), None)
    if item is None:
        return {}
    found: dict[str, Any] = {}
    for attribute in item.prim.GetAuthoredAttributes():
        if attribute.GetName().startswith("carom:option:"):
            found[attribute.GetName().split(":")[2]] = plain(attribute.Get())
    for name in ("newton:timeStepsPerSecond", "physxScene:timeStepsPerSecond"):
        steps = scene.stage.number(item, name)
        if steps is not None and steps <= 0:
            scene.stage.report.fail(item.path, f"{name} must be positive, is {steps:g}")
        if steps is not None:
            return found | {"timestep": 1.0 / float(steps)}
    return found
