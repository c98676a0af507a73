# The front door. Every target works from a bare clone: it installs what is missing and builds what it needs.
# The builds themselves are described in CMakePresets.json. tools/timed.sh notes how long each stage takes.

SUITE ?= worlds
POSES ?= 200000
SEEDS ?= 50
SECONDS ?= 600
PRECISION ?= f32
export CAROM_STAGES := $(CURDIR)/build/stages/$(shell date +%s%N)
CORES := $(shell nproc)
SOURCE_DIRS := $(wildcard include src cli python viewer scenes bench tests)
CPP_FILES = $(shell find $(SOURCE_DIRS) -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')

.NOTPARALLEL:  # in the order written; each step is parallel inside
.PHONY: help setup build demo quick test test-cpp test-python differential seeds fuzz bench check check-format \
  check-layers check-size check-tidy format asan tsan clean

help:
	@echo 'make demo               install what is missing, build, and run the demonstration'
	@echo 'make test               build and run every test (C++, CUDA where nvcc is, Python)'
	@echo 'make quick              build and run the C++ tests of the modules that differ from the last commit, in one'
	@echo '                        precision (PRECISION=f64); ARGS="collide sim" names the modules, see tools/quick.py'
	@echo 'make differential       every pair of shapes against a slow reference in POSES=200000 poses, both precisions;'
	@echo '                        ARGS="--pair box-mesh" or ARGS=--markdown, see tests/collide/differential.cpp'
	@echo 'make seeds              the random C++ tests with SEEDS=50 further seeds, both precisions; see tools/run_seeds.py'
	@echo 'make fuzz               random MJCF and URDF files for SECONDS=600 each; see tests/fuzz'
	@echo 'make bench SUITE=name   run a benchmark suite, write build/bench/name.json; suites: worlds, spine,'
	@echo '                        mujoco, collide, impulse, sensors, solvers, events, cuda, io'
	@echo '                        ARGS="--only REGEX" or ARGS=--quick for a part or a trial, see bench/run.py'
	@echo 'make check              format, layers, sizes, clang-tidy'
	@echo 'make asan, make tsan    the C++ tests under the sanitizers'
	@echo 'make build              the release build (with CUDA where nvcc is), and the Python package in .venv'
	@echo 'make format             rewrite the C++ files in the project style'
	@echo 'make clean              remove build/ (keeps .venv)'

setup:
	@tools/timed.sh set-up tools/setup.sh all

build: setup
	@tools/timed.sh build tools/build.sh release

# Builds what it runs and what its user goes on with: the command line and the Python package.
demo:
	@tools/timed.sh set-up tools/setup.sh demo
	@tools/timed.sh build tools/build.sh demo
	@mkdir -p build/demo
	@tools/timed.sh demo build/release/cli/carom demo --out build/demo/humanoid.svg
	@tools/timed.sh

quick: setup
	@python3 tools/quick.py $(PRECISION) $(ARGS)

# The reports name the skips. Tests that need a GPU have cuda or Cuda in their names and skip themselves, with the
# reason, where there is none.
test: build test-cpp test-python
	@tools/timed.sh
	@python3 tools/report_skips.py build/skipped build/report

test-cpp: build
	tools/timed.sh ctest ctest --preset release -j $(CORES) --output-junit $(CURDIR)/build/report/cpp.xml

test-python: build
	@if [ -e build/python-ready ]; then \
	  tools/timed.sh pytest .venv/bin/python -m pytest --junitxml=build/report/python.xml; fi

# Both precisions are run, whatever the first one finds.
differential: build
	@cmake --build build/release --target carom_differential_f64 carom_differential_f32
	@status=0; for precision in f64 f32; do echo "$$precision"; \
	  build/release/tests/carom_differential_$$precision --poses $(POSES) $(ARGS) || status=1; done; exit $$status

seeds: build
	@python3 tools/run_seeds.py build/release --seeds $(SEEDS) $(ARGS)

fuzz: setup
	@cmake -DSOURCE=$(CURDIR)/tests/fuzz -DBUILD=$(CURDIR)/build/fuzz -DUNTIL=-max_total_time=$(SECONDS) \
	  -P tests/fuzz/build_and_run.cmake

bench:
	@tools/timed.sh set-up tools/setup.sh bench
	@tools/timed.sh build tools/build.sh release
	@mkdir -p build/bench
	.venv/bin/python bench/run.py $(SUITE) $(ARGS)

check: check-format check-layers check-size check-tidy
	@tools/timed.sh

check-format: setup
	@tools/timed.sh format tools/check_format.sh $(CPP_FILES)

check-layers:
	@python3 tools/check_layers.py

check-size:
	@python3 tools/check_size.py

check-tidy: build
	@tools/timed.sh clang-tidy python3 tools/check_tidy.py build/release

format: setup
	@clang-format -i $(CPP_FILES)

asan tsan: setup
	@tools/timed.sh build tools/build.sh $@
	tools/timed.sh ctest ctest --preset $@ -j $(CORES)
	@tools/timed.sh

clean:
	rm -rf build
