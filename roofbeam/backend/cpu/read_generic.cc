// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "roofbeam/backend/cpu/read.h"

namespace roofbeam {
namespace {

using Vector = std::uint64_t __attribute__((vector_size(16)));

std::uint64_t block(const std::uint64_t* data, std::int64_t words) {
  constexpr int kSums = 8;
  Vector sum[kSums] = {};
  const auto* vectors = reinterpret_cast<const Vector*>(data);
  for (std::int64_t i = 0; i < words / 2; i += kSums) {
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) sum[s] += vectors[i + s];
  }
  std::uint64_t result = 0;
  for (const Vector& part : sum) result += part[0] + part[1];
  return result;
}

}  // namespace

ReadBlock read_generic() {
  return block;
}

}  // namespace roofbeam
