"""A ModelBuilder from a compiled MuJoCo model: carom.from_mujoco and carom.f64.from_mujoco are made from this text. What
becomes of what is decided in C++ (src/io/mjcf), which reads the arrays of the model by their names."""

import importlib
import sys
import warnings
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import numpy as np

from carom._error import Error
from carom.mujoco import IGNORABLE

Builder = TypeVar("Builder")


def importer(builder_class: type[Builder]) -> Callable[..., Builder]:
    """from_mujoco() of the precision that this ModelBuilder has."""

    def from_mujoco(
        mj_model: Any, *, enable_self_collisions: bool = True, ignore: Collection[str] = ()
    ) -> Builder:
        """A ModelBuilder with the content of a compiled MuJoCo model (mujoco.MjModel, 4.0 or newer), without worlds:
        `scene.replicate(from_mujoco(m), 4096)` makes worlds of it.

        MuJoCo's body i is body i - 1 of the builder (its world body is -1), geom i is shape i, actuator and tendon
        i are actuator and tendon i, and names are keys. Massless links, for bodies whose joints do not fit one
        joint, follow the bodies and are called "body/joint". Coordinates and degrees of freedom are in MuJoCo's
        order, so joint_q equals qpos except for quaternions (xyzw); carom.mujoco converts states. A joint that is
        several MuJoCo joints has their names joined by "+". Each child of the world body is an articulation with
        its name.

        Gravity and options (timestep, integrator, cone, impratio, fluid) travel with the builder. Shapes have no
        thickness, planes are infinite and colliding meshes are convex hulls, as they are for MuJoCo; the base of a
        heightfield is left out. enable_self_collisions=False: geoms of moving bodies touch no other ones of the
        model, only what stands still.

        Anything that would change the motion and cannot be expressed is an Error, which lists all of it. What is named
        in `ignore` is left out instead, with a warning that lists it; the names are in the Error and in
        carom.mujoco.IGNORABLE."""
        mujoco = _import_mujoco()
        if not isinstance(mj_model, mujoco.MjModel):
            raise Error(
                f"from_mujoco: expected a mujoco.MjModel, is {type(mj_model).__name__}; compile one with "
                "mujoco.MjModel.from_xml_path"
            )
        if isinstance(ignore, str):  # its letters would be names
            raise Error(f"from_mujoco: ignore is a list of names out of: {', '.join(IGNORABLE)}; unknown: {ignore!r}")
        module: Any = sys.modules[builder_class.__module__]
        builder: Builder
        not_numbers = _not_numbers(mj_model, set(module._MUJOCO_FIELDS))
        builder, left_out = module._from_mujoco(mj_model, enable_self_collisions, list(ignore), not_numbers)
        if left_out:
            warnings.warn(left_out, stacklevel=2)
        return builder

    from_mujoco.__qualname__ = "from_mujoco"
    return from_mujoco


def _not_numbers(mj_model: Any, checked: Collection[str]) -> list[str]:
    """Arrays of the model and of its options, other than those that are checked in C++, that have NaNs."""
    found = []
    for owner, prefix in ((mj_model, ""), (mj_model.opt, "opt.")):
        for name in dir(owner):
            values = None if name.startswith("_") or prefix + name in checked else getattr(owner, name)
            if isinstance(values, (float, np.ndarray)) and np.asarray(values).dtype.kind == "f":
                rows = np.unique(np.argwhere(np.isnan(np.atleast_1d(values)))[:, 0]).tolist()
                if rows:
                    found.append(f"{prefix}{name}, row {rows[0]}" if np.ndim(values) else prefix + name)
    return found


def _import_mujoco() -> Any:
    install = "install it with: pip install 'carom[mujoco]'"
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError as error:
        raise Error(f"from_mujoco: needs the package mujoco 4.0 or newer; {install}") from error
    version = str(getattr(mujoco, "__version__", "0"))
    if int(version.split(".")[0]) < 4:
        raise Error(f"from_mujoco: needs the package mujoco 4.0 or newer, found {version}; {install}")
    return mujoco
