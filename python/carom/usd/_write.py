"""A model as a stage, in metres and kilograms: a prim for each world, below it its bodies with their shapes, and its
joints.

Numbers that USD has no word for are attributes `carom:FIELD`, in SI units and with the names of ShapeConfig,
JointDofConfig and ModelOptions, which add_usd() reads back. What is not written at all is listed by lost()."""

import sys
from typing import Any

import numpy as np

from carom._error import Error
from carom.usd._pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics

# What a stage has no place for, by the count of the model.
_UNSAID = {
    "actuator_count": "actuators",
    "tendon_count": "tendons",
    "sensor_count": "sensors",
    "contact_pair_count": "contact pairs",
    "particle_count": "particles",
    "spring_count": "springs",
    "tri_count": "triangles of cloth",
    "tet_count": "tetrahedra",
}
_TYPES = {bool: Sdf.ValueTypeNames.Bool, int: Sdf.ValueTypeNames.Int, float: Sdf.ValueTypeNames.Double,
          str: Sdf.ValueTypeNames.String}


class Columns:
    """Columns of a model as arrays of the host, each fetched once."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._kept: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._kept:
            self._kept[name] = np.array(getattr(self.model, name).numpy())
        return self._kept[name]


class Writer:
    def __init__(self, model: Any, stage: Usd.Stage) -> None:
        self.model = model
        self.stage = stage
        self.columns = Columns(model)
        self.module = sys.modules[type(model).__module__]
        self.lost: list[str] = []
        self.body_prims: list[Any] = []
        self.shape_prims: dict[int, Any] = {}
        self.joint_prims: dict[int, Any] = {}
        self.custom = {kind: model.custom_attributes(kind) for kind in ("body", "shape", "joint", "articulation")}
        self.materials: dict[tuple[float, ...], Any] = {}
        self._names: dict[Any, set[str]] = {}
        self._keys: dict[str, list[str]] = {}

    def keys(self, kind: str) -> list[str]:
        if kind not in self._keys:
            self._keys[kind] = getattr(self.model, f"{kind}_key")
        return self._keys[kind]

    def prim_path(self, parent: Any, key: str, fallback: str) -> Sdf.Path:
        """A free path below a prim, called like the key as far as USD allows."""
        name = Tf.MakeValidIdentifier(key.split("/")[-1] or fallback)
        used = self._names.setdefault(parent, set())
        free, number = name, 1
        while free in used:
            free, number = f"{name}_{number}", number + 1
        used.add(free)
        return parent.AppendChild(free)

    def set_key(self, prim: Any, kind: str, row: int, key: str) -> None:
        """The key, where it is not the one that add_usd() would give, or no key at all."""
        made_up = key.startswith(f"{kind}_") and key[len(kind) + 1 :].isdigit()
        if key != str(prim.GetPath()):
            self.set(prim, "carom:key", "" if made_up else key)
        for name, values in self.custom.get(kind, {}).items():
            if values[row] is not None:
                self.set(prim, name, values[row])

    def set(self, prim: Any, name: str, value: Any) -> None:
        """A custom attribute; numbers, texts, and lists of them."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        elif isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (list, tuple)):
            kinds = {type(element) for element in value}
            kind = str if kinds == {str} else int if kinds <= {int, bool} and kinds else float
            if kinds - {bool, int, float, str} or (str in kinds and len(kinds) > 1):
                self.lose(f"{prim.GetPath()}: {name}, a list of lists")
                return
            prim.CreateAttribute(name, _TYPES[kind].arrayType, custom=True).Set([kind(x) for x in value])
        elif type(value) in _TYPES:
            prim.CreateAttribute(name, _TYPES[type(value)], custom=True).Set(value)

    def lose(self, what: str) -> None:
        if what not in self.lost:
            self.lost.append(what)


def write(model: Any, path: str) -> Writer:
    """The stage, still open, at the initial state."""
    from carom.usd._write_bodies import write_bodies, write_static_shapes
    from carom.usd._write_joints import write_equalities, write_joints
    from carom.usd._write_shapes import write_filters

    if not path.endswith((".usd", ".usda", ".usdc")):
        raise Error(f"to_usd: '{path}': the name of a USD file ends with .usd, .usda or .usdc")
    try:
        layer = Sdf.Layer.Find(path)
        if layer is None:
            stage = Usd.Stage.CreateNew(path)
        else:  # somebody has it open; what stood in it goes
            layer.Clear()
            stage = Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise Error(f"to_usd: '{path}' cannot be written: {' '.join(str(error).split())}") from error
    writer = Writer(model, stage)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    if model.up_axis == "X":
        writer.lose("up_axis X; Z is written, and gravity as it is")
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y if model.up_axis == "Y" else UsdGeom.Tokens.z)
    root = UsdGeom.Xform.Define(stage, "/model")
    stage.SetDefaultPrim(root.GetPrim())
    _write_scene(writer)
    worlds = {-1: root.GetPath()}
    for world, key in enumerate(model.world_key):
        prim = UsdGeom.Xform.Define(stage, writer.prim_path(root.GetPath(), key, f"world_{world}")).GetPrim()
        prim.CreateAttribute("newton:world", Sdf.ValueTypeNames.Int, custom=True).Set(world)
        worlds[world] = prim.GetPath()
    write_static_shapes(writer, worlds)
    write_bodies(writer, worlds)
    write_joints(writer, worlds)
    write_equalities(writer, worlds)
    write_filters(writer)
    for count, what in _UNSAID.items():
        number = int(getattr(model, count))
        if number:
            writer.lose(f"{number} {what}")
    return writer


def _write_scene(writer: Writer) -> None:
    model, stage = writer.model, writer.stage
    scene = UsdPhysics.Scene.Define(stage, "/model/scene")
    gravity = writer.columns.gravity.astype(float)
    here = gravity[0]
    if len(gravity) > 1 and np.abs(gravity[:-1] - here).max() > 0:
        writer.lose("gravity of worlds other than the first")
    size = float(np.linalg.norm(here))
    direction = here / size if size > 0 else np.zeros(3)
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*direction.tolist()))
    scene.CreateGravityMagnitudeAttr(size)
    options, usual = model.options, writer.module.ModelOptions()
    prim = scene.GetPrim()
    prim.CreateAttribute("newton:timeStepsPerSecond", Sdf.ValueTypeNames.Double, custom=True).Set(
        1.0 / float(options.timestep))
    for name in dir(usual):
        if name.startswith("_") or callable(getattr(usual, name)) or name == "timestep":
            continue
        if getattr(options, name) != getattr(usual, name):
            writer.set(prim, f"carom:option:{name}", getattr(options, name))


def place(xformable: Any, pose: Any) -> tuple[Any, Any]:
    """Ops of a prim that put it at seven numbers, for time samples."""
    translate = xformable.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
    orient = xformable.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    put(translate, orient, pose)
    return translate, orient


def put(translate: Any, orient: Any, pose: Any, *time: Any) -> None:
    px, py, pz, x, y, z, w = (float(number) for number in pose)
    translate.Set(Gf.Vec3d(px, py, pz), *time)
    orient.Set(Gf.Quatd(w, x, y, z).GetNormalized(), *time)  # USD takes the angle from w alone
