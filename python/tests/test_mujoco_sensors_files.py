"""Sensors of model files of other projects against MuJoCo, in double precision: those that the files have, and sensors
of every type wherever a model has something for them."""

import importlib.util
import pathlib

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_files import COMPLETE
from mujoco_sensors import add_sensors_everywhere, check_sensors
from mujoco_states import find_model, mujoco

WITH_SENSORS = [f"menagerie/{name}.xml" for name in (
    "agility_cassie/cassie", "agility_cassie/scene", "bitcraze_crazyflie_2/cf2", "bitcraze_crazyflie_2/scene",
    "skydio_x2/x2", "skydio_x2/scene")]
DM_CONTROL = [
    "locomotion/soccer/assets/boxhead/boxhead",
    "locomotion/walkers/assets/dog_v2/dog", "locomotion/walkers/assets/fruitfly_v2/floor",
    "locomotion/walkers/assets/fruitfly_v2/fruitfly", "locomotion/walkers/assets/humanoid_CMU_V2019",
    "locomotion/walkers/assets/humanoid_CMU_V2020", "locomotion/walkers/assets/jumping_ball/jumping_ball_with_head",
    "locomotion/walkers/assets/rodent", "mjcf/test_assets/robot_arm", "mujoco/testing/assets/cartpole",
    "mujoco/testing/assets/cartpole_no_names",
    *(f"suite/{name}" for name in ("cheetah", "dog", "finger", "fish", "hopper", "humanoid", "humanoid_CMU",
                                   "manipulator", "quadruped", "stacker", "swimmer", "walker")),
    "third_party/ant/ant"]  # fmt: skip


def dm_control_file(name):
    found = importlib.util.find_spec("dm_control")
    if found is None:
        pytest.skip("the package dm_control is not installed")
    return pathlib.Path(found.submodule_search_locations[0]) / f"{name}.xml"


# Where the points of contacts are others than MuJoCo's (hulls, ellipsoids), where it is rounding whether a ball
# touches, and where capsules begin at one point, from which no normal leads to the other: compared without contacts
# alone.
OTHER_POINTS = ("third_party/ant", "fruitfly", "rodent", "suite/quadruped", "collisions",
                "bitcraze_crazyflie_2/scene", "robotiq_2f85", "shadow_hand", "gymnasium/point")
# Planes are infinite for rays, and meshes that collide are their hulls; what tendons through space do counts as carried
# by joints; of two parallel capsules many points are equally near.
DIFFERENT = {"suite/quadruped": ["rangefinder"], "trossen_vx300s": ["rangefinder"],
             "robotiq_2f85/scene": ["force", "torque"], "agility_cassie": ["geomfromto"]}
EVERY_BODY = [name for name in COMPLETE if "100_humanoids" not in name]  # 22 are enough
EVERY_BODY_OF_DM_CONTROL = [name for name in DM_CONTROL if "_v2/" not in name]  # those take long; there is another dog


def cases(names):
    """With contacts and without, where both are compared."""
    return [(name, contacts) for name in names for contacts in (True, False)
            if not contacts or not any(part in name for part in OTHER_POINTS)]


def check_file(model, name, contacts):
    if not contacts:
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    but = [kind for part, kinds in DIFFERENT.items() if part in name for kind in kinds]
    assert check_sensors(model, but=but) or model.nbody == 1


@pytest.mark.parametrize(("name", "contacts"), cases(WITH_SENSORS))
def test_sensors_of_robots(name, contacts):
    check_file(mujoco.MjModel.from_xml_path(str(find_model(name))), name, contacts)


@pytest.mark.parametrize(("name", "contacts"), cases(DM_CONTROL))
def test_sensors_of_dm_control(name, contacts):
    check_file(mujoco.MjModel.from_xml_path(str(dm_control_file(name))), name, contacts)


@pytest.mark.parametrize(("name", "contacts"), cases(EVERY_BODY))
def test_sensors_on_every_body(name, contacts):
    check_file(add_sensors_everywhere(find_model(name), np.random.default_rng(3)), name, contacts)


@pytest.mark.parametrize(("name", "contacts"), cases(EVERY_BODY_OF_DM_CONTROL))
def test_sensors_on_every_body_of_dm_control(name, contacts):
    check_file(add_sensors_everywhere(dm_control_file(name), np.random.default_rng(3)), name, contacts)


def test_a_force_sensor_of_what_is_fixed_to_the_world_is_refused():
    model = mujoco.MjModel.from_xml_path(str(dm_control_file("entities/props/duplo/duplo2x4")))
    with pytest.raises(carom.Error, match=r"'force' \(force\): its frame is fixed to the world"):
        check_sensors(model)
