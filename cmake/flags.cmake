# SPDX-License-Identifier: Apache-2.0
# How everything is compiled. Contraction is off so that every compiler gives the same pure answers;
# the probes name their fused operations themselves.
add_library(roofbeam_flags INTERFACE)
target_compile_options(roofbeam_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
                       $<$<BOOL:${ROOFBEAM_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 warns of overlapping copies in std::string's own operator+ (its bug 105651), and of
  # uninitialised members where a std::variant holds another alternative (its bug 80635). clang's
  # own checks of the same code stay on.
  target_compile_options(roofbeam_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(ROOFBEAM_SANITIZE)
  target_compile_options(roofbeam_flags INTERFACE -fsanitize=${ROOFBEAM_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(roofbeam_flags INTERFACE -fsanitize=${ROOFBEAM_SANITIZE})
endif()
if(ROOFBEAM_COVERAGE)
  target_compile_options(roofbeam_flags INTERFACE --coverage)
  target_link_options(roofbeam_flags INTERFACE --coverage)
endif()
target_include_directories(roofbeam_flags INTERFACE ${PROJECT_SOURCE_DIR})
find_package(Threads REQUIRED)
target_link_libraries(roofbeam_flags INTERFACE Threads::Threads)

# Instruction-set files, by the end of their name. They share no inline code with other files: the
# linker keeps one copy of an inline function, and it might be the one other machines cannot run.
set(ROOFBEAM_ISA_generic "")  # no flags of its own, but optimised like the others
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(ROOFBEAM_ISA_sse2 "")
  set(ROOFBEAM_ISA_avx2 -mavx2 -mfma)
  set(ROOFBEAM_ISA_avxvnni -mavx2 -mavxvnni)
  set(ROOFBEAM_ISA_avx512 -mavx512f -mprefer-vector-width=512)
  set(ROOFBEAM_ISA_avx512bf16 ${ROOFBEAM_ISA_avx512} -mavx512bf16)
  set(ROOFBEAM_ISA_avx512vnni ${ROOFBEAM_ISA_avx512} -mavx512vnni)
  set(ROOFBEAM_ISA_avx512fp16 ${ROOFBEAM_ISA_avx512} -mavx512fp16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set(ROOFBEAM_ISA_neon "")
  set(ROOFBEAM_ISA_neonfp16 -march=armv8.2-a+fp16)
  set(ROOFBEAM_ISA_neondot -march=armv8.2-a+dotprod)
  set(ROOFBEAM_ISA_neonbf16 -march=armv8.2-a+bf16)
endif()
function(roofbeam_isa_flags)
  foreach(source ${ARGN})
    if(source MATCHES "_([a-z0-9]+)\\.cc$")
      set(isa ${CMAKE_MATCH_1})
      if(DEFINED ROOFBEAM_ISA_${isa})
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                                    "${ROOFBEAM_ISA_${isa}};-O3")
      endif()
    endif()
  endforeach()
endfunction()
