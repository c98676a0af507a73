"""Units and axes of a stage, and what they are in SI units and in the axes of a builder.

Lengths are metersPerUnit metres, masses kilogramsPerUnit kilograms, times seconds and angles degrees; the rest follows:
a force is mass * length / s^2. A stage that does not say has USD's centimetres and Y up."""

import dataclasses
import math

from carom.usd._pxr import Gf, Usd, UsdGeom, UsdPhysics
from carom.usd._report import Report

_AXES = {"X": Gf.Vec3d(1, 0, 0), "Y": Gf.Vec3d(0, 1, 0), "Z": Gf.Vec3d(0, 0, 1)}


@dataclasses.dataclass(frozen=True)
class Units:
    length: float  # [m]
    mass: float  # [kg]
    up_axis: str
    turn: Gf.Matrix4d  # from the axes of the stage to those of the builder

    @property
    def force(self) -> float:
        return self.mass * self.length

    @property
    def torque(self) -> float:
        return self.mass * self.length**2

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2

    @property
    def density(self) -> float:
        return self.mass / self.length**3


def units_of(stage: Usd.Stage, builder_up: str, report: Report) -> Units:
    length, mass = UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)
    for name, value in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
        if not (math.isfinite(value) and value > 0):
            report.fail("/", f"{name} must be positive and finite, is {value}")
    if not UsdGeom.StageHasAuthoredMetersPerUnit(stage):
        report.warn("/", "metersPerUnit is not given: lengths are centimetres, as USD says; write metersPerUnit = 1 "
                         "where they are metres")
    if not stage.HasAuthoredMetadata("upAxis"):
        report.warn("/", f"upAxis is not given: {UsdGeom.GetStageUpAxis(stage)} is up, as USD says")
    up_axis = str(UsdGeom.GetStageUpAxis(stage))
    if up_axis not in _AXES:
        report.fail("/", f"upAxis must be X, Y or Z, is '{up_axis}'")
    turn = Gf.Matrix4d(1).SetRotate(Gf.Rotation(_AXES[up_axis], _AXES[builder_up]))
    return Units(length, mass, up_axis, turn)
