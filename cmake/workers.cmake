# SPDX-License-Identifier: Apache-2.0
# One program per GEMM library that is found; a library that is not there costs only its rows.
if(NOT ROOFBEAM_WORKERS)
  return()
endif()
# What all of them share, main() included:
add_library(gemm_worker STATIC roofbeam/backend/gemm/worker_main.cc
            roofbeam/backend/gemm/worker_session.cc roofbeam/backend/gemm/protocol.cc)
target_link_libraries(gemm_worker PUBLIC room_kernel room_base roofbeam_flags)

function(roofbeam_worker library header)
  find_path(${library}_HEADERS ${header} ${ARGN})
  if(library STREQUAL onednn)
    find_library(${library}_LIBRARY dnnl)
  else()
    find_library(${library}_LIBRARY ${library} PATH_SUFFIXES ${library}-pthread)
  endif()
  if(NOT ${library}_HEADERS OR NOT ${library}_LIBRARY)
    message(STATUS "no ${library}: its worker is left out")
    return()
  endif()
  set(target roofbeam-gemm-${library})
  add_executable(${target} roofbeam/backend/gemm/worker_${library}.cc)
  target_include_directories(${target} SYSTEM PRIVATE ${${library}_HEADERS})
  target_link_libraries(${target} PRIVATE gemm_worker roofbeam_flags ${${library}_LIBRARY})
  set_property(GLOBAL APPEND PROPERTY ROOFBEAM_WORKER_TARGETS ${target})
endfunction()

roofbeam_worker(onednn dnnl.hpp)
roofbeam_worker(openblas cblas.h PATH_SUFFIXES openblas-pthread)
