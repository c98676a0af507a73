"""carom in double precision: the same names as carom, with float64 arrays."""

from carom._error import Error as Error
from carom._carom_f64 import *
from carom._carom_f64 import __version__ as __version__
