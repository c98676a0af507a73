"""The modules of usd-core, which the files of this package take from here."""

from carom._error import Error

try:
    from pxr import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
        Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt)
except ImportError as _missing:
    raise Error("USD: needs the package usd-core; install it with: pip install 'carom[usd]'") from _missing

__all__ = ["Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdPhysics", "UsdShade", "Vt"]

# Where values of a stage are read: the first sample of what moves, and the only value of what does not.
TIME = Usd.TimeCode.EarliestTime()
