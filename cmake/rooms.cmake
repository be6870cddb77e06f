# SPDX-License-Identifier: Apache-2.0
# Reads tools/rooms.txt: a static library room_<name> of every source in roofbeam/<name>, linked to
# the rooms it may include. Tests (*_test.cc), workers (worker_*.cc) and main.cc are programs.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tools/rooms.txt)
file(STRINGS tools/rooms.txt room_lines REGEX "^[a-z]+:")
set(ROOFBEAM_ROOMS)
foreach(line ${room_lines})
  string(REGEX MATCH "^([a-z]+): ?(.*)$" _ "${line}")
  set(room ${CMAKE_MATCH_1})
  string(REPLACE " " ";" allowed "${CMAKE_MATCH_2}")
  if(ROOFBEAM_BARE AND room MATCHES "^(backend|measure|command|cli)$")
    continue()  # they touch the world, or stand on a room that does
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS roofbeam/${room}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/worker_[a-z]+\\.cc$|/main\\.cc$")
  add_library(room_${room} STATIC ${sources})
  target_link_libraries(room_${room} PUBLIC roofbeam_flags)
  foreach(other ${allowed})
    target_link_libraries(room_${room} PUBLIC room_${other})
  endforeach()
  roofbeam_isa_flags(${sources})
  list(APPEND ROOFBEAM_ROOMS ${room})
endforeach()

# What the wrapper files stand on.
find_path(NLOHMANN_JSON nlohmann/json.hpp REQUIRED)
find_path(FMT_HEADERS fmt/format.h REQUIRED)
find_path(TL_EXPECTED tl/expected.hpp REQUIRED)
find_path(CLI11_HEADERS CLI/CLI.hpp REQUIRED)
find_path(BOOST_MATH boost/math/distributions/students_t.hpp REQUIRED)
find_path(HWLOC_HEADERS hwloc.h REQUIRED)
find_library(HWLOC_LIBRARY hwloc REQUIRED)
target_link_libraries(room_hardware PUBLIC ${HWLOC_LIBRARY})
find_path(CSV_HEADERS csv.h REQUIRED)
find_library(CSV_LIBRARY NAMES libcsv.a csv REQUIRED)  # 9 KB: not worth a file to look for at start
target_link_libraries(room_base PUBLIC ${CSV_LIBRARY})
find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH REQUIRED)
set_source_files_properties(${PROJECT_SOURCE_DIR}/roofbeam/report/chart_js.cc PROPERTIES
  COMPILE_DEFINITIONS "CHART_JS_FILE=\"${CHART_JS}\"" OBJECT_DEPENDS ${CHART_JS})
# Boost's templates take a minute under UBSan, and nothing in them is ours.
if(ROOFBEAM_SANITIZE MATCHES "undefined")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/roofbeam/stats/student.cc PROPERTIES
    COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/roofbeam/base/version.cc PROPERTIES
  COMPILE_DEFINITIONS "ROOFBEAM_VERSION=\"${PROJECT_VERSION}\"")
