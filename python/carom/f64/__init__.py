"""carom in double precision: the same names as carom, with float64 arrays."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from carom import _on_first_use
from carom._error import Error as Error
try:
    from carom._carom_f64 import *
    from carom._carom_f64 import __version__ as __version__
except ModuleNotFoundError as _missing:
    raise ImportError("carom.f64 is not installed: make demo builds single precision alone, make build both") from _missing

if _TYPE_CHECKING:
    from carom import mujoco as mujoco
    from carom import usd as usd
    from carom._mujoco import importer as _importer

    from_mujoco = _importer(ModelBuilder)

__getattr__ = _on_first_use.getter(globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *_on_first_use.NAMES})
