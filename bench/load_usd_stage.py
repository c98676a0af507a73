"""Reads one USD stage of many bodies in a process of its own: add_usd() of carom, or that of Newton.

usage: load_usd_stage.py carom|newton BODIES     prints one JSON object
"""

import json
import pathlib
import sys
import tempfile
import time
import warnings

import spine_protocol as protocol

AGAIN = 3


def write_stage(path: pathlib.Path, bodies: int):
    """Arms of four links with a drive at each joint: two colliders a body, one material, one collision group."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdPhysics.Scene.Define(stage, "/scene")
    material = UsdShade.Material.Define(stage, "/material")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDynamicFrictionAttr(0.5)
    last = None
    for i in range(bodies):
        xform = UsdGeom.Xform.Define(stage, f"/arm_{i // 4}/link_{i}")
        xform.AddTranslateOp().Set(Gf.Vec3d(i % 4, i // 4, 1))
        UsdPhysics.RigidBodyAPI.Apply(xform.GetPrim())
        UsdPhysics.MassAPI.Apply(xform.GetPrim()).CreateMassAttr(1)
        for j, kind in enumerate((UsdGeom.Cube, UsdGeom.Capsule)):
            shape = kind.Define(stage, f"{xform.GetPath()}/shape_{j}")
            shape.AddScaleOp().Set(Gf.Vec3f(0.1))
            UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
            UsdShade.MaterialBindingAPI.Apply(shape.GetPrim()).Bind(
                material, UsdShade.Tokens.weakerThanDescendants, "physics")
        if i % 4:
            joint = UsdPhysics.RevoluteJoint.Define(stage, f"/arm_{i // 4}/joint_{i}")
            joint.CreateBody0Rel().SetTargets([last])
            joint.CreateBody1Rel().SetTargets([xform.GetPath()])
            joint.CreateLocalPos0Attr(Gf.Vec3f(1, 0, 0))
            joint.CreateLowerLimitAttr(-90)
            joint.CreateUpperLimitAttr(90)
            UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular").CreateStiffnessAttr(1)
        last = xform.GetPath()
    stage.Save()


def seconds(library: str, path: str) -> float:
    builder = protocol_builder(library)
    start = time.perf_counter()
    builder.add_usd(path)
    return time.perf_counter() - start


def protocol_builder(library: str):
    try:
        import pxr  # noqa: F401
    except ImportError as error:
        raise protocol.Missing(f"usd-core cannot be imported ({error}); install the extra usd") from error
    if library == "carom":
        import carom

        return carom.ModelBuilder()
    try:
        import newton
    except ImportError as error:
        raise protocol.Missing(f"newton cannot be imported ({error}); install the extra bench") from error
    return newton.ModelBuilder()


def main(library: str, bodies: str) -> dict:
    protocol_builder(library)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "stage.usdc"
        write_stage(path, int(bodies))
        first = seconds(library, str(path))
        return {"first_s": first, "again_s": min(seconds(library, str(path)) for _ in range(AGAIN)),
                "bytes": path.stat().st_size}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    try:
        print(json.dumps(main(*sys.argv[1:])))
    except (protocol.Missing, ImportError) as missing:
        print(json.dumps({"missing": str(missing)}))
