// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain.h"

#ifdef __AVX512BF16__
#include <immintrin.h>

#include <cstdint>

namespace roofbeam {
namespace {

constexpr int kChains = 14;
constexpr int kLanes = 16;  // accumulators are f32; each lane takes two products

__m512bh load(const float* from) {
  return (__m512bh)_mm512_loadu_ps(from);
}

void block(std::int64_t steps, const float* constants, const float* initial, float* result) {
  const __m512bh factor = load(constants);
  const __m512bh plus = load(constants + kLanes);
  const __m512bh minus = load(constants + 2 * kLanes);
  __m512 x[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) x[c] = _mm512_loadu_ps(initial + c * kLanes);
  for (std::int64_t step = 0; step < steps; step += kChainUnroll) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_dpbf16_ps(x[c], factor, plus);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_dpbf16_ps(x[c], factor, minus);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_dpbf16_ps(x[c], factor, plus);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_dpbf16_ps(x[c], factor, minus);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) _mm512_storeu_ps(result + c * kLanes, x[c]);
}

}  // namespace

ChainKernel dot_avx512bf16() {
  return {block, kChains, kLanes, 2};
}

}  // namespace roofbeam

#else

namespace roofbeam {

ChainKernel dot_avx512bf16() {
  return {};
}

}  // namespace roofbeam

#endif
