"""Joints that are no part of a tree, as equality constraints: those that close loops, and joints that follow others."""

from typing import TYPE_CHECKING, Any

from carom.usd import _coordinates as coordinates
from carom.usd import _frames
from carom.usd._joints import DEGREE, plain
from carom.usd._pxr import Gf
from carom.usd._scene import Joint

if TYPE_CHECKING:
    from carom.usd._build import WorldBuilder

_LEVER = 0.1  # between the two points that hold the axis of a hinge that closes a loop [m]


def close_loop(world: "WorldBuilder", joint: Joint) -> None:
    """A fixed joint welds, a spherical one connects, a hinge connects two points of its axis."""
    item, report = joint.item, world.scene.stage.report
    first, second = joint.bodies
    if joint.kind not in ("ball", "fixed", "revolute"):
        report.fail(item.path, f"closes a loop (or is excluded from articulations), as a {joint.kind} joint cannot; "
                               "fixed, spherical and revolute do")
    if any(set(dof) - {"axis"} for dof in joint.angular):
        report.warn(item.path, "closes a loop, and its limits and drives are left out")
    ends = (first.index if first else -1, second.index if second else -1)
    local = [frame * body.X.GetInverse() if body else frame for frame, body in zip(joint.frames, joint.bodies)]
    key, extras = world.key(item), _extras(world, joint)
    if joint.kind == "fixed":
        row = world.call(item, "add_equality_constraint_weld", *ends, key=key, enabled=joint.enabled,
                         anchor=_frames.numbers(local[1].ExtractTranslation()),
                         relpose=_frames.pose(local[1].GetInverse() * local[0]), **extras)
        world.equalities.append((item.path, row))
        return
    points = [Gf.Vec3d(0)]
    if joint.kind == "revolute":
        points.append(coordinates.unit(joint.angular[0]["axis"]) * _LEVER)
    for number, point in enumerate(points):
        row = world.call(item, "add_equality_constraint_connect", *ends, enabled=joint.enabled,
                         anchor=_frames.numbers(local[0].Transform(point)),
                         anchor2=_frames.numbers(local[1].Transform(point)),
                         key=key if number == 0 else f"{key}/axis", **extras)
        world.equalities.append((item.path, row))


def follow(world: "WorldBuilder", joint: Joint) -> None:
    """newton:mimicJoint: q = mimicCoef0 + mimicCoef1 * q of the other joint, in the units of the stage."""
    stage, item = world.scene.stage, joint.item
    targets = stage.targets(item, "newton:mimicJoint")
    other = next((j for j in world.scene.joints if [j.item.path] == targets), None)
    if other is None:
        stage.report.fail(item.path, f"newton:mimicJoint: there is no joint {', '.join(targets) or 'given'}")
    if other.index < 0 or other.world != joint.world or not all(
            j.kind in ("revolute", "prismatic") for j in (joint, other)):
        stage.report.fail(item.path, f"newton:mimicJoint: {other.item.path} cannot be followed; hinges and sliders of "
                                     "trees of one world can")
    mine, theirs = (DEGREE if j.kind == "revolute" else world.scene.units.length for j in (joint, other))
    offset = stage.number(item, "newton:mimicCoef0", 0.0) * mine
    ratio = stage.number(item, "newton:mimicCoef1", 1.0) * mine / theirs
    key = stage.value(item, "carom:mimic:key", f"{item.path}/mimic")
    extras = {name[len("mimic:") :]: plain(value) for name, value in world.extras(item)
              if name in ("mimic:solref", "mimic:solimp")}
    row = world.call(item, "add_equality_constraint_joint", joint.index, other.index, key=key,
                     polycoef=[offset, ratio, 0, 0, 0], enabled=stage.flag(item, "newton:mimicEnabled", True), **extras)
    world.equalities.append((item.path, row))


def _extras(world: "WorldBuilder", joint: Joint) -> dict[str, Any]:
    names = ("solref", "solimp", "torquescale")
    return {name: plain(value) for name, value in world.extras(joint.item) if name in names}
