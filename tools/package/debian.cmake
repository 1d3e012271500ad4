# cpack -G DEB: a Debian package of each component of CMakeLists.txt. Nothing is compiled for it: cpack
# installs what the build folder holds into a folder of its own.
set(component_packages program hearsay development libhearsay-dev python python3-hearsay)

# Every package has its licence and its history, where Debian wants them. Only packages: `cmake --install`
# alone leaves them out.
configure_file(changelog.in changelog @ONLY)
execute_process(COMMAND gzip -9nkf ${CMAKE_CURRENT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
set(to_read ${component_packages})
while(to_read)
  list(POP_FRONT to_read component package)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} variable)
  set(CPACK_DEBIAN_${variable}_PACKAGE_NAME ${package})
  install(FILES copyright ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endwhile()

set(CPACK_PACKAGE_NAME hearsay)
set(CPACK_PACKAGE_CONTACT "hearsay maintainers <maintainers@users.noreply.a-seed-83356d55.example>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else it is the first line of every description below
set(about "hearsay trains one model on many machines that talk only to their neighbors,
in compressed messages.")

# dpkg-shlibdeps names the libraries that the program is linked with. It cannot see Chart.js, which the
# program reads whenever it writes a page.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS libjs-chart.js)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS openssh-client)     # hearsay launch
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "iproute2, libhearsay-dev")    # hearsay sweep --network kernel
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "decentralized gossip training
${about}
It runs the peers as processes, on this machine or on several hosts, or
simulates them, and compares methods on slow networks.

This package has the program, its manual and examples of run files.")

# The libraries are static: whoever links them needs what hearsay-config.cmake looks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-graph-dev, libeigen3-dev, libhwy-dev, libtomlplusplus-dev, libxxhash-dev, libzmq3-dev, nlohmann-json3-dev, pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, hearsay")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "decentralized gossip training: C++ library
${about}

This package has the static libraries and the headers to train an objective
of your own, and what find_package(hearsay) and pkg-config read.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "hearsay (= ${PROJECT_VERSION}), python3:any, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-torch)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/python3-hearsay/postinst
                                              ${CMAKE_CURRENT_SOURCE_DIR}/python3-hearsay/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "decentralized gossip training: Python package
${about}

With this package the loss and the gradient of a peer can be a Python program,
with NumPy or PyTorch.")

include(CPack)
