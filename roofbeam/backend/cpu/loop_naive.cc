// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "roofbeam/backend/cpu/loops.h"

namespace roofbeam {
namespace {

template <class A, class B, class C>
void product(std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k, const A* a,
             const B* b, C* c) {
  for (std::int64_t i = first; i < last; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      C sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
  }
}

}  // namespace

ProductLoops loop_naive() {
  return {product, product, product};
}

}  // namespace roofbeam
