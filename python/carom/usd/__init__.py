"""USD stages in and out, through the package usd-core (the extra carom[usd]).

ModelBuilder.add_usd(), load_usd() and Model.to_usd() end here, in both precisions. What becomes of what is in
docs/usd.md. pxr is imported when one of them is called."""

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["Limits", "Recorder", "add_usd", "load_usd", "to_usd"]

if TYPE_CHECKING:
    from carom.usd._record import Recorder as Recorder


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a stage may ask for, so that hostile ones end soon and with an Error."""

    prims: int = 1_000_000  # with those of instances
    depth: int = 1000  # of prims inside prims
    points: int = 50_000_000  # of all meshes, and corners of their faces
    pairs: int = 10_000_000  # of shapes that groups, names and articulations keep from touching
    worlds: int = 1_000_000


def add_usd(builder: Any, source: Any, **options: Any) -> dict[str, Any]:
    """ModelBuilder.add_usd()."""
    result: dict[str, Any] = importlib.import_module("carom.usd._add").add_usd(builder, source, **options)
    return result


def load_usd(builder_class: Any, source: Any, **options: Any) -> Any:
    """carom.load_usd() of the precision that this ModelBuilder has."""
    return importlib.import_module("carom.usd._add").load_usd(builder_class, source, **options)


def to_usd(model: Any, path: Any, states: Any = None, **options: Any) -> list[str]:
    """Model.to_usd()."""
    result: list[str] = importlib.import_module("carom.usd._record").to_usd(model, path, states, **options)
    return result


def __getattr__(name: str) -> Any:
    if name == "Recorder":
        return importlib.import_module("carom.usd._record").Recorder
    raise AttributeError(f"module 'carom.usd' has no attribute {name!r}")
