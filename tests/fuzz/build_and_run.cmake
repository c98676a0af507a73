# Builds the fuzz targets in BUILD and lets each of READERS (all, unless given) change its corpus in SOURCE, from the same
# seed each time, until UNTIL: an option of libFuzzer.

find_program(clang clang++)
if(NOT clang)
  message("**** NOT RUN: clang++ is not on this machine ****")
  return()
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/target -B ${BUILD} -G Ninja -DCMAKE_CXX_COMPILER=${clang}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel ${cores} COMMAND_ERROR_IS_FATAL ANY)
if(NOT READERS)
  set(READERS mjcf urdf)
endif()
# What they find on the way stays in the build folder; the corpora in the repository are only read.
foreach(reader IN LISTS READERS)
  file(REMOVE_RECURSE ${BUILD}/found_${reader})
  file(MAKE_DIRECTORY ${BUILD}/found_${reader})
  execute_process(
    COMMAND ${BUILD}/${reader}_fuzz ${UNTIL} -seed=1 -max_len=4096 -timeout=60 -rss_limit_mb=2048
      -dict=${SOURCE}/${reader}.dict -artifact_prefix=${BUILD}/${reader}- -print_final_stats=1 ${BUILD}/found_${reader}
      ${SOURCE}/corpus/${reader}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
