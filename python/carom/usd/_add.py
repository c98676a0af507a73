"""add_usd() and load_usd(): from a stage to a builder, which hears of it when all of it has been understood."""

import dataclasses
import math
import sys
from typing import Any

from carom._error import Error
from carom.usd import Limits, _frames
from carom.usd._bodies import read_bodies
from carom.usd._build import WorldBuilder
from carom.usd._custom import Custom
from carom.usd._filters import filtered_pairs
from carom.usd._gravity import read_gravity, read_options
from carom.usd._joints import read_joints
from carom.usd._masses import set_masses
from carom.usd._scene import Options, Scene
from carom.usd._shapes import read_shapes
from carom.usd._stage import Stage
from carom.usd._trees import plan
from carom.usd._units import units_of

_FIELDS = {field.name for field in dataclasses.fields(Options)}


@dataclasses.dataclass
class _Read:
    scene: Scene
    worlds: dict[int, WorldBuilder]
    gravity: list[float] | None


def add_usd(builder: Any, source: Any, *, xform: Any = None, key_prefix: str | None = None, root_path: str = "/",
            ignore_paths: Any = None, limits: Limits | None = None, stacklevel: int = 3,
            **options: Any) -> dict[str, Any]:
    read = _read(builder, source, xform, root_path, ignore_paths, limits, options)
    first = _place(builder, read, key_prefix or "")
    report = read.scene.stage.report
    _take_gravity(builder, read)
    report.show(stacklevel)  # whose line warnings name: above this, and above carom.usd
    return _result(read, first)


def load_usd(builder_class: Any, source: Any, *, device: str = "cpu", **options: Any) -> Any:
    """With the worlds that the stage names, or all of it in one."""
    file = builder_class()
    result = add_usd(file, source, stacklevel=4, **options)
    if result["world_count"]:
        return file.finalize(device=device)
    scene = builder_class()
    scene.add_world(file)
    return scene.finalize(device=device)


def _read(builder: Any, source: Any, xform: Any, root_path: str, ignore_paths: Any, limits: Limits | None,
          options: dict[str, Any]) -> _Read:
    unknown = sorted(set(options) - _FIELDS)
    if unknown:
        raise TypeError(f"add_usd() got an unexpected keyword argument '{unknown[0]}'")
    stage = Stage(source, root_path=root_path, ignore_paths=ignore_paths, limits=limits or Limits())
    units = units_of(stage.stage, builder.up_axis, stage.report)
    placement = units.turn
    if xform is not None:
        placement = placement * _given(xform)
    scene = Scene(stage, units, placement, Options(**options))
    read_bodies(scene)
    read_shapes(scene, _module(builder).Mesh)
    read_joints(scene)
    set_masses(scene, _empty(builder))
    articulations, loops = plan(scene)
    custom = Custom(scene)
    worlds: dict[int, WorldBuilder] = {}
    numbers = {body.world for body in scene.bodies} | {shape.world for shape in scene.shapes}
    for world in sorted(numbers):
        worlds[world] = WorldBuilder(scene, _empty(builder), custom)
        worlds[world].add([b for b in scene.bodies if b.world == world],
                          [a for a in articulations if a.bodies[0].world == world],
                          [s for s in scene.shapes if s.world == world],
                          [j for j in loops if j.world == world])
    _check_worlds(builder, scene, worlds)
    for name, value in read_options(scene).items():
        for built in worlds.values():
            try:
                setattr(built.builder.options, name, value)
            except (TypeError, ValueError, AttributeError):
                stage.report.fail("PhysicsScene", f"carom:option:{name} cannot be {value!r}")
    _filter(scene, worlds, articulations, loops)
    return _Read(scene, worlds, read_gravity(scene))


