// SPDX-License-Identifier: Apache-2.0
// The main job: this machine's roof, a few kernels predicted from it and then measured, and what
// follows in words.
#pragma once

#include "roofbeam/answer/tour_answer.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

// Tells the caller at once how long it takes, and every prediction before anything it predicts is
// run. After a stop the answer holds what was finished; before the ceilings are known a stop is
// ErrorCode::interrupted.
Result<TourAnswer> tour(const DeviceOptions& options, const Caller& caller);

}  // namespace roofbeam
