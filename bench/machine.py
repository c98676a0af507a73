"""The machine and the versions that figures belong to."""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def _first_match(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip() if match else ""


def _first_line(*command: str) -> str:
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return output.splitlines()[0] if output else ""


def gpu() -> str:
    """Name and driver of the first GPU; empty when there is none."""
    return _first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")


def describe() -> dict[str, str]:
    cpu = _first_match(r"^Model name:(.*)$", subprocess.run(["lscpu"], capture_output=True, text=True).stdout)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    system = _first_match(r'^PRETTY_NAME="(.*)"$', pathlib.Path("/etc/os-release").read_text())
    version = _first_match(r'kVersion = "([0-9.]+)"', (ROOT / "include/carom/version.h").read_text())
    result = {
        "date": datetime.date.today().isoformat(),
        "carom": f"{version} {_first_line('git', 'describe', '--always', '--dirty')}".strip(),
        "CPU": f"{cpu or 'unknown'}, {os.cpu_count()} cores, {platform.machine()}",
        "memory": f"{memory:.0f} GB",
        "system": f"{system}, Linux {platform.release().split('-')[0]}",
        "compiler": _first_line("c++", "--version"),
        "Python": platform.python_version(),
    }
    return result | ({"GPU": gpu()} if gpu() else {})


def warn_if_busy():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"bench: the machine is busy (load {load:.1f}); figures will be worse than they are", file=sys.stderr)
