"""The native model file: what one precision saves, either precision loads."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import carom
import carom.f64


def pendulum(c: ModuleType) -> Any:
    builder = c.ModelBuilder()
    builder.add_ground_plane()
    for world in range(2):
        builder.begin_world(key=f"world {world}", gravity=(0, 0, -9.81 + world))
        link = builder.add_link(key="bob", xform=(0.1, 0.2, 0.3, 0, 0, 0, 1))
        builder.add_shape_mesh(link, mesh=c.make_sphere_mesh(0.1, 1), key="ball")
        builder.add_joint_revolute(-1, link, axis=(0, 1, 0), limit_upper=1 / 3, key="pivot")
        builder.end_world()
    return builder.finalize()


COLUMNS = ["body_q", "body_mass", "body_inertia", "shape_scale", "joint_limit_upper", "gravity", "joint_world"]


@pytest.mark.parametrize("saver", [carom, carom.f64], ids=["f32", "f64"])
@pytest.mark.parametrize("loader", [carom, carom.f64], ids=["to_f32", "to_f64"])
def test_load_gives_what_was_saved(saver: ModuleType, loader: ModuleType, tmp_path: Path) -> None:
    """Keys, counts and numbers come back; numbers are rounded when a double file is loaded in single precision."""
    model = pendulum(saver)
    model.save(tmp_path / "pendulum.carom")
    loaded = loader.load(tmp_path / "pendulum.carom")
    assert loaded.world_key == model.world_key
    assert loaded.body_key == model.body_key
    assert loaded.find_joint("pivot", world=1) == 1
    for name in COLUMNS:
        saved, back = getattr(model, name).numpy(), getattr(loaded, name).numpy()
        np.testing.assert_array_equal(back, saved.astype(back.dtype), err_msg=name)
    meshes = [model.shape_sources[0], loaded.shape_sources[0]]
    np.testing.assert_array_equal(meshes[1].vertices, meshes[0].vertices.astype(meshes[1].vertices.dtype))
    np.testing.assert_array_equal(meshes[1].indices, meshes[0].indices)


def test_loaded_model_runs(tmp_path: Path) -> None:
    """A loaded model makes a state with the same initial values as the one that was saved."""
    model = pendulum(carom)
    model.save(str(tmp_path / "pendulum.carom"))
    state, loaded = model.state(), carom.load(str(tmp_path / "pendulum.carom")).state()
    np.testing.assert_array_equal(loaded.body_q.numpy(), state.body_q.numpy())
    np.testing.assert_array_equal(loaded.joint_q.numpy(), state.joint_q.numpy())
