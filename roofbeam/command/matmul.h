// SPDX-License-Identifier: Apache-2.0
// Measures C (m × n) = A (m × k) · B (k × n) and says which ceiling holds it back.
#pragma once

#include <cstdint>
#include <string>

#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

struct MatmulOptions {
  std::int64_t n = 2048;
  std::int64_t m = 0;  // 0: as n
  std::int64_t k = 0;  // 0: as n
  std::string dtype = "f32";
  std::string library = "auto";  // all, or the name of one: onednn, openblas, naive, blocked
  int reps = 0;                  // timed executions after each re-initialisation; 0: until narrow
  bool constant = false;         // constant operands beside random ones
  bool sweep = false;            // sizes from 64 to n, with 1, 2, 4 … threads
  DeviceOptions where;
};

// Errors: sizes below 1 or operands larger than memory (needed and available named), unknown types
// and libraries (the nearest named), a library that fails, two comparisons at once. After a stop
// the answer holds what was finished and says so; before the first figure a stop is
// ErrorCode::interrupted.
Result<MatmulAnswer> matmul(const MatmulOptions& options, const Caller& caller);

}  // namespace roofbeam
