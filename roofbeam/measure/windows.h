// SPDX-License-Identifier: Apache-2.0
// From the spans of every worker to the time one execution of the problem takes. Timing is inside
// the workers, never around a barrier of the thread that controls them: that one may wake late.
// Pure.
#pragma once

#include <vector>

#include "roofbeam/backend/backend.h"

namespace roofbeam {

// Seconds per execution, one figure a window.
// together: a window is one execution, from the first worker's start to the last one's end.
// apart: a window is one span of the first worker, within the time all workers ran; its executions
//   are the shares of the spans that overlap it (a span cut by the window counts by the part
//   inside). So a window in which one worker was held up is a slow one, and an upper quantile
//   leaves it out.
std::vector<double> window_times(const Spans& spans);

// From the first start to the last end, over executions finished; 0 where there are none.
// Everything is in it: waits between executions, neighbours, quotas.
double sustained_time(const Spans& spans);

// First start and last end of all workers.
Span extent(const Spans& spans);

}  // namespace roofbeam
