"""Holds the fields that the reader makes of an MJCF file against those of MuJoCo's compiler."""

import importlib
import warnings

import numpy as np

import carom.f64

_module = importlib.import_module(carom.f64.ModelBuilder.__module__)


def our_fields(path_or_text):
    return _module._mjcf_fields(path_or_text)


def our_warnings(path_or_text):
    """The lines of what is read, but not understood or left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        carom.f64.ModelBuilder().add_mjcf(path_or_text)
    return [line for warning in caught for line in str(warning.message).splitlines()]


def mujoco_field(model, name):
    if name.startswith("opt."):
        return getattr(model.opt, name[4:])
    if name.startswith("name_"):
        return [model.names[place : model.names.index(b"\0", place)].decode() for place in getattr(model, f"{name}adr")]
    return getattr(model, name)


def inertia_tensors(fields_of):
    """In body axes. Where two moments are the same, rounding decides which axes are principal."""
    tensors = []
    quats, inertias = np.reshape(fields_of("body_iquat"), (-1, 4)), np.reshape(fields_of("body_inertia"), (-1, 3))
    for (w, x, y, z), inertia in zip(quats, inertias):
        turn = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])
        tensors.append(turn @ np.diag(inertia) @ turn.T)
    return np.array(tensors)


def degenerate(model):
    """Bodies with two moments that are the same."""
    inertia = np.sort(model.body_inertia, axis=1)
    return (np.diff(inertia, axis=1) <= 1e-3 * inertia[:, 2:]).any(axis=1)


def hulls(mesh_vert, mesh_graph, graphadr, vertadr):
    """The corners of each hull, as a cloud of points."""
    vertices = np.reshape(mesh_vert, (-1, 3))
    for place, first in zip(graphadr, vertadr):
        if place >= 0:
            count = mesh_graph[place]
            yield vertices[first + np.asarray(mesh_graph[place + 2 + count : place + 2 + 2 * count])]


def triangles(faces, numbers):
    """The triangles of each mesh in an order of their own: that of those of a hull is qhull's affair."""
    faces = np.reshape(faces, (-1, 3))
    first = np.argmin(faces, axis=1)
    turned = np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)
    order = np.lexsort((turned[:, 2], turned[:, 1], turned[:, 0], np.repeat(np.arange(len(numbers)), numbers)))
    return turned[order]


def mesh_differences(ours, model):
    """Vertices to single precision; hulls by how far they reach, since coplanar triangles are cut in several ways."""
    mine, other = np.ravel(ours["mesh_vert"]), np.ravel(model.mesh_vert)
    if mine.shape != other.shape:
        return [f"mesh_vert: {mine.size} numbers instead of {other.size}"]
    scale = np.abs(other).max(initial=0)
    if (np.abs(mine - other) > 1e-6 * scale).any():
        return ["mesh_vert: other vertices"]
    if not np.array_equal(np.asarray(ours["mesh_graphadr"]) >= 0, model.mesh_graphadr >= 0):
        return ["mesh_graphadr: other meshes have hulls"]
    faces = triangles(ours["mesh_face"], ours["mesh_facenum"]), triangles(model.mesh_face, model.mesh_facenum)
    if not np.array_equal(*faces):
        return ["mesh_face: other triangles"]
    angles = np.linspace(0, 6, 40)
    directions = np.stack([np.cos(angles), np.sin(2 * angles), np.sin(angles)])
    places = (ours["mesh_vert"], ours["mesh_graph"], ours["mesh_graphadr"], ours["mesh_vertadr"])
    others = (model.mesh_vert, model.mesh_graph, model.mesh_graphadr, model.mesh_vertadr)
    for hull, expected in zip(hulls(*places), hulls(*others)):
        reach, expected_reach = (hull @ directions).max(axis=0), (expected @ directions).max(axis=0)
        if (np.abs(reach - expected_reach) > 1e-6 * np.abs(expected_reach).max()).any():
            return ["mesh_graph: another hull"]
    return []


BY_SHAPE = ("mesh_vert", "mesh_face", "mesh_graph", "mesh_graphadr")


SINGLE = ("hfield_data", "cam_sensorsize", "cam_intrinsic", "cam_fovy")  # that MuJoCo has in single precision


def differences(ours, model, single=False):
    """A line for each field that differs: integers and names at all, numbers by more than 1e-9 of themselves.

    single: by more than single precision. MuJoCo works out the vertices of its own meshes in it, so that their last
    digits, and those of all that follows from them, are those of a machine's sine and cosine.
    """
    lines = []
    if ours["model_name"] != model.names.split(b"\0")[0].decode():
        lines.append(f"model_name: {ours['model_name']}")
    for name, mine in ours.items():
        if name == "model_name" or name in BY_SHAPE:
            continue
        other = mujoco_field(model, name)
        if name.startswith("name_"):
            if mine != other:
                lines.append(f"{name}: {mine} instead of {other}")
            continue
        if name == "geom_fluid":  # virtual masses are worked out where they are needed
            mine, other = np.reshape(mine, (-1, 12))[:, :6], other[:, :6]
        mine, other = np.ravel(np.asarray(mine, float)), np.ravel(np.asarray(other, float))
        if name == "cam_intrinsic":  # without a sensor's size MuJoCo has the near plane of its viewer there
            other = np.where(np.repeat((model.cam_sensorsize > 0).all(axis=1), 4), other, 0)
        if mine.shape != other.shape:
            lines.append(f"{name}: {mine.size} numbers instead of {other.size}")
            continue
        precision = 1e-6 if name in SINGLE or single else 1e-9
        wrong = np.abs(mine - other) > precision * np.maximum(np.abs(other), 1 if single else 1e-3)
        if name == "body_iquat":
            wrong &= ~np.repeat(degenerate(model), 4)
        if wrong.any():
            first = np.flatnonzero(wrong)[0]
            where = f"{wrong.sum()} of {wrong.size}, number {first}"
            lines.append(f"{name}: {where} is {mine[first]} instead of {other[first]}")
    tensors, others = inertia_tensors(ours.__getitem__), inertia_tensors(lambda name: getattr(model, name))
    if tensors.shape == others.shape:
        scale = np.abs(others).max(axis=(1, 2), keepdims=True, initial=0)
        if (np.abs(tensors - others) > (1e-6 if single else 1e-9) * np.maximum(scale, 1e-12)).any():
            lines.append("body_inertia and body_iquat: other tensors")
    return lines + mesh_differences(ours, model)
