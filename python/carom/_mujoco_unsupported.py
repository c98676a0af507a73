"""What a MuJoCo model asks for and carom cannot express, all of it at once, in words; and what of it can be left out.

Not listed, because it does not change the motion: sites, sensors, keyframes, cameras, lights, skins, user data; the
choice of solver and Jacobian, tolerances and iterations, which all lead to one optimum; the flags of _HARMLESS and
_EXPRESSED.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

import numpy as np

# Disable and enable bits that leave the motion alone ...
_HARMLESS = {
    "mjDSBL_WARMSTART",
    "mjDSBL_SENSOR",
    "mjDSBL_MIDPHASE",
    "mjDSBL_AUTORESET",
    "mjDSBL_ISLAND",
    "mjDSBL_NATIVECCD",  # how MuJoCo finds contacts, as the next one
    "mjDSBL_MULTICCD",
    "mjENBL_ENERGY",
    "mjENBL_FWDINV",
    "mjENBL_INVDISCRETE",
}
# ... or that from_mujoco() takes into account.
_EXPRESSED = {
    "mjDSBL_CONSTRAINT",
    "mjDSBL_EQUALITY",
    "mjDSBL_FRICTIONLOSS",
    "mjDSBL_LIMIT",
    "mjDSBL_CONTACT",
    "mjDSBL_SPRING",
    "mjDSBL_DAMPER",
    "mjDSBL_GRAVITY",
    "mjDSBL_CLAMPCTRL",
    "mjDSBL_FILTERPARENT",
    "mjDSBL_ACTUATION",
    "mjDSBL_EULERDAMP",
    "mjENBL_DIAGEXACT",
    "mjENBL_SPECULATIVE",
    "mjDSBL_REFSAFE",
    "mjENBL_OVERRIDE",
    "mjENBL_SLEEP",
}

# What from_mujoco(ignore=) leaves out: its name, and what is done instead.
IGNORABLE = {
    "noslip": "no such passes",
    "fluid": "no fluid",
    "flag": "the flag has no effect",
    "equality": "no such constraints",
    "pair": "contacts by the materials of the geoms",
    "flex": "no flexes",
    "plugin": "no plugins",
    "gravcomp": "no compensation",
    "frictionloss": "no dry friction",
    "springyield": "springs do not yield",
    "adhesion": "no adhesion",
    "surfacevel": "surfaces do not move",
}

_FREE, _BALL = 0, 1  # mjtJoint
_SHOWN = 6  # names listed per feature


class Problem(NamedTuple):
    line: str
    name: str | None  # of IGNORABLE; None: the model cannot do without


class _Report:
    """Collects features, each with the names of the things that have it."""

    def __init__(self, mujoco: Any, model: Any, ignore: Collection[str]) -> None:
        self.mujoco, self.model, self.ignore = mujoco, model, ignore
        self.problems: list[Problem] = []

    def add(self, line: str, name: str | None = None) -> None:
        assert name is None or name in IGNORABLE
        self.problems.append(Problem(line, name))

    def add_where(
        self, kind: str, bad: Iterable[Any], feature: str | Callable[[int], str], name: str | None = None
    ) -> None:
        """`bad` has an entry per thing of this kind: body, joint, geom, tendon, actuator, equality, ..."""
        found: dict[str, list[str]] = {}
        for i in np.flatnonzero(np.asarray(bad, bool)):
            text = feature if isinstance(feature, str) else feature(int(i))
            found.setdefault(text, []).append(self._name(kind, int(i)))
        for text, names in found.items():
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            self.add(f"{text}: {kind} {', '.join(names[:_SHOWN])}{more}", name)

    def _name(self, kind: str, i: int) -> str:
        name = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, "mjOBJ_" + kind.upper()), i)
        return f"'{name}'" if name else str(i)


def _any(values: Any) -> Any:
    """One truth per row."""
    return np.asarray(values).reshape(len(values), -1).any(axis=1) if len(values) else np.zeros(0, bool)


def _enum_name(enum: Any, value: int) -> str:
    return str(enum(int(value)).name).split("_", 1)[1].lower()


def _options(report: _Report) -> None:
    mujoco, option = report.mujoco, report.model.opt
    if "noslip" in report.ignore and option.noslip_iterations > 0:
        report.add(f"noslip_iterations {option.noslip_iterations}", "noslip")
    if "fluid" in report.ignore and (option.density != 0 or option.viscosity != 0):
        report.add(f"fluid with density {option.density:g} and viscosity {option.viscosity:g}", "fluid")
    friction, overrides = option.o_friction, option.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    if overrides and (friction[0] != friction[1] or friction[3] != friction[4]):
        report.add("o_friction that differs between the two tangents")
    for enum, flags in (
        (mujoco.mjtDisableBit, option.disableflags),
        (mujoco.mjtEnableBit, option.enableflags),
    ):
        for name, bit in enum.__members__.items():
            known = name in _HARMLESS or name in _EXPRESSED or name in ("mjNDISABLE", "mjNENABLE")
            if not known and flags & int(bit):
                verb = "disabled" if enum is mujoco.mjtDisableBit else "enabled"
                report.add(f"{verb} flag {name.split('_', 1)[1].lower()}", "flag")
    sleeps = option.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    if sleeps and option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ISLAND):
        report.add("enabled flag sleep without islands", "flag")


def _elements(report: _Report) -> None:
    mujoco, model = report.mujoco, report.model
    kinds = mujoco.mjtEq
    expressed = (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD, kinds.mjEQ_JOINT, kinds.mjEQ_TENDON)
    known = np.isin(model.eq_type, [int(kind) for kind in expressed])
    left_out = np.full(model.neq, "equality" in report.ignore)
    report.add_where(
        "equality",
        ~known | left_out,
        lambda i: f"{_enum_name(mujoco.mjtEq, model.eq_type[i])} equality constraint",
        "equality",
    )
    if "pair" in report.ignore:
        report.add_where("pair", np.ones(model.npair), "contact pair with parameters of its own", "pair")
    report.add_where("flex", np.ones(model.nflex), "flex", "flex")
    if model.nplugin > 0:
        report.add(f"{model.nplugin} plugins", "plugin")


def _bodies(report: _Report) -> None:
    model = report.model
    if "gravcomp" in report.ignore:
        report.add_where("body", model.body_gravcomp != 0, "gravcomp", "gravcomp")


def _joints(report: _Report) -> None:
    model = report.model
    free, ball = model.jnt_type == _FREE, model.jnt_type == _BALL

    def dofs(joint: int) -> slice:
        start, kind = model.jnt_dofadr[joint], model.jnt_type[joint]
        return slice(start, start + {_FREE: 6, _BALL: 3}.get(int(kind), 1))

    def per_joint(values: Any) -> Any:
        return np.array([np.any(values[dofs(j)]) for j in range(model.njnt)], bool)

    def uneven(values: Any) -> Any:
        return np.array([np.ptp(values[dofs(j)]) != 0 for j in range(model.njnt)], bool)

    turning = free | ball
    if "frictionloss" in report.ignore:
        report.add_where("joint", per_joint(model.dof_frictionloss), "frictionloss", "frictionloss")
    for what in ("damping", "armature", "frictionloss"):
        differs = turning & uneven(getattr(model, "dof_" + what))
        report.add_where("joint", differs, f"{what} that differs between the axes of a joint")
    poly = turning & uneven(model.dof_dampingpoly[:, 0]) | turning & uneven(model.dof_dampingpoly[:, 1])
    report.add_where("joint", poly, "nonlinear damping that differs between the axes of a joint")
    if "springyield" in report.ignore:
        report.add_where("joint", model.jnt_springyield != 0, "springyield", "springyield")


def _geoms(report: _Report) -> None:
    mujoco, model = report.mujoco, report.model
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    report.add_where("geom", model.geom_type == int(mujoco.mjtGeom.mjGEOM_SDF), "signed distance field")
    moving = model.body_weldid[model.geom_bodyid] != 0
    field = model.geom_type == int(mujoco.mjtGeom.mjGEOM_HFIELD)
    report.add_where("geom", moving & field, "hfield on a moving body")
    for name, values in (("adhesion", model.geom_adhesion != 0), ("surfacevel", _any(model.geom_surfacevel))):
        if name in report.ignore:
            report.add_where("geom", collides & values, name, name)


def _tendons(report: _Report) -> None:
    model = report.model
    if "frictionloss" in report.ignore:
        report.add_where("tendon", model.tendon_frictionloss != 0, "frictionloss", "frictionloss")
    if "springyield" in report.ignore:
        report.add_where("tendon", model.tendon_springyield != 0, "springyield", "springyield")


def _actuators(report: _Report) -> None:
    mujoco, model = report.mujoco, report.model

    def only(feature: str, types: Any, enum: Any, *names: str) -> Any:
        """True for the actuators that have one of these types; the others are reported."""
        supported = np.isin(types, [int(enum.__members__[name]) for name in names])
        report.add_where("actuator", ~supported, lambda i: f"{feature} {_enum_name(enum, types[i])}")
        return supported

    transmissions = ("JOINT", "JOINTINPARENT", "TENDON", "SITE", "SLIDERCRANK", "BODY", "SO3")
    only("transmission", model.actuator_trntype, mujoco.mjtTrn, *("mjTRN_" + name for name in transmissions))
    dynamics = ("NONE", "INTEGRATOR", "FILTER", "FILTEREXACT", "MUSCLE", "PID", "DCMOTOR")
    only("dyntype", model.actuator_dyntype, mujoco.mjtDyn, *("mjDYN_" + name for name in dynamics))
    gains, biases = model.actuator_gaintype, model.actuator_biastype
    laws = ("FIXED", "AFFINE", "MUSCLE", "DCMOTOR", "SO3", "PID")
    known = only("gaintype", gains, mujoco.mjtGain, *("mjGAIN_" + name for name in laws))
    known &= only("biastype", biases, mujoco.mjtBias, *("mjBIAS_" + name for name in ("NONE", *laws[1:5])))
    muscle = gains == int(mujoco.mjtGain.mjGAIN_MUSCLE)
    mixed = muscle != (biases == int(mujoco.mjtBias.mjBIAS_MUSCLE))
    mixed |= muscle & np.any(model.actuator_gainprm[:, :9] != model.actuator_biasprm[:, :9], axis=1)
    report.add_where("actuator", known & mixed, "gain and bias that are not of one muscle")
    with_controller = np.isin(gains, [int(mujoco.mjtGain.mjGAIN_PID), int(mujoco.mjtGain.mjGAIN_DCMOTOR)])
    turns = gains == int(mujoco.mjtGain.mjGAIN_SO3)
    report.add_where("actuator", ~with_controller & ~turns & (model.actuator_actnum > 1), "several activations")
    plain = np.isin(model.actuator_dyntype, [int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtDyn.mjDYN_INTEGRATOR)])
    report.add_where("actuator", turns & ~plain, "orientation with other dynamics than an integrator")
    limited = np.array([np.any(model.actuator_ctrllimited[c : c + n]) for c, n in
                        zip(model.actuator_ctrladr, model.actuator_ctrlnum)], bool)  # fmt: skip
    report.add_where("actuator", turns & limited & (model.actuator_ctrlspec == 2), "ctrlrange of a quaternion")
    several = (with_controller | turns) & np.asarray(model.actuator_actlimited, bool)
    report.add_where("actuator", several, "actrange of several activations")


def _numbers(report: _Report) -> None:
    """Every array of the model and of its options."""
    for owner, prefix in ((report.model, ""), (report.model.opt, "opt.")):
        for name in dir(owner):
            values = None if name.startswith("_") else getattr(owner, name)
            if not isinstance(values, (float, np.ndarray)) or np.asarray(values).dtype.kind != "f":
                continue
            rows = np.flatnonzero(_any(np.isnan(np.atleast_1d(values)))).tolist()
            if rows:
                more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
                where = f", row {', '.join(map(str, rows[:_SHOWN]))}{more}" if np.ndim(values) else ""
                report.add(f"not a number: {prefix}{name}{where}")


def unsupported(mujoco: Any, model: Any, ignore: Collection[str] = ()) -> list[Problem]:
    """One for each feature, with the things of the model that have it; those to be ignored are among them."""
    report = _Report(mujoco, model, ignore)
    for part in (_numbers, _options, _elements, _bodies, _joints, _geoms, _tendons, _actuators):
        part(report)
    return report.problems
