// SPDX-License-Identifier: Apache-2.0
// The product as people first write it, and as they write it after learning about caches. Row-major
// operands; those of bf16 and f16 are unpacked to f32 first and the result is rounded
// (loop_job.cc).
#pragma once

#include <cstdint>

namespace roofbeam {

// Computes rows [first, last) of C (m × n) = A (m × k) · B (k × n).
template <class A, class B, class C>
using ProductLoop = void (*)(std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k,
                             const A* a, const B* b, C* c);

struct ProductLoops {
  ProductLoop<float, float, float> f32;
  ProductLoop<double, double, double> f64;
  ProductLoop<std::uint8_t, std::int8_t, std::int32_t> int8;
};

// Three nested loops, one dot product at a time: walks B down its columns.
ProductLoops loop_naive();
// The same sums in tiles that stay in the caches, innermost along rows, so that compilers vectorise
// it.
ProductLoops loop_blocked();

}  // namespace roofbeam