def _given(xform: Any) -> Any:
    """Seven numbers, or a Transform."""
    try:
        numbers = [float(x) for x in ((*xform.p, *xform.q) if hasattr(xform, "q") else xform)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or not any(numbers[3:]):
        raise Error(f"add_usd: xform must be seven finite numbers, a position and a quaternion xyzw, is {xform!r}")
    return _frames.matrix(numbers)


def _module(builder: Any) -> Any:
    return sys.modules[type(builder).__module__]


def _empty(builder: Any) -> Any:
    """One of the same kind, with the same defaults."""
    new = type(builder)(up_axis=builder.up_axis)
    new.default_shape_cfg = builder.default_shape_cfg
    new.default_joint_cfg = builder.default_joint_cfg
    return new


def _check_worlds(builder: Any, scene: Scene, worlds: dict[int, WorldBuilder]) -> None:
    if builder.current_world >= 0 and max(worlds, default=-1) >= 0:
        rows: list[Any] = [*scene.bodies, *scene.shapes]
        owner = next(row for row in rows if row.world >= 0)
        scene.stage.report.fail(owner.item.path, f"newton:world is {owner.world}, but world {builder.current_world} of "
                                                 "the builder is open; worlds do not nest, call end_world() first")


def _filter(scene: Scene, worlds: dict[int, WorldBuilder], articulations: Any, loops: Any) -> None:
    done, stage = set(), scene.stage
    for number, (a, b) in enumerate(filtered_pairs(scene, articulations, loops)):
        if number >= stage.limits.pairs:
            stage.report.fail(a.path, f"more than {stage.limits.pairs} pairs of shapes are filtered (limits.pairs)")
        if a.world != b.world:
            stage.report.warn(a.path, "filtered pairs of what is global and what is in a world are left out")
            continue
        pair = (a.world, min(a.index, b.index), max(a.index, b.index))
        if pair not in done and a.index != b.index:
            done.add(pair)
            worlds[a.world].builder.add_shape_collision_filter_pair(a.index, b.index)


@dataclasses.dataclass
class _First:
    """Where the rows of each world of the stage begin in the builder."""

    rows: dict[int, dict[str, int]]
    worlds: dict[int, int]


_COUNTED = ("body", "shape", "joint", "articulation", "equality_constraint")


def _place(builder: Any, read: _Read, prefix: str) -> _First:
    """All or nothing: whatever may be refused is asked for first."""
    report = read.scene.stage.report
    first = _First({}, {})
    inner = [world for world in read.worlds if world >= 0]
    globals_last = bool(inner) and builder.world_count > 0
    if globals_last and -1 in read.worlds:
        _check_keys(builder, read, prefix)
    try:
        if -1 in read.worlds and not globals_last:
            _copy(builder, read, -1, prefix, first)
        for world in range(max(inner, default=-1) + 1):
            first.worlds[world] = builder.begin_world(gravity=read.gravity)
            if world in read.worlds:
                _copy(builder, read, world, prefix, first)
            builder.end_world()
        if -1 in read.worlds and globals_last:
            _copy(builder, read, -1, prefix, first)
    except Error as error:
        report.fail("/", str(error))
    return first


def _copy(builder: Any, read: _Read, world: int, prefix: str, first: _First) -> None:
    rows = {kind: int(getattr(builder, f"{kind}_count")) for kind in _COUNTED}
    builder.add_builder(read.worlds[world].builder, key_prefix=prefix)
    first.rows[world] = rows


def _check_keys(builder: Any, read: _Read, prefix: str) -> None:
    for kind in _COUNTED:
        worlds = getattr(builder, f"{kind}_world").numpy()
        taken = {key for key, world in zip(getattr(builder, f"{kind}_key"), worlds) if world < 0 and key}
        for key in getattr(read.worlds[-1].builder, f"{kind}_key"):
            if key and prefix + key in taken:
                raise Error(f"{read.scene.stage.report.name}: add_usd: {kind} key '{prefix + key}' is already taken; "
                            "give key_prefix")


def _take_gravity(builder: Any, read: _Read) -> None:
    """Worlds of the builder have theirs when they begin; what is in none yet takes that of the stage."""
    gravity = read.gravity
    if gravity is None:
        return
    here = list(builder.gravity)
    if all(abs(a - b) <= 1e-6 * max(1.0, abs(a)) for a, b in zip(gravity, here)):
        return
    usual = list(type(builder)(up_axis=builder.up_axis).gravity)
    if builder.current_world < 0 and here == usual:
        builder.gravity = gravity
    elif any(world < 0 for world in read.worlds):
        read.scene.stage.report.warn("/", f"its gravity, {tuple(gravity)}, is not taken: the builder or its world has "
                                          "another one")


def _result(read: _Read, first: _First) -> dict[str, Any]:
    scene, rows = read.scene, first.rows

    def placed(kind: str, world: int, index: int) -> int:
        return rows[world][kind] + index

    return {
        "path_body_map": {b.item.path: placed("body", b.world, b.index) for b in scene.bodies},
        "path_shape_map": {s.path: placed("shape", s.world, s.index) for s in scene.shapes},
        "path_joint_map": {j.item.path: placed("joint", j.world, j.index) for j in scene.joints if j.index >= 0},
        "path_equality_constraint_map": {path: placed("equality_constraint", world, row)
                                         for world, built in reversed(read.worlds.items())
                                         for path, row in reversed(built.equalities)},
        "world_count": len(first.worlds),
        "up_axis": scene.units.up_axis,
        "linear_unit": scene.units.length,
        "mass_unit": scene.units.mass,
        "custom_attributes": dict(next(iter(read.worlds.values())).custom.once) if read.worlds else {},
        "warnings": scene.stage.report.lines(),
    }
