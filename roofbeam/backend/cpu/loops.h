// SPDX-License-Identifier: Apache-2.0
// The product as people first write it, and as they write it after learning about caches. Row-major
// f32 operands; bf16 operands are unpacked to f32 first and the result is rounded (loop_job.cc).
#pragma once

#include <cstdint>

namespace roofbeam {

// Computes rows [first, last) of C (m × n) = A (m × k) · B (k × n).
using ProductLoop = void (*)(std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k,
                             const float* a, const float* b, float* c);

// Three nested loops, one dot product at a time: walks B down its columns.
ProductLoop loop_naive();
// The same sums in tiles that stay in the caches, innermost along rows, so that compilers vectorise
// it.
ProductLoop loop_blocked();

}  // namespace roofbeam
