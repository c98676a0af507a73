#!/bin/sh
# build.sh demo|PRESET [TARGET ...]: configures the preset when something about it changed, and builds it. `release`
# holds the Python modules too when .venv is ready, and installs the package and the command line into .venv from the
# same objects.
# With CUDA where nvcc is found: as machine code for the architectures that CUDAARCHS names, or for sm_90 where there is
# a GPU. Without one as PTX alone, which a driver compiles when it loads it: to make machine code takes longer than all
# the rest.
# `demo` is the part of `release` that a newcomer sees first: the command line and the Python package, in single
# precision, for the CPU. It needs neither GoogleTest nor the packages of the benchmarks, and `release` goes on from
# its objects.
set -eu
cd "$(dirname "$0")/.."

part=$1
preset=$part
[ "$part" != demo ] || preset=release
dir=build/$preset
options=
with_python=false
if [ "$preset" = release ] && [ -e build/python-ready ]; then
  with_python=true
  nanobind=$(.venv/bin/python -m nanobind --cmake_dir)
  options="-DCAROM_PYTHON=ON -DPython_EXECUTABLE=$PWD/.venv/bin/python -Dnanobind_ROOT=$nanobind"
elif [ "$preset" = release ]; then
  options=-DCAROM_PYTHON=OFF
fi
if [ "$preset" = release ]; then
  if nvcc=$(PATH="$PATH:/usr/local/cuda/bin" command -v nvcc); then
    architectures=90
    nvidia-smi >/dev/null 2>&1 || architectures=90-virtual
    options="$options -DCAROM_CUDA=ON -DCMAKE_CUDA_COMPILER=$nvcc -DCMAKE_CUDA_ARCHITECTURES=${CUDAARCHS:-$architectures}"
  else
    options="$options -DCAROM_CUDA=OFF"
    [ "$part" = demo ] || echo '**** left out: the CUDA backend (no nvcc) ****'
  fi
fi
shift
targets=${*:-all}
if [ "$part" = demo ]; then
  targets=carom_cli
  ! $with_python || targets="carom_cli _carom_f32_stub"
fi

# Ninja sees changed CMakeLists by itself; a changed preset or option it does not.
wanted="$options $(cksum CMakePresets.json)"
configured=$(cat "$dir/configured-with" 2>/dev/null || true)
if [ ! -e "$dir/build.ninja" ] || [ "$configured" != "$wanted" ]; then
  if [ "$part" != demo ]; then
    cmake --preset "$preset" $options
    echo "$wanted" >"$dir/configured-with"
  elif [ "$configured" != "demo $wanted" ]; then
    cmake --preset release $options -DCAROM_CUDA=OFF -DCAROM_TESTS=OFF -DCAROM_BENCH=OFF
    echo "demo $wanted" >"$dir/configured-with"
  fi
fi
cmake --build "$dir" --target $targets

# The wheel is packed from this build tree (pyproject.toml names the rest), so nothing is compiled a second time.
install_package() {
  installed=$dir/python-installed
  if [ ! -e "$installed" ] ||
    [ -n "$(find pyproject.toml python/carom "$dir"/python/*.so "$dir/cli/carom" -newer "$installed" -type f)" ]; then
    .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall \
      -Cbuild-dir="$dir" -Cbuild.targets="$(echo "$targets" | tr ' ' ';')" .
    touch "$installed"
  fi
}
if $with_python && [ $# = 0 ]; then install_package; fi
