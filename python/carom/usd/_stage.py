"""A stage as a list of what stands in it: prims with their paths and places, those of instances and of point instancers
among them."""

import dataclasses
import math
import os
import pathlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from carom._error import Error
from carom.usd import Limits
from carom.usd._frames import numbers
from carom.usd._pxr import TIME, Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics
from carom.usd._report import Report

_KINDS = ((UsdPhysics.Scene, "scene"), (UsdPhysics.Joint, "joint"), (UsdPhysics.CollisionGroup, "group"),
          (UsdGeom.Gprim, "gprim"))


@dataclasses.dataclass(eq=False, slots=True)
class Item:
    prim: Usd.Prim
    path: str  # prims below a point instancer have one of their own
    matrix: Gf.Matrix4d  # to the world, in units of the stage
    parent: "Item | None"
    kind: str  # scene, joint, group, gprim or ""
    schemas: frozenset[str]
    moved: tuple[str, str] = ("", "")  # what replaces the beginning of paths below a point instancer
    names: frozenset[str] = frozenset()  # of the properties that somebody gave

    def target(self, path: Sdf.Path) -> str:
        """Path of the item that a relationship of this one points to."""
        text, (old, new) = str(path), self.moved
        return new + text[len(old) :] if old and (text == old or text.startswith(old + "/")) else text

    def up(self) -> "Iterator[Item]":
        """This one, and all that it is in."""
        item: Item | None = self
        while item is not None:
            yield item
            item = item.parent


