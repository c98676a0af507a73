"""Parts of carom and carom.f64 that are imported when they are first used: those that need numpy or USD, which take
longer to import than the rest together and which a program that only steps does without."""

import importlib
from collections.abc import Callable
from typing import Any

NAMES = ("from_mujoco", "mujoco", "usd")


def getter(module: dict[str, Any]) -> Callable[[str], Any]:
    """__getattr__() of the package whose globals these are."""

    def get(name: str) -> Any:
        if name in ("mujoco", "usd"):
            module[name] = importlib.import_module(f"carom.{name}")
        elif name == "from_mujoco":
            module[name] = importlib.import_module("carom._mujoco").importer(module["ModelBuilder"])
        else:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        return module[name]

    return get
