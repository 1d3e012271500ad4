# find_package(hearsay): hearsay::hearsay, which is hearsay::runtime with all below it, or hearsay::algorithms
# or hearsay::topology alone. The libraries are static, so whoever links them links what they are made of.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 NO_MODULE)
find_dependency(Boost COMPONENTS graph)
find_dependency(hwy)
find_dependency(tomlplusplus)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(Threads)
find_dependency(PkgConfig)
pkg_check_modules(libzmq REQUIRED QUIET IMPORTED_TARGET libzmq)
pkg_check_modules(libxxhash REQUIRED QUIET IMPORTED_TARGET libxxhash)

include(${CMAKE_CURRENT_LIST_DIR}/hearsay-targets.cmake)
if(NOT TARGET hearsay::hearsay)  # find_package may be called twice
  add_library(hearsay::hearsay ALIAS hearsay::runtime)
endif()
