#!/bin/sh
# build.sh PRESET: configures the preset when something about it changed, and builds it. `release` holds the Python
# modules too when .venv is ready, and installs the package and the command line into .venv from the same objects.
set -eu
cd "$(dirname "$0")/.."

preset=$1
dir=build/$preset
options=
if [ "$preset" = release ] && [ -e build/python-ready ]; then
  nanobind=$(.venv/bin/python -m nanobind --cmake_dir)
  options="-DCAROM_PYTHON=ON -DPython_EXECUTABLE=$PWD/.venv/bin/python -Dnanobind_ROOT=$nanobind"
elif [ "$preset" = release ]; then
  options=-DCAROM_PYTHON=OFF
fi

# Ninja sees changed CMakeLists by itself; a changed preset or option it does not.
wanted="$options $(cksum CMakePresets.json)"
if [ ! -e "$dir/build.ninja" ] || [ "$(cat "$dir/configured-with" 2>/dev/null)" != "$wanted" ]; then
  cmake --preset "$preset" $options
  echo "$wanted" >"$dir/configured-with"
fi
cmake --build "$dir"

# The wheel is packed from this build tree (pyproject.toml names the rest), so nothing is compiled a second time.
install_package() {
  installed=$dir/python-installed
  if [ ! -e "$installed" ] ||
    [ -n "$(find pyproject.toml python/carom "$dir"/python/*.so "$dir/cli/carom" -newer "$installed" -type f)" ]; then
    .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall \
      -Cbuild-dir="$dir" .
    touch "$installed"
  fi
}
if [ "$preset" = release ] && [ -e build/python-ready ]; then install_package; fi
