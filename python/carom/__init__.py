"""Contact physics of many worlds at once, in single precision; carom.f64 is the same in double precision."""

from carom._error import Error as Error
from carom._carom_f32 import *
from carom._carom_f32 import __version__ as __version__
