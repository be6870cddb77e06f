// SPDX-License-Identifier: Apache-2.0
// A product by one of our own loops, its rows shared out over the workers. Where the whole product
// would take longer than kLoopSeconds only the first rows are computed, and executed_shape says how
// many.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/job.h"
#include "roofbeam/backend/cpu/loops.h"

namespace roofbeam {

constexpr double kLoopSeconds = 0.5;

Result<std::unique_ptr<Job>> make_loop_job(const ProductLoops& loops, const Problem& problem,
                                           int workers);
// What the three matrices of a loop take: those of bf16 and f16 are held in f32.
Bytes loop_bytes(const Problem& problem);

}  // namespace roofbeam
