// SPDX-License-Identifier: Apache-2.0
// A multiply and an add in whatever vectors every CPU of the architecture has (SSE2, NEON). Without
// a fused instruction they are two, and this ceiling is lower than the CPU's own.
#include <cstdint>

#include "roofbeam/backend/cpu/chain.h"

namespace roofbeam {
namespace {

using Vector = float __attribute__((vector_size(16), aligned(4)));

constexpr int kChains = 10;  // and four constants: 16 registers hold them with room for a product
constexpr int kLanes = 4;

Vector load(const float* from) {
  return *reinterpret_cast<const Vector*>(from);
}

void block(std::int64_t steps, const float* constants, const float* initial, float* result) {
  const Vector grow = load(constants);
  const Vector add = load(constants + kLanes);
  const Vector shrink = load(constants + 2 * kLanes);
  const Vector remove = load(constants + 3 * kLanes);
  Vector x[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) x[c] = load(initial + c * kLanes);
  for (std::int64_t step = 0; step < steps; step += 2) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * grow + add;
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * shrink + remove;
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) *reinterpret_cast<Vector*>(result + c * kLanes) = x[c];
}

}  // namespace

ChainKernel fma_generic() {
  return {block, kChains, kLanes, 1};
}

}  // namespace roofbeam
