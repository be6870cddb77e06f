# SPDX-License-Identifier: Apache-2.0
# One libFuzzer program for each fuzz/NAME_fuzz.cc; ./dev fuzz says what each begins with.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*_fuzz.cc)
# The rooms notice which branches run; only the programs get libFuzzer's main.
target_compile_options(roofbeam_flags INTERFACE -fsanitize=fuzzer-no-link)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE room_backend room_profile room_workload roofbeam_flags)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
