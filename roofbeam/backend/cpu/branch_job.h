// SPDX-License-Identifier: Apache-2.0
// What a branch costs, as a job: a step looks at the next bit and branches on it.
#pragma once

#include <cstdint>
#include <memory>

#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

constexpr std::int64_t kBranchGrain = 64;  // bits of a word

// Branches once for each bit of `words` words; how often it did for a 1.
std::int64_t count_branches(const std::uint64_t* bits, std::int64_t words);
using BranchBlock = std::int64_t (*)(const std::uint64_t*, std::int64_t);

// shape.n steps over all workers, each worker's in multiples of kBranchGrain and at least one. Bits
// are random: a step is foreseen half of the time. Operands::constant: all are 1.
std::unique_ptr<Job> make_branch_job(const Problem& problem, int workers,
                                     BranchBlock block = count_branches);

}  // namespace roofbeam
