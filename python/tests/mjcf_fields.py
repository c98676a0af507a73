"""Holds the fields that the reader makes of an MJCF file against those of MuJoCo's compiler."""

import importlib

import numpy as np

import carom.f64

_module = importlib.import_module(carom.f64.ModelBuilder.__module__)


def our_fields(path_or_text):
    return _module._mjcf_fields(path_or_text)


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


def differences(ours, model):
    """A line for each field that differs: integers and names at all, numbers by more than 1e-9 of themselves."""
    lines = []
    if ours["model_name"] != model.names.split(b"\0")[0].decode():
        lines.append(f"model_name: {ours['model_name']}")
    for name, mine in ours.items():
        if name == "model_name":
            continue
        other = mujoco_field(model, name)
        if name.startswith("name_"):
            if mine != other:
                lines.append(f"{name}: {mine} instead of {other}")
            continue
        mine, other = np.ravel(np.asarray(mine, float)), np.ravel(np.asarray(other, float))
        if mine.shape != other.shape:
            lines.append(f"{name}: {mine.size} numbers instead of {other.size}")
            continue
        wrong = np.abs(mine - other) > 1e-9 * np.maximum(np.abs(other), 1e-3)
        if name == "body_iquat":
            wrong &= ~np.repeat(degenerate(model), 4)
        if wrong.any():
            first = np.flatnonzero(wrong)[0]
            lines.append(f"{name}: {wrong.sum()} of {wrong.size}, number {first} is {mine[first]} instead of {other[first]}")
    tensors, others = inertia_tensors(ours.__getitem__), inertia_tensors(lambda name: getattr(model, name))
    if tensors.shape == others.shape:
        scale = np.abs(others).max(axis=(1, 2), keepdims=True, initial=0)
        if (np.abs(tensors - others) > 1e-9 * np.maximum(scale, 1e-12)).any():
            lines.append("body_inertia and body_iquat: other tensors")
    return lines
