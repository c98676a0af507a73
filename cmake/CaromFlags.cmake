# Flags that every file of the project is compiled with.
#
# -ffp-contract=off is what makes results the same on every machine: the compilers never fuse a multiplication and
# an addition on their own, fma is written out where it is meant. Nothing like -ffast-math is ever added.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")  # asserts stay on: they are cheap where they stand

find_package(Threads REQUIRED)

# -Wrestrict of GCC 12 sees overlaps in std::string operator+ that are none (GCC bug 105651).
add_library(carom_flags INTERFACE)
target_compile_options(carom_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wno-psabi
  -Wno-ignored-attributes
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>)
if(CAROM_WERROR)
  target_compile_options(carom_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Clones in other folders find what one of them has compiled: paths are told to the compiler from the build folder.
  set(cached ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  # The first is for precompiled headers; with the second a file that is not in the cache is not preprocessed twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${cached} CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${cached} ${CCACHE})
endif()

# carom_precompile(target headers...): reads these headers and the usual ones of the standard library once for all
# files of a target. Only headers from outside: one of ours would have all files compiled again when it changes.
# (A file still includes what it uses: clang-tidy reads it without this.)
function(carom_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string> <vector>)
  carom_use_precompiled(${target})
endfunction()

# ccache wants to see which file is read. GCC forgets which functions are of system headers when these are precompiled,
# and warns of sizes in std::string and std::vector that cannot be.
function(carom_use_precompiled target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-maybe-uninitialized>)
endfunction()

if(CAROM_CUDA)
  # Hopper by default; the PTX of the last architecture lets newer cards run too.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit REQUIRED)
  target_compile_options(carom_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false --expt-relaxed-constexpr --extended-lambda
    -Xcompiler=-ffp-contract=off>)
endif()
