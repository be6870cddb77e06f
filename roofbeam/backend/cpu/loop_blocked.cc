// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "roofbeam/backend/cpu/loops.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kDepth = 128;  // rows of B in a tile
constexpr std::int64_t kWidth = 512;  // columns: a tile of B is 256 KiB, within most L2 caches

template <class A, class B, class C>
void product(std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k, const A* a,
             const B* b, C* c) {
  std::fill(c + first * n, c + last * n, C{0});
  for (std::int64_t l0 = 0; l0 < k; l0 += kDepth) {
    const std::int64_t l1 = std::min(k, l0 + kDepth);
    for (std::int64_t j0 = 0; j0 < n; j0 += kWidth) {
      const std::int64_t width = std::min(n, j0 + kWidth) - j0;
      for (std::int64_t i = first; i < last; ++i) {
        C* row = c + i * n + j0;
        for (std::int64_t l = l0; l < l1; ++l) {
          const C factor = a[i * k + l];
          const B* tile = b + l * n + j0;
          for (std::int64_t j = 0; j < width; ++j) row[j] += factor * tile[j];
        }
      }
    }
  }
}

}  // namespace

ProductLoops loop_blocked() {
  return {product, product, product};
}

}  // namespace roofbeam
