// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "roofbeam/backend/cpu/loops.h"

namespace roofbeam {
namespace {

void product(std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k, const float* a,
             const float* b, float* c) {
  for (std::int64_t i = first; i < last; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
  }
}

}  // namespace

ProductLoop loop_naive() {
  return product;
}

}  // namespace roofbeam
