"""Runs the command line: the one beside Python's, or the one that CAROM_COMMAND names."""

import os
import pathlib
import subprocess
import sys

import pytest

COMMAND = pathlib.Path(os.environ.get("CAROM_COMMAND") or pathlib.Path(sys.executable).with_name("carom"))


def run(*arguments):
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not installed")
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          errors="replace")
