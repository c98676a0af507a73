# CPU tiers (src/backend/tiers.h): every kernels.cpp is compiled once per tier, with the tier's flags and names.

set(CAROM_KERNEL_FOLDERS src/model src/collide src/dynamics src/impulse src/sensors src/solvers/mujoco
  src/solvers/featherstone src/solvers/semi_implicit src/solvers/xpbd)
# In double precision and on the CPU alone.
set(CAROM_CPU_KERNEL_FOLDERS_f64 src/events)

set(CAROM_TIERS baseline)
set(CAROM_TIER_FLAGS_baseline "")
set(CAROM_TIER_BYTES_baseline 16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # There the baseline is for CPUs of before 2013, without fma: compiled for its results, not for its speed.
  set(CAROM_TIER_FLAGS_baseline $<$<CONFIG:Release>:-O1>)
  list(APPEND CAROM_TIERS avx2 avx512)
  set(CAROM_TIER_FLAGS_avx2 -mavx2 -mfma)
  set(CAROM_TIER_BYTES_avx2 32)
  set(CAROM_TIER_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
  set(CAROM_TIER_BYTES_avx512 64)
endif()
# GCC 12 copies structs in pieces of 16 bytes unless told otherwise, and then waits for them when a whole register is read.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND DEFINED CAROM_TIER_FLAGS_avx2)
  list(APPEND CAROM_TIER_FLAGS_avx2 -mmove-max=256 -mstore-max=256)
  list(APPEND CAROM_TIER_FLAGS_avx512 -mmove-max=512 -mstore-max=512)
endif()
list(JOIN CAROM_TIERS "," CAROM_TIERS_COMMA)

# Linked into the test programs alone, and compiled for their results, not for their speed. x86-64 needs no wide lanes:
# its own tiers have three widths.
set(CAROM_TEST_TIERS shuffled)
set(CAROM_TIER_FLAGS_shuffled -O1 -DCAROM_SHUFFLE_TEAMS)
set(CAROM_TIER_BYTES_shuffled 16)
if(CAROM_TIERS STREQUAL baseline)
  list(APPEND CAROM_TEST_TIERS wide)
  set(CAROM_TIER_FLAGS_wide -O1)
  math(EXPR CAROM_TIER_BYTES_wide "2 * ${CAROM_TIER_BYTES_baseline}")
endif()

# carom_add_tiers(target directory precision tiers...): hands <directory>/kernels.cpp, compiled for each of the tiers,
# to a target; an interface library passes them on to the programs that link it. The directory is relative to the root.
function(carom_add_tiers target directory precision)
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  endif()
  string(REPLACE "/" "_" module ${directory})
  foreach(tier IN LISTS ARGN)
    set(object ${target}_${module}_${tier})
    add_library(${object} OBJECT ${CMAKE_SOURCE_DIR}/${directory}/kernels.cpp)
    target_link_libraries(${object} PRIVATE carom_flags)
    target_include_directories(${object} PRIVATE
      ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
    target_compile_definitions(${object} PRIVATE CAROM_TIER=${tier} CAROM_TIERS=${CAROM_TIERS_COMMA}
      CAROM_TIER_BYTES=${CAROM_TIER_BYTES_${tier}})
    target_compile_options(${object} PRIVATE ${CAROM_TIER_FLAGS_${tier}})
    if(precision STREQUAL f64)
      target_compile_definitions(${object} PRIVATE CAROM_F64)
    endif()
    target_sources(${target} ${scope} $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()

# carom_add_kernels(target directory precision tiers...): those, and kernels.cu or what stands in for it without CUDA.
function(carom_add_kernels target directory precision)
  carom_add_tiers(${target} ${directory} ${precision} ${ARGN})
  if(CAROM_CUDA)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${directory}/kernels.cu)
  else()
    carom_stand_in_for_cuda(${target} ${directory} ${precision})
  endif()
endfunction()

# carom_add_cpu_kernels(target directory precision tiers...): those of a folder that has none for CUDA.
function(carom_add_cpu_kernels target directory precision)
  carom_add_tiers(${target} ${directory} ${precision} ${ARGN})
  carom_stand_in_for_cuda(${target} ${directory} ${precision})
endfunction()

function(carom_stand_in_for_cuda target directory precision)
  string(REPLACE "/" "_" module ${directory})
  set(object ${target}_${module}_absent)
  add_library(${object} OBJECT ${CMAKE_SOURCE_DIR}/src/backend/cuda/absent_kernels.cpp)
  target_link_libraries(${object} PRIVATE carom_flags)
  target_include_directories(${object} PRIVATE
    ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${object} PRIVATE CAROM_TIERS=${CAROM_TIERS_COMMA}
    CAROM_KERNELS_DEF="${directory}/kernels.def" $<$<STREQUAL:${precision},f64>:CAROM_F64>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()

# carom_use_tiers(target): tells the C++ files of a target which tiers there are. Not the CUDA files: nvcc would cut the
# list at its commas (src/backend/tiers.h).
function(carom_use_tiers target)
  target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:CAROM_TIERS=${CAROM_TIERS_COMMA}>)
endfunction()
