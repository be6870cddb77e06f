# SPDX-License-Identifier: Apache-2.0
# Workers that misbehave, for the tests. Each is called roofbeam-gemm-onednn in a folder of its own,
# so that ROOFBEAM_WORKER_DIR chooses it: bin/test_workers/<fault>/roofbeam-gemm-onednn.
if(NOT TARGET gemm_worker)  # ROOFBEAM_WORKERS is off: their tests are skipped
  return()
endif()
function(roofbeam_test_worker fault)
  add_executable(test_worker_${fault} tests/workers/worker_${fault}.cc)
  target_link_libraries(test_worker_${fault} PRIVATE ${ARGN} roofbeam_flags)
  set_target_properties(test_worker_${fault} PROPERTIES OUTPUT_NAME roofbeam-gemm-onednn
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/test_workers/${fault})
endfunction()

foreach(fault good crash wrong chatter slow moody)
  roofbeam_test_worker(${fault} gemm_worker)
endforeach()
foreach(fault garbage flood hang version quit)
  roofbeam_test_worker(${fault})
endforeach()
