// SPDX-License-Identifier: Apache-2.0
// What it costs threads to meet, and to wake each other, as jobs.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

// shape.n crossings of a barrier by all workers, spinning. Fewer than two workers are an error.
Result<std::unique_ptr<Job>> make_barrier_job(const Problem& problem, int workers);

// The first two workers hand over to each other shape.n times (an even number, at least two): one
// wakes the other and sleeps until it is woken itself (futex). Any more workers sleep. Fewer than
// two are an error.
Result<std::unique_ptr<Job>> make_wake_job(const Problem& problem, int workers);

}  // namespace roofbeam
