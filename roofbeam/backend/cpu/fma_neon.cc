// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain.h"

#ifdef __ARM_NEON
#include <arm_neon.h>

#include <cstdint>

namespace roofbeam {
namespace {

constexpr int kChains = 16;
constexpr int kLanes = 4;

void block(std::int64_t steps, const float* constants, const float* initial, float* result) {
  const float32x4_t grow = vld1q_f32(constants);
  const float32x4_t add = vld1q_f32(constants + kLanes);
  const float32x4_t shrink = vld1q_f32(constants + 2 * kLanes);
  const float32x4_t remove = vld1q_f32(constants + 3 * kLanes);
  float32x4_t x[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) x[c] = vld1q_f32(initial + c * kLanes);
  for (std::int64_t step = 0; step < steps; step += kChainUnroll) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = vfmaq_f32(add, x[c], grow);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = vfmaq_f32(remove, x[c], shrink);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = vfmaq_f32(add, x[c], grow);
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = vfmaq_f32(remove, x[c], shrink);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) vst1q_f32(result + c * kLanes, x[c]);
}

}  // namespace

ChainKernel fma_neon() {
  return {block, kChains, kLanes, 1};
}

}  // namespace roofbeam

#else

namespace roofbeam {

ChainKernel fma_neon() {
  return {};
}

}  // namespace roofbeam

#endif
