// SPDX-License-Identifier: Apache-2.0
// Which products `matmul` measures: one, random beside constant operands, every library, or a sweep
// over sizes and threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "roofbeam/command/matmul.h"
#include "roofbeam/command/matmul_placed.h"

namespace roofbeam {

struct Runs {
  std::vector<Run> runs;
  std::size_t judged = 0;
  std::vector<MatmulAnswer::Tried> tried;
  Warnings warnings;  // about the choice
  int planned = 1;
  bool stopped = false;  // before all that were planned
};

// Errors: none could be measured.
Result<Runs> measured_runs(const MatmulOptions& options, const Problem& problem, Session& session,
                           const Caller& caller);

// The sizes of a sweep: powers of two from 64 and `largest` itself; all of them at most `largest`.
std::vector<std::int64_t> sweep_sizes(std::int64_t largest);
// 1, 2, 4 … and `most`.
std::vector<int> sweep_threads(int most);

}  // namespace roofbeam
