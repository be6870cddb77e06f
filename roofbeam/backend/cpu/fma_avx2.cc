// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain.h"

#ifdef __FMA__
#include <immintrin.h>

#include <cstdint>

namespace roofbeam {
namespace {

constexpr int kChains = 10;
constexpr int kLanes = 8;

void block(std::int64_t steps, const float* constants, const float* initial, float* result) {
  const __m256 grow = _mm256_loadu_ps(constants);
  const __m256 add = _mm256_loadu_ps(constants + kLanes);
  const __m256 shrink = _mm256_loadu_ps(constants + 2 * kLanes);
  const __m256 remove = _mm256_loadu_ps(constants + 3 * kLanes);
  __m256 x[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) x[c] = _mm256_loadu_ps(initial + c * kLanes);
  for (std::int64_t step = 0; step < steps; step += kChainUnroll) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm256_fmadd_ps(x[c], grow, add);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm256_fmadd_ps(x[c], shrink, remove);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm256_fmadd_ps(x[c], grow, add);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = _mm256_fmadd_ps(x[c], shrink, remove);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) _mm256_storeu_ps(result + c * kLanes, x[c]);
}

}  // namespace

ChainKernel fma_avx2() {
  return {block, kChains, kLanes, 1};
}

}  // namespace roofbeam

#else

namespace roofbeam {

ChainKernel fma_avx2() {
  return {};
}

}  // namespace roofbeam

#endif
