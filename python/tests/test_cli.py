"""The command line finds solvers and their options by name."""

import numpy as np
import pytest

import carom

from cli_command import run


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    """A file with a ball that stands on the ground."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 0.0999, 0, 0, 0, 1))
    builder.add_shape_sphere(body, radius=0.1)
    path = tmp_path_factory.mktemp("cli") / "ball.carom"
    builder.finalize().save(path)
    return path


def test_inspect_shows_forces_of_the_named_solver(ball):
    done = run("inspect", ball, "--stage", "forces", "--solver", "mujoco", "--option", "iterations=20")
    assert done.returncode == 0, done.stderr
    assert "1 contacts" in done.stdout
    row = next(line for line in done.stdout.splitlines() if "shape_1" in line)
    assert float(row.split()[-1]) > 9.81 * 1000 * 4 / 3 * np.pi * 0.1**3 * 0.5


@pytest.mark.parametrize(("arguments", "said"), [
    (["--solver", "bullet"], "mujoco"),
    (["--option", "iteration=20"], '"iterations"'),
    (["--option", "iterations=1.5"], "whole number"),
    (["--option", "iterations"], "name=value"),
])
def test_wrong_solvers_are_told_what_there_is(ball, arguments, said):
    done = run("inspect", ball, "--stage", "forces", *arguments)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_help_lists_solvers_and_options():
    done = run("demo", "--help")
    assert "mujoco" in done.stdout and "ls_iterations=50" in done.stdout
