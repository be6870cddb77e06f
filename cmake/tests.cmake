# SPDX-License-Identifier: Apache-2.0
# One test program per room from its *_test.cc files, then the whole-program tests.
find_package(GTest REQUIRED)
include(GoogleTest)
foreach(room ${ROOFBEAM_ROOMS})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS roofbeam/${room}/*_test.cc)
  if(tests)
    add_executable(${room}_test ${tests})
    target_link_libraries(${room}_test PRIVATE room_${room} GTest::gtest_main roofbeam_flags)
    target_compile_definitions(${room}_test PRIVATE
      ROOFBEAM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ROOFBEAM_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
    gtest_discover_tests(${room}_test TEST_PREFIX ${room}. DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 120)
  endif()
endforeach()
include(cmake/test_workers.cmake)

# Whole programs. The scripts run as they are: their first line names the Python with the packages.
add_test(NAME golden COMMAND ${PROJECT_SOURCE_DIR}/tests/run_golden.py
         --bin $<TARGET_FILE:roofbeam>)
add_test(NAME outputs_in_documents COMMAND ${PROJECT_SOURCE_DIR}/tools/update_outputs --check
         --bin $<TARGET_FILE:roofbeam>)
add_test(NAME lint_selftest COMMAND ${PROJECT_SOURCE_DIR}/tools/lint/selftest)
set_tests_properties(golden outputs_in_documents lint_selftest PROPERTIES TIMEOUT 300)

# Against public measurements, where ROOFBEAM_CONFORMANCE_DIR names their folder; else they skip.
file(GLOB conformance_tests CONFIGURE_DEPENDS tests/conformance/*_test.cc)
add_executable(conformance_test ${conformance_tests})
target_link_libraries(conformance_test PRIVATE room_command GTest::gtest_main roofbeam_flags)
gtest_discover_tests(conformance_test TEST_PREFIX conformance. DISCOVERY_MODE PRE_TEST
                     PROPERTIES TIMEOUT 120)

# A stranger's bad luck on the real CPU. Alone: it measures, and times how soon things end.
add_test(NAME robustness COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/test_robustness.py
         --bin $<TARGET_FILE:roofbeam>)
set_tests_properties(robustness PROPERTIES RUN_SERIAL TRUE TIMEOUT 300)
