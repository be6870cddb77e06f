# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Everything finds everything else by relative paths, so the
# whole prefix can be moved.
#   bin/roofbeam, libexec/roofbeam/roofbeam-gemm-*    the program and its workers
#   include/roofbeam/<room>/*.h, <lib>/libroofbeam.a  every room but cli, as one library
#   include/roofbeam/region.h                         for programs that only time themselves
#   <lib>/cmake/roofbeam, <lib>/pkgconfig             find_package(roofbeam), pkg-config roofbeam
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive of all rooms' objects: outsiders see one library and none of our flags.
add_library(roofbeam_library STATIC)
add_library(roofbeam::roofbeam ALIAS roofbeam_library)
set(library_rooms ${ROOFBEAM_ROOMS})
list(REMOVE_ITEM library_rooms cli)  # it prints and ends the process
foreach(room ${library_rooms})
  target_sources(roofbeam_library PRIVATE $<TARGET_OBJECTS:room_${room}>)
endforeach()
set_target_properties(roofbeam_library PROPERTIES OUTPUT_NAME roofbeam EXPORT_NAME roofbeam
                      LINKER_LANGUAGE CXX)
target_compile_features(roofbeam_library PUBLIC cxx_std_20)
target_include_directories(roofbeam_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Libraries by name: the path of this machine's copies mean nothing on another one.
target_link_libraries(roofbeam_library PUBLIC $<BUILD_INTERFACE:${HWLOC_LIBRARY}>
                      $<BUILD_INTERFACE:${CSV_LIBRARY}> $<INSTALL_INTERFACE:hwloc>
                      $<INSTALL_INTERFACE:csv> Threads::Threads)

# The program looks for its workers in ../libexec/roofbeam (backend/gemm/gemm_backend.h), so these
# two folders are not the builder's choice.
install(TARGETS roofbeam RUNTIME DESTINATION bin)
get_property(worker_targets GLOBAL PROPERTY ROOFBEAM_WORKER_TARGETS)
if(worker_targets)
  install(TARGETS ${worker_targets} RUNTIME DESTINATION libexec/roofbeam)
endif()

install(TARGETS roofbeam_library EXPORT roofbeam ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# What is in a folder of a room belongs to that room alone (backend/cpu/job.h).
foreach(room ${library_rooms})
  file(GLOB headers CONFIGURE_DEPENDS roofbeam/${room}/*.h)
  list(FILTER headers EXCLUDE REGEX "_test\\.h$")
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roofbeam/${room})
endforeach()

install(FILES roofbeam/region.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roofbeam)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roofbeam)
install(EXPORT roofbeam NAMESPACE roofbeam:: FILE roofbeamTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/roofbeamConfig.cmake.in
  ${PROJECT_BINARY_DIR}/generated/roofbeamConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/roofbeamConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/roofbeamConfig.cmake
        ${PROJECT_BINARY_DIR}/generated/roofbeamConfigVersion.cmake DESTINATION ${package_dir})

# From the folder of roofbeam.pc up to the prefix.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(cmake/roofbeam.pc.in ${PROJECT_BINARY_DIR}/generated/roofbeam.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/roofbeam.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/methods DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)
