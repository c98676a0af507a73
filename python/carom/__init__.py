"""Contact physics of many worlds at once, in single precision; carom.f64 is the same in double precision."""

from carom import mujoco as mujoco
from carom._error import Error as Error
from carom._mujoco import importer as _importer
from carom._carom_f32 import *
from carom._carom_f32 import __version__ as __version__

from_mujoco = _importer(ModelBuilder)
