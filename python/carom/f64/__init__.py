"""carom in double precision: the same names as carom, with float64 arrays."""

from carom import mujoco as mujoco
from carom._error import Error as Error
from carom._mujoco import importer as _importer
from carom._carom_f64 import *
from carom._carom_f64 import __version__ as __version__

from_mujoco = _importer(ModelBuilder)