class Stage:
    """What is below root_path, without what ignore_paths match."""

    def __init__(self, source: Any, *, root_path: str, ignore_paths: Sequence[str] | None, limits: Limits) -> None:
        self.stage, name = open_stage(source)
        self.report = Report(name)
        self.limits = limits
        self.items: list[Item] = []
        self.by_path: dict[str, Item] = {}
        try:
            self._ignored = [re.compile(pattern) for pattern in ignore_paths or ()]
        except (re.error, TypeError) as error:
            raise Error(f"add_usd: ignore_paths: {error}; give regular expressions of prim paths") from error
        self._kinds: dict[str, str] = {}
        self._cache = UsdGeom.XformCache(TIME)
        self._check_composition()
        root = self.stage.GetPrimAtPath(root_path) if Sdf.Path.IsValidPathString(root_path) else None
        if not root:
            raise Error(f"{name}: root_path: there is no prim '{root_path}'")
        self._walk(root)

    def _check_composition(self) -> None:
        """What a file refers to and what could not be put together would be missing without a word."""
        for error in self.stage.GetCompositionErrors():
            text = " ".join(str(error).split())
            self.report.fail(getattr(error, "rootSite", None) and error.rootSite.path or "/", text)

    def _walk(self, root: Usd.Prim) -> None:
        parents: dict[Sdf.Path, Item] = {}
        prims = Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate))
        walk = iter(prims)
        for prim in walk:
            path = prim.GetPath()
            if self._ignored and any(pattern.search(str(path)) for pattern in self._ignored):
                walk.PruneChildren()
                continue
            parent = parents.get(path.GetParentPath())
            item = self._add(prim, str(path), self._world(prim), parent)
            parents[path] = item
            if prim.IsA(UsdGeom.PointInstancer):
                walk.PruneChildren()
                self._add_points(item)

    def _world(self, prim: Usd.Prim) -> Gf.Matrix4d:
        try:
            return self._cache.GetLocalToWorldTransform(prim)
        except Tf.ErrorException as error:
            self.report.fail(prim.GetPath(), f"its transform cannot be read: {why(error)}")

    def _add(self, prim: Usd.Prim, path: str, M: Gf.Matrix4d, parent: Item | None,
             moved: tuple[str, str] = ("", "")) -> Item:
        kind_name = prim.GetTypeName()
        kind = self._kinds.get(kind_name)
        if kind is None:
            kind = next((kind for schema, kind in _KINDS if prim.IsA(schema)), "")
            self._kinds[kind_name] = kind
        if path.count("/") > self.limits.depth:
            self.report.fail(path[:200], f"more than {self.limits.depth} prims inside each other (limits.depth)")
        item = Item(prim, path, M, parent, kind, frozenset(prim.GetAppliedSchemas()), moved,
                    frozenset(prim.GetAuthoredPropertyNames()))
        self.items.append(item)
        self.by_path[path] = item
        if len(self.items) > self.limits.prims:
            self.report.fail(path, f"more than {self.limits.prims} prims (limits.prims)")
        return item

    def _add_points(self, instancer: Item) -> None:
        """Each point of an instancer places a prototype, and is called by its number."""
        points = UsdGeom.PointInstancer(instancer.prim)
        prototypes, order = points.GetPrototypesRel().GetTargets(), points.GetProtoIndicesAttr().Get(TIME) or []
        if any(not 0 <= index < len(prototypes) for index in order):
            self.report.fail(instancer.path, f"protoIndices must be from 0 to {len(prototypes) - 1}")
        if len(order) > self.limits.prims:
            self.report.fail(instancer.path, f"more than {self.limits.prims} prims (limits.prims)")
        try:
            placed = points.ComputeInstanceTransformsAtTime(
                TIME, TIME, UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask)
        except Tf.ErrorException as error:
            self.report.fail(instancer.path, why(error))
        if len(placed) != len(order):
            self.report.fail(instancer.path, f"has {len(order)} protoIndices, and positions for {len(placed)}")
        shown = points.ComputeMaskAtTime(TIME) or [True] * len(order)
        for number, (index, M) in enumerate(zip(order, placed)):
            root = self.stage.GetPrimAtPath(prototypes[index])
            if not root:
                self.report.fail(instancer.path, f"its prototype {prototypes[index]} does not exist")
            if shown[number]:
                self._add_point(instancer, f"{instancer.path}/{root.GetName()}_{number}", root, M)

    def _add_point(self, instancer: Item, path: str, root: Usd.Prim, M: Gf.Matrix4d) -> None:
        old = str(root.GetPath())
        base = self._cache.GetParentToWorldTransform(root).GetInverse() * M * instancer.matrix
        parents = {root.GetPath().GetParentPath(): instancer}
        for prim in Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
            if prim.IsA(UsdGeom.PointInstancer):
                self.report.fail(prim.GetPath(), "point instancers inside of a prototype are not read; write instances")
            here = path + str(prim.GetPath())[len(old) :]
            world = self._world(prim) * base
            parents[prim.GetPath()] = self._add(prim, here, world, parents.get(prim.GetPath().GetParentPath()),
                                                (old, path))

    # -- Values of attributes. Without an authored value the one that is given here counts, which is USD's.

    def value(self, item: Item, name: str, default: Any = None) -> Any:
        if name not in item.names:
            return default
        attribute = item.prim.GetAttribute(name)
        value = attribute.Get(TIME) if attribute and attribute.HasAuthoredValue() else None
        return default if value is None else value

    def number(self, item: Item, name: str, default: float | None = None, *, least: float = -math.inf,
               infinite: bool = False) -> Any:
        """A finite number that is not less than `least`; with `infinite` it may also be inf or -inf."""
        value = self.value(item, name)
        if value is None:
            return default
        try:
            result = float(value)
        except (TypeError, ValueError):
            self.report.fail(item.path, f"{name} must be a number, is {value!r}")
        if not (math.isfinite(result) or (infinite and not math.isnan(result))) or result < least:
            wanted = "" if least == -math.inf else f" and not less than {least:g}"
            self.report.fail(item.path, f"{name} must be {'a number' if infinite else 'finite'}{wanted}, is {result}")
        return result

    def vector(self, item: Item, name: str, default: Any = None, *, size: int = 3) -> Any:
        """Finite numbers, as a tuple."""
        value = self.value(item, name)
        if value is None:
            return default
        try:
            result = tuple(numbers(value) if size == 3 else (*numbers(value.GetImaginary()), value.GetReal()))
        except (TypeError, ValueError, AttributeError):
            self.report.fail(item.path, f"{name} must be {size} numbers, is {value!r}")
        if len(result) != size or not all(math.isfinite(x) for x in result):
            self.report.fail(item.path, f"{name} must be {size} finite numbers, is {result}")
        return result

    def integer(self, item: Item, name: str) -> int | None:
        value = self.value(item, name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
            self.report.fail(item.path, f"{name} must be an integer, is {value!r}")
        return value

    def flag(self, item: Item, name: str, default: bool) -> bool:
        return bool(self.value(item, name, default))

    def targets(self, item: Item, name: str) -> list[str]:
        relationship = item.prim.GetRelationship(name) if name in item.names else None
        return [item.target(path) for path in relationship.GetTargets()] if relationship else []


def open_stage(source: Any) -> tuple[Usd.Stage, str]:
    """The stage that add_usd() is given, and what it is called in messages."""
    if isinstance(source, Usd.Stage):
        return source, source.GetRootLayer().GetDisplayName() or "stage"
    if isinstance(source, str) and source.lstrip().startswith("#usda"):
        layer = Sdf.Layer.CreateAnonymous("text.usda")
        try:
            layer.ImportFromString(source)
        except Tf.ErrorException as error:
            raise Error(f"USD text: {why(error)}") from error
        return Usd.Stage.Open(layer), "USD text"
    if not isinstance(source, (str, os.PathLike)):
        raise Error(f"add_usd: a file, a Usd.Stage or text that begins with '#usda' is expected, is "
                    f"{type(source).__name__}")
    path = pathlib.Path(source)
    if path.suffix.lower() not in (".usd", ".usda", ".usdc", ".usdz"):
        raise Error(f"{path}: is no USD file by its name; those end with .usd, .usda, .usdc or .usdz")
    if not path.is_file():
        raise Error(f"{path}: there is no such file")
    try:
        return Usd.Stage.Open(str(path)), str(path)
    except Tf.ErrorException as error:
        raise Error(f"{path}: {why(error)}") from error


def why(error: Exception) -> str:
    """What USD says, without the places in its own sources."""
    try:
        said = str(error)
    except UnicodeDecodeError:  # USD repeats what it has found
        return "is no text"
    lines = [re.sub(r"Error in '[^']*' at line \d+ in file \S+ : ", "", line.strip()) for line in said.split("\n")]
    return " ".join(line.strip("'") for line in lines if line)
