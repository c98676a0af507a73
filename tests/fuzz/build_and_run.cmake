# Builds the fuzz target in BUILD and lets it change the corpus of SOURCE, from the same seed each time, until UNTIL: an
# option of libFuzzer.

find_program(clang clang++)
if(NOT clang)
  message("**** NOT RUN: clang++ is not on this machine ****")
  return()
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/target -B ${BUILD} -G Ninja -DCMAKE_CXX_COMPILER=${clang}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel ${cores} COMMAND_ERROR_IS_FATAL ANY)
# What it finds on the way stays in the build folder; the corpus in the repository is only read.
file(REMOVE_RECURSE ${BUILD}/found)
file(MAKE_DIRECTORY ${BUILD}/found)
execute_process(
  COMMAND ${BUILD}/mjcf_fuzz ${UNTIL} -seed=1 -max_len=4096 -timeout=60 -rss_limit_mb=2048 -dict=${SOURCE}/mjcf.dict
    -artifact_prefix=${BUILD}/ -print_final_stats=1 ${BUILD}/found ${SOURCE}/corpus
  COMMAND_ERROR_IS_FATAL ANY)
