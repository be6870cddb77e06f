# SPDX-License-Identifier: Apache-2.0
# One test program per room from its *_test.cc files, then the whole-program tests. Under ASan a
# worker that crashes is to end by the signal, as it does for users.
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
                         PROPERTIES TIMEOUT 120 ENVIRONMENT ASAN_OPTIONS=handle_segv=0)
  endif()
endforeach()
if(ROOFBEAM_BARE)
  return()
endif()
if(ROOFBEAM_WORKERS)
  include(cmake/test_workers.cmake)
endif()

# Whole programs. The scripts run as they are: their first line names the Python with the packages.
add_test(NAME golden COMMAND ${PROJECT_SOURCE_DIR}/tests/run_golden.py
         --bin $<TARGET_FILE:roofbeam>)
add_test(NAME outputs_in_documents COMMAND ${PROJECT_SOURCE_DIR}/tools/update_outputs --check
         --bin $<TARGET_FILE:roofbeam>)
add_test(NAME lint_selftest COMMAND ${PROJECT_SOURCE_DIR}/tools/lint/selftest)
set_tests_properties(golden outputs_in_documents lint_selftest PROPERTIES TIMEOUT 300)

# A program that times itself with the one header that needs nothing else, and what becomes of it.
add_executable(place_region examples/place_region.cc)
set_target_properties(place_region PROPERTIES CXX_STANDARD 11)
target_include_directories(place_region PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(place_region PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
add_test(NAME place_region COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/place_region.sh
         $<TARGET_FILE:place_region> $<TARGET_FILE:roofbeam>)

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

# That accumulators stay in registers, read from the objects. Not where others add code of theirs.
if(NOT ROOFBEAM_SANITIZE AND NOT ROOFBEAM_COVERAGE AND NOT ROOFBEAM_FUZZ)
  add_test(NAME registers COMMAND ${PROJECT_SOURCE_DIR}/tests/registers/check.py
           ${PROJECT_BINARY_DIR}/CMakeFiles)
  set_tests_properties(registers PROPERTIES SKIP_RETURN_CODE 77)
endif()

# What is installed, used as a stranger would. Not where the library's objects need flags of ours.
if(NOT ROOFBEAM_SANITIZE AND NOT ROOFBEAM_COVERAGE AND NOT ROOFBEAM_FUZZ)
  add_test(NAME install COMMAND ${PROJECT_SOURCE_DIR}/tests/install/check.sh ${PROJECT_BINARY_DIR}
           fake:examples/two_core.json)
  set_tests_properties(install PROPERTIES RUN_SERIAL TRUE TIMEOUT 300)
endif()

# On processors that this machine is not, in an emulator; each skips where it lacks something.
add_test(NAME nehalem COMMAND ${PROJECT_SOURCE_DIR}/tests/emulated/nehalem.sh
         $<TARGET_FILE:roofbeam>)
add_test(NAME aarch64 COMMAND ${PROJECT_SOURCE_DIR}/tests/emulated/aarch64.sh
         ${PROJECT_BINARY_DIR}/aarch64)
set_tests_properties(aarch64 PROPERTIES LABELS soak)
# What starting and parsing cost, counted in instructions.
add_test(NAME instructions COMMAND ${PROJECT_SOURCE_DIR}/tests/instructions/run.py
         --bin $<TARGET_FILE:roofbeam>)
set_tests_properties(nehalem aarch64 instructions PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
