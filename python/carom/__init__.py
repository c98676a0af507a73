"""Contact physics of many worlds at once, in single precision; carom.f64 is the same in double precision."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from carom import _on_first_use
from carom._error import Error as Error
from carom._carom_f32 import *
from carom._carom_f32 import __version__ as __version__

if _TYPE_CHECKING:
    from carom import mujoco as mujoco
    from carom import usd as usd
    from carom._mujoco import importer as _importer

    from_mujoco = _importer(ModelBuilder)

__getattr__ = _on_first_use.getter(globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *_on_first_use.NAMES})
