// SPDX-License-Identifier: Apache-2.0
// The bandwidth probes as a job: every worker passes over its own parts of the arrays, on pages it
// touched first.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/job.h"
#include "roofbeam/backend/cpu/stream.h"

namespace roofbeam {

// An execution passes over the next shape.n elements of arrays of shape.m elements, round and
// round. Both are shared out evenly, each worker's in multiples of kStreamGrain and at least one;
// executed_shape says what they are then.
std::unique_ptr<Job> make_stream_job(StreamBlock block, const Problem& problem, int workers);

}  // namespace roofbeam
