# Compiles arithmetic.cpp with COMPILER for PRECISION (f32 or f64) at -O0 and -O3, and runs it: the program itself knows
# the right hashes. ROOT is the project, OUT a folder for the programs.

find_program(path ${COMPILER})
if(NOT path)
  message("**** NOT RUN: ${COMPILER} is not on this machine ****")
  return()
endif()

set(flags -std=c++20 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi -I${ROOT}/include -I${ROOT}/src
  -I${ROOT})
if(PRECISION STREQUAL f64)
  list(APPEND flags -DCAROM_F64)
endif()

foreach(level -O0 -O3)
  set(program ${OUT}/arithmetic_${COMPILER}_${PRECISION}${level})
  execute_process(COMMAND ${path} ${flags} ${level} ${ROOT}/tests/determinism/compilers/arithmetic.cpp -o ${program}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${program} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${COMPILER} ${level}, ${PRECISION}: other bits than those committed in arithmetic.cpp")
  endif()
endforeach()
