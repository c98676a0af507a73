"""MJCF files of other projects that tests read: those of shared/models, and of packages."""

import importlib.util
import pathlib

import pytest

COMPLETE = [
    *(f"gymnasium/{name}.xml" for name in (
        "ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum", "inverted_pendulum",
        "point", "pusher", "pusher_v5", "reacher", "swimmer", "walker2d", "walker2d_v5")),
    *(f"mujoco/{name}.xml" for name in ("humanoid", "humanoid100", "22_humanoids", "100_humanoids")),
    *(f"mujoco_tests/{name}.xml" for name in (
        "collisions", "contact", "contact_net", "contact_sorted", "contact_subtree", "contact_subtree_partial",
        "humanoid")),
    *(f"menagerie/{name}.xml" for name in (
        "agility_cassie/cassie", "agility_cassie/scene", "bitcraze_crazyflie_2/cf2", "bitcraze_crazyflie_2/scene",
        "kuka_iiwa_14/iiwa14", "kuka_iiwa_14/scene", "robotiq_2f85/2f85", "robotiq_2f85/scene", "shadow_hand/left_hand",
        "shadow_hand/right_hand", "shadow_hand/scene_left", "shadow_hand/scene_right", "skydio_x2/scene",
        "skydio_x2/x2", "trossen_vx300s/scene", "trossen_vx300s/vx300s", "unitree_go1/go1", "unitree_go1/scene",
        "wonik_allegro/left_hand", "wonik_allegro/right_hand", "wonik_allegro/scene_left",
        "wonik_allegro/scene_right")),
]  # fmt: skip
PACKAGES = {"dm_control": "suite", "gymnasium": "envs/mujoco/assets"}


def files_of(package):
    """All model files of a package."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"the package {package} is not installed")
    files = sorted((pathlib.Path(found.submodule_search_locations[0]) / PACKAGES[package]).glob("*.xml"))
    assert files
    return files
