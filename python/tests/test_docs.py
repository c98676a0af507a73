"""The README and the pages of the docs are true: their Python runs, and the defaults they show are the code's."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
needs_mujoco = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="mujoco is not installed")
needs_usd = pytest.mark.skipif(importlib.util.find_spec("pxr") is None, reason="usd-core is not installed")
PAGES = ["README.md", "docs/worlds.md", "docs/collisions.md", "docs/impulses.md", "docs/raycasts.md", "docs/sensors.md",
         "docs/solvers.md", "docs/dynamics.md", "docs/events.md", "docs/urdf.md",
         pytest.param("docs/usd.md", marks=needs_usd), pytest.param("docs/mujoco.md", marks=needs_mujoco)]


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page, tmp_path):
    """Every block of a page runs as a program of its own, Warp's kernels included."""
    blocks = python_blocks(page)
    assert blocks
    for number, block in enumerate(blocks):
        program = tmp_path / f"block_{number}.py"  # a file, since Warp reads the source of its kernels
        program.write_text(block)
        run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, cwd=tmp_path)
        assert run.returncode == 0, run.stderr


def test_defaults_are_printed_from_the_code():
    script = ROOT / "tools" / "print_defaults.py"
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
