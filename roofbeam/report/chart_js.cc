// SPDX-License-Identifier: Apache-2.0
// The assembler copies the file, because a string literal of 200 kB is more than compilers promise
// to take. CHART_JS_FILE is its path, from the build.
#include "roofbeam/report/chart_js.h"

#include <cstddef>

asm(".pushsection .rodata\n"
    ".globl roofbeam_chart_js_begin\n"
    ".hidden roofbeam_chart_js_begin\n"
    "roofbeam_chart_js_begin:\n"
    ".incbin \"" CHART_JS_FILE
    "\"\n"
    ".globl roofbeam_chart_js_end\n"
    ".hidden roofbeam_chart_js_end\n"
    "roofbeam_chart_js_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char roofbeam_chart_js_begin[];
[[gnu::visibility("hidden")]] extern const char roofbeam_chart_js_end[];
}

namespace roofbeam {

std::string_view chart_js() {
  const std::ptrdiff_t size = roofbeam_chart_js_end - roofbeam_chart_js_begin;
  return {roofbeam_chart_js_begin, static_cast<std::size_t>(size)};
}

}  // namespace roofbeam
