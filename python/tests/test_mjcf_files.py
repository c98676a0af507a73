"""MJCF files of other projects: which of them the reader understands today, and that their numbers are MuJoCo's."""

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, mjcf
from mjcf_fields import differences, our_fields
from mjcf_files import COMPLETE, PACKAGES, files_of
from mujoco_states import find_model, mujoco

@pytest.mark.parametrize("name", COMPLETE)
def test_files_give_the_numbers_of_mujoco(name):
    """Every field of CompiledMjcf equals that of an mjModel."""
    path = find_model(name)
    assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_files_of_packages(package):
    for path in files_of(package):
        assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == [], path.name


@pytest.mark.parametrize("name", ["mujoco/humanoid.xml", "gymnasium/ant.xml"])
@pytest.mark.filterwarnings("ignore::UserWarning")  # keyframes
def test_models_are_those_of_the_bridge(name):
    """load_mjcf() of a file and from_mujoco() of what MuJoCo makes of it have the same columns."""
    path = find_model(name)
    scene = carom.ModelBuilder()
    scene.add_world(carom.from_mujoco(mujoco.MjModel.from_xml_path(str(path))))
    expected, model = scene.finalize(), carom.load_mjcf(path)
    assert model.body_key == expected.body_key and model.joint_key == expected.joint_key
    for column in ("body_mass", "body_inertia", "joint_q", "joint_X_p", "shape_transform", "joint_armature"):
        if hasattr(expected, column):
            np.testing.assert_allclose(
                getattr(model, column).numpy(), getattr(expected, column).numpy(), rtol=1e-9, atol=1e-12
            )


def test_worlds_of_texts():
    """add_mjcf() of two texts in one world, moved and with prefixes; without self-collision more pairs are filtered."""
    pairs = []
    for enable in (True, False):
        builder = carom.ModelBuilder()
        builder.begin_world()
        builder.add_mjcf(mjcf(FREE + SOCKET), key_prefix="one/", enable_self_collisions=enable)
        builder.add_mjcf(mjcf(ARM), xform=(3, 0, 0, 0, 0, 0, 1), key_prefix="two/")
        builder.end_world()
        assert builder.body_key == ["one/f", "one/o", "two/a", "two/b"]
        pairs.append(len(builder.finalize().shape_collision_filter_pairs))
    assert pairs[1] == pairs[0] + 1
