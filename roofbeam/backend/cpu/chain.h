// SPDX-License-Identifier: Apache-2.0
// Arithmetic in registers: `chains` independent accumulators of `lanes` floats, each updated by one
// instruction a step. Enough chains hide the latency; the accumulators must never leave the
// registers.
#pragma once

#include <cstdint>

namespace roofbeam {

// Takes `steps` (a multiple of kChainUnroll) steps from `initial` and writes where it got to.
// initial, result: chains · lanes floats. constants: four rows of `lanes` floats (fma: x ← x·r0 +
// r1, then x ← x·r2 + r3), or three rows of `lanes` 32-bit pairs (dot: x ← x + a·r0, then x ← x +
// a·r1). After every pair of steps x is where it began but for rounding, so the values stay normal
// and the operands never repeat a pattern that a power manager would like.
using ChainBlock = void (*)(std::int64_t steps, const float* constants, const float* initial,
                            float* result);

constexpr std::int64_t kChainUnroll = 4;

struct ChainKernel {
  ChainBlock block = nullptr;  // null where this build has no such instructions
  int chains = 0;
  int lanes = 0;          // floats in one accumulator
  int multiply_adds = 1;  // of one instruction in each lane
};

ChainKernel fma_generic();
ChainKernel fma_avx2();
ChainKernel fma_avx512();
ChainKernel fma_neon();
ChainKernel dot_avx512bf16();

}  // namespace roofbeam
