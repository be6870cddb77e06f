// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include <cstdint>

namespace roofbeam {
namespace {

constexpr int kChains = 14;
constexpr int kLanes = 16;

void block(std::int64_t steps, const float* constants, const float* initial, float* result) {
  const __m512 grow = _mm512_loadu_ps(constants);
  const __m512 add = _mm512_loadu_ps(constants + kLanes);
  const __m512 shrink = _mm512_loadu_ps(constants + 2 * kLanes);
  const __m512 remove = _mm512_loadu_ps(constants + 3 * kLanes);
  __m512 x[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) x[c] = _mm512_loadu_ps(initial + c * kLanes);
  for (std::int64_t step = 0; step < steps; step += kChainUnroll) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_fmadd_ps(x[c], grow, add);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_fmadd_ps(x[c], shrink, remove);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_fmadd_ps(x[c], grow, add);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_fmadd_ps(x[c], shrink, remove);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) _mm512_storeu_ps(result + c * kLanes, x[c]);
}

}  // namespace

ChainKernel fma_avx512() {
  return {block, kChains, kLanes, 1};
}

}  // namespace roofbeam

#else

namespace roofbeam {

ChainKernel fma_avx512() {
  return {};
}

}  // namespace roofbeam

#endif
