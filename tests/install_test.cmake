# What a stranger does with an installed hearsay: find_package, or pkg-config, in a project of his own; an
# objective of his own, trained in the simulator and over ZeroMQ. The installed headers are those that
# runtime/hearsay.hpp includes, and no others. The prefix is moved after the installation, so nothing in it
# may say where it was.
#
#     cmake -D BUILD=.. -D CONSUMER=.. -D SCRATCH=.. -D GENERATOR=.. -D COMPILER=.. -D FLAGS=.. -P install_test.cmake
function(run)
  message(STATUS "${ARGN}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/built)
file(RENAME ${SCRATCH}/built ${SCRATCH}/prefix)
file(GLOB_RECURSE package_files ${SCRATCH}/prefix/*.cmake ${SCRATCH}/prefix/*.pc)
foreach(file IN LISTS package_files)
  file(STRINGS ${file} leaks REGEX "${SCRATCH}|${BUILD}")
  if(leaks)
    message(FATAL_ERROR "${file} names a folder of the build: ${leaks}")
  endif()
endforeach()
# Every header is there that another one includes, and each of them is reached from the front door.
set(include_folder ${SCRATCH}/prefix/include/hearsay)
set(reached "")
set(to_read runtime/hearsay.hpp)
while(to_read)
  list(POP_FRONT to_read header)
  list(APPEND reached ${header})
  if(NOT EXISTS ${include_folder}/${header})
    message(FATAL_ERROR "${header} is included by an installed header, and not installed")
  endif()
  file(STRINGS ${include_folder}/${header} included REGEX "^ *# *include *\"")
  list(TRANSFORM included REPLACE ".*\"(.*)\".*" "\\1")
  list(APPEND to_read ${included})
  list(REMOVE_DUPLICATES to_read)
  list(REMOVE_ITEM to_read ${reached})
endwhile()
file(GLOB_RECURSE superfluous RELATIVE ${include_folder} ${include_folder}/*)
list(LENGTH superfluous count)
list(REMOVE_ITEM superfluous ${reached})
if(superfluous)
  message(FATAL_ERROR "installed, though runtime/hearsay.hpp does not need them: ${superfluous}")
endif()
message(STATUS "${count} headers are installed")

file(GLOB program ${SCRATCH}/prefix/bin/hearsay)
if(program)
  run(${program} --version)
endif()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/consumer -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/stations)

# The same program, without CMake.
file(GLOB_RECURSE pc_file ${SCRATCH}/prefix/*.pc)
cmake_path(GET pc_file PARENT_PATH pc_folder)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
find_program(PKG_CONFIG pkg-config REQUIRED)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs hearsay OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(more_flags UNIX_COMMAND "${FLAGS}")
run(${COMPILER} -std=c++20 -O1 ${more_flags} ${CONSUMER}/main.cpp -o ${SCRATCH}/stations ${flags})
run(${SCRATCH}/stations)
