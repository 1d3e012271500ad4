# What a stranger does with an installed hearsay: find_package in a project of his own, an objective of his own, trained
# in the simulator and over ZeroMQ. The prefix is moved after the installation, so nothing in it may say where it was.
#
#     cmake -D BUILD=.. -D CONSUMER=.. -D SCRATCH=.. -D GENERATOR=.. -D COMPILER=.. -D FLAGS=.. -P install_test.cmake
function(run)
  message(STATUS "${ARGN}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/built)
file(RENAME ${SCRATCH}/built ${SCRATCH}/prefix)
file(GLOB_RECURSE package_files ${SCRATCH}/prefix/*.cmake)
foreach(file IN LISTS package_files)
  file(STRINGS ${file} leaks REGEX "${SCRATCH}|${BUILD}")
  if(leaks)
    message(FATAL_ERROR "${file} names a folder of the build: ${leaks}")
  endif()
endforeach()
file(GLOB program ${SCRATCH}/prefix/bin/hearsay)
if(program)
  run(${program} --version)
endif()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/consumer -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/stations)
