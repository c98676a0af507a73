"""docs/mjcf.md shows what the reader knows, and the reader does what it shows."""

import importlib
import os
import pathlib
import subprocess
import sys

import pytest

import carom.f64 as carom

from mujoco_states import find_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
_module = importlib.import_module(carom.ModelBuilder.__module__)


def check_page(env):
    script = ROOT / "tools" / "print_mjcf.py"
    return subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, env=env)


def test_the_page_shows_the_table():
    done = check_page({name: value for name, value in os.environ.items() if name != "CAROM_MODELS"})
    assert done.returncode == 0, done.stderr


def test_the_page_counts_the_files():
    models = find_model("menagerie/kuka_iiwa_14/scene.xml").parents[2]
    done = check_page(os.environ | {"CAROM_MODELS": str(models)})
    assert done.returncode == 0, done.stderr


def test_limits_are_those_that_files_meet(tmp_path):
    limits = _module._mjcf_limits()
    deep = "<body>" * limits["depth"] + "</body>" * limits["depth"]
    with pytest.raises(carom.Error, match=str(limits["depth"])):
        carom.load_mjcf(f"<mujoco><worldbody>{deep}</worldbody></mujoco>")


def refused_elements():
    elements = {element["id"]: element for element in _module._mjcf_elements()}
    for parent in elements.values():
        for child in parent["children"]:
            if elements[child]["use"] == "refused" and parent["id"] in ("worldbody", "equality", "actuator"):
                yield parent["tag"], elements[child]["tag"]


@pytest.mark.parametrize(("parent", "tag"), list(refused_elements()))
def test_what_the_page_calls_refused_is(parent, tag):
    with pytest.raises(carom.Error, match=f"<{tag}>"):
        carom.load_mjcf(f"<mujoco><{parent}><{tag}/></{parent}></mujoco>")


def test_children_and_names_fit_together():
    """Every child has a rule, and no attribute of an element is named twice."""
    elements = {element["id"]: element for element in _module._mjcf_elements()}
    for element in elements.values():
        assert set(element["children"]) <= elements.keys()
        names = [name for name, _, _ in element["attributes"]]
        assert len(names) == len(set(names)), element["id"]
