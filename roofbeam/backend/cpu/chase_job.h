// SPDX-License-Identifier: Apache-2.0
// Latency as a job: the first worker follows a chain of lines, each of which says where the next
// one is. The other workers either sleep or, in chase_loaded, read memory all the while.
#pragma once

#include <cstdint>
#include <memory>

#include "roofbeam/backend/cpu/job.h"
#include "roofbeam/backend/cpu/stream.h"

namespace roofbeam {

// A cache line; in a chain of m of them each is the next one of exactly one.
struct alignas(64) ChaseLine {
  const ChaseLine* next = nullptr;
};
// One cycle through all lines, drawn evenly from all there are (Sattolo's algorithm, in place).
void link_lines(ChaseLine* lines, std::int64_t count, std::uint64_t seed);

// Follows `steps` links; the default of make_chase_job.
const ChaseLine* chase(const ChaseLine* from, std::int64_t steps);
using ChaseBlock = const ChaseLine* (*)(const ChaseLine*, std::int64_t);

// What the other workers do: null: sleep; else read arrays of `bytes` each.
struct ChaseLoad {
  StreamBlock read = nullptr;
  std::int64_t bytes = 0;
};

// shape.n loads an execution, through shape.m lines. A load needs a second worker: else an error.
Result<std::unique_ptr<Job>> make_chase_job(const Problem& problem, int workers,
                                            const ChaseLoad& load, ChaseBlock block = chase);

}  // namespace roofbeam
