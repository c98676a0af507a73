"""The package: precisions side by side, errors, names, documentation, type stubs."""

import enum
import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import carom as single
import carom.f64 as double


DOUBLE_ALONE = {"ContactDetection", "ContactPair", "Event", "EventCounts", "EventSamples", "EventStepper",
                "MaterialContactPair", "MaterialPalette", "NoContactPair", "PairKey", "PairMaterial", "SolidMaterial",
                "pair_id", "shapes_of_pair"}


def public_names(module):
    return {name for name in dir(module) if not name.startswith("_")} - {"f64"}


def test_both_precisions_have_the_same_names():
    """carom.f64 has what carom has, class by class and member by member, and what needs double precision."""
    assert public_names(single) | DOUBLE_ALONE == public_names(double)
    assert not public_names(single) & DOUBLE_ALONE
    for name in public_names(single):
        if isinstance(getattr(single, name), type):
            assert set(dir(getattr(single, name))) == set(dir(getattr(double, name)))


def test_the_precisions_do_not_mix():
    """An object of one precision is not accepted by the other."""
    builder = single.ModelBuilder()
    with pytest.raises(TypeError):
        builder.add_world(double.ModelBuilder())
    with pytest.raises(TypeError):
        builder.add_shape_box(cfg=double.ShapeConfig())


def test_there_is_one_error(carom):
    """carom.Error is a ValueError, and one class for both precisions."""
    assert issubclass(carom.Error, ValueError)
    assert carom.Error is single.Error
    with pytest.raises(carom.Error) as caught:
        carom.ModelBuilder().end_world()
    assert type(caught.value) is carom.Error
    assert str(caught.value)


def test_the_version_is_that_of_the_library(carom):
    """The package and the header state one version."""
    assert carom.__version__ == single.__version__
    header = pathlib.Path(__file__).parents[2] / "include/carom/version.h"
    assert f'"{carom.__version__}"' in header.read_text()


def test_everything_public_is_documented(carom):
    """Every class, method and property has a docstring."""
    missing = []
    for name in sorted(public_names(carom)):
        value = getattr(carom, name)
        if not value.__doc__:
            missing.append(name)
        if isinstance(value, type) and not issubclass(value, (enum.Enum, Exception)):
            for member in vars(value):
                if not member.startswith("_") and not getattr(value, member).__doc__:
                    missing.append(f"{name}.{member}")
    assert missing == []


def run_mypy(*arguments):
    environment = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, env=environment
    )


needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")

PROGRAM = textwrap.dedent(
    """
    import numpy as np
    import {module} as carom

    builder = carom.ModelBuilder()
    builder.default_shape_cfg.mu = 0.5
    cfg = builder.ShapeConfig(collision_group=-1)
    world: int = builder.begin_world(key="w", gravity=(0, 0, -9.81))
    body: int = builder.add_body(xform=carom.Transform((0, 0, 1)), mass=1.0, inertia=np.eye(3))
    builder.add_shape_sphere(body, radius=0.5, cfg=cfg)
    builder.end_world()
    model: carom.Model = builder.finalize(device="cpu")
    state = model.state()
    view = state.body_q.numpy()
    view[:, 2] += 1.0
    keys: list[str] = model.body_key
    carom.eval_fk(model, state.joint_q, state.joint_qd, state, mask=[True])
    with model.edit() as edited:
        edited.body_mass[:] = 2.0
    matrix: carom.Array = carom.eval_jacobian(model, state).world(0)
    force: carom.Array = carom.eval_inverse_dynamics(model, state, state.joint_qdd, dynamics=carom.make_dynamics(model))
    kind: carom.JointType = carom.JointType.FREE
    try:
        model.find_body("nobody")
    except carom.Error as error:
        print(error)
    """
)


@needs_mypy
def test_stubs_accept_a_correct_program(carom, tmp_path):
    """mypy --strict finds nothing wrong with a typical program."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(module=carom.__name__))
    result = run_mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program))
    assert result.returncode == 0, result.stdout + result.stderr


@needs_mypy
def test_stubs_refuse_wrong_programs(carom, tmp_path):
    """mypy reports a misspelled method, a wrong argument name, a wrong type and a write to a frozen attribute."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import {carom.__name__} as carom
            builder = carom.ModelBuilder()
            builder.add_spere(0)
            builder.add_body(label="a")
            builder.add_shape_box("body")
            builder.finalize().body_mass = 3
            """
        )
    )
    result = run_mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program))
    lines = {line.split(":")[1] for line in result.stdout.splitlines() if ": error:" in line}
    assert lines == {"4", "5", "6", "7"}, result.stdout + result.stderr


# What stubtest says about every nanobind class and function, whatever the stub looks like.
MACHINERY = [
    "is not a function",
    "metaclass differs",
    "disjoint base",
    "__nb_enum__",
    "stub does not have *args parameter",
    "stub is a staticmethod but runtime is not",
]


@needs_mypy
def test_stubs_describe_the_modules():
    """stubtest finds no name in the stubs that is not in the modules, and none that is missing."""
    lines = run_mypy("mypy.stubtest", "carom", "--concise").stdout.splitlines()
    assert any(line.startswith("carom._carom_f64.Model") for line in lines), lines
    assert [line for line in lines if not any(phrase in line for phrase in MACHINERY)] == []


def test_importing_carom_does_not_import_the_other_precision():
    """carom alone loads one extension module."""
    code = "import sys, carom; sys.exit('carom._carom_f64' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert importlib.import_module("carom.f64") is double


def test_a_missing_precision_says_how_to_build_it():
    """After `make demo` there is no double precision."""
    code = "import sys; sys.modules['carom._carom_f64'] = None; import carom; import carom.f64"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "carom.f64 is not installed: make demo builds single precision alone, make build both" in done.stderr


def test_numpy_is_imported_when_it_is_needed():
    """Importing carom and stepping does without numpy, which takes longer to import than all the rest; what needs it is
    there all the same."""
    program = """
        import sys
        import carom
        builder = carom.ModelBuilder()
        body = builder.add_body()
        builder.add_shape_sphere(body, radius=0.1)
        carom.Simulation(builder.finalize(), "mujoco").step()
        assert "numpy" not in sys.modules
        assert "from_mujoco" in dir(carom) and callable(carom.from_mujoco) and carom.mujoco.__name__ == "carom.mujoco"
        assert "numpy" in sys.modules
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
    with pytest.raises(AttributeError, match="module 'carom' has no attribute 'from_mujoc'"):
        single.from_mujoc  # noqa: B018
