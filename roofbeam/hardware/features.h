// SPDX-License-Identifier: Apache-2.0
// The instruction-set features this CPU has and this process may use, asked of the CPU itself and
// never looked up by its name. A feature whose registers the operating system does not save is
// absent. Names are those of the "flags" (x86) and "Features" (arm) lines of /proc/cpuinfo:
//   x86_64:  sse2 avx avx2 fma f16c avx512f avx512bw avx512vl avx512dq avx512_vnni avx512_bf16
//            avx512_fp16 avx_vnni amx_tile amx_bf16 amx_int8
//   aarch64: asimd asimdhp asimddp bf16 i8mm sve
// Who uses amx_* still has to ask Linux for the tile registers (ARCH_REQ_XCOMP_PERM) first.
#pragma once

#include <string>
#include <vector>

namespace roofbeam {

// In the order above; empty on other architectures.
std::vector<std::string> cpu_features();

}  // namespace roofbeam
