"""MJCF texts give the numbers that MuJoCo's compiler gives, rule by rule."""

import pytest

from mjcf_cases import CASES
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco


@pytest.mark.parametrize("name", CASES)
def test_fields_are_those_of_mujoco(name):
    """Every field of CompiledMjcf equals that of an mjModel."""
    assert differences(our_fields(CASES[name]), mujoco.MjModel.from_xml_string(CASES[name])) == []
