#!/bin/sh
# setup.sh demo|all|bench: makes a Debian machine ready: installs the packages that are missing and makes .venv for the
# Python side. `demo` installs what the library, the command line and the Python package need, `all` also what tests and
# checks need, `bench` also the peers of the benchmarks, which run on without those that cannot be had. A second run
# finds its stamp and does nothing. The Python side is optional: when its packages cannot be had, build/python-ready is
# not there afterwards, build/skipped/python says why, and the C++ side goes on without it.
set -eu
cd "$(dirname "$0")/.."

scope=$1
packages="
  g++ cmake ninja-build make ccache git ca-certificates
  libqhull-dev libcli11-dev libpugixml-dev libpng-dev nlohmann-json3-dev
  python3 python3-venv python3-dev"
if [ "$scope" = all ]; then
  packages="$packages
  libgtest-dev
  clang clang-format clang-tidy libclang-rt-dev"
fi
optional="libsundials-dev"  # EventStepper's stiff methods
peers="libbullet-dev libode-dev libembree-dev libcgal-dev libccd-dev libfcl-dev"

fail() {
  echo "setup: $*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "needs root for: $*; run it as root, or install sudo"
  fi
}

install_packages() {
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^.i' || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
  fi
}

if [ "$scope" = bench ]; then
  tools/setup.sh all
  command -v apt-get >/dev/null && (install_packages $peers) ||
    echo "**** LEFT OUT: peers of the benchmarks, not all of these could be installed:" $peers "****"
  exit
fi

mkdir -p build/skipped
key=$(cat tools/setup.sh pyproject.toml | cksum | cut -d' ' -f1)
stamp=build/setup-$scope-$key
if .venv/bin/python -c '' 2>/dev/null && { [ -e "$stamp" ] || [ -e "build/setup-all-$key" ]; }; then exit 0; fi
rm -f build/setup-* build/python-ready build/skipped/python

# Prints the requirements that pyproject.toml states, the one place where they stand; "files": of packages whose files
# alone are wanted.
requirements() {
  .venv/bin/python - "$1" <<'PYTHON'
import sys
try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
extras = project["project"]["optional-dependencies"]
names = project["build-system"]["requires"] + project["project"]["dependencies"]
if sys.argv[1] == "all":
    names += extras["test"] + extras["mujoco"]
if sys.argv[1] == "files":
    names = extras["files"]
print("\n".join(names))
PYTHON
}

install_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "python3 is older than 3.10"; return 1; }
  .venv/bin/python -c '' 2>/dev/null || { rm -rf .venv && python3 -m venv .venv; } || return 1
  requirements "$scope" >build/requirements.txt || return 1
  pip_install -r build/requirements.txt || return 1
  [ "$scope" != all ] || { requirements files >build/files.txt && pip_install --no-deps -r build/files.txt; }
}
pip_install() {
  .venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@"
}

if command -v apt-get >/dev/null; then
  install_packages $packages
  [ "$scope" != all ] || (install_packages $optional) ||
    echo "**** LEFT OUT: what needs these packages, which could not be installed:" $optional "****"
else
  echo "setup: no apt-get here, so nothing is installed; carom needs the counterparts of:" $packages
fi

if install_python >build/setup-python.log 2>&1; then
  touch build/python-ready "$stamp"
else
  tail -n 3 build/setup-python.log
  echo "Python side: its packages could not be installed, see build/setup-python.log" >build/skipped/python
  sed 's/.*/**** SKIPPED: & ****/' build/skipped/python
fi
