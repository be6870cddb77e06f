// SPDX-License-Identifier: Apache-2.0
// From the spans of every worker to the time one execution of the problem takes. Timing is inside
// the workers, never around a barrier of the thread that controls them: that one may wake late. A
// worker without spans only disturbs the others and counts in nothing. Pure.
#pragma once

#include <vector>

#include "roofbeam/backend/backend.h"

namespace roofbeam {

// Seconds per execution, one figure a window.
struct WindowTimes {
  std::vector<double> all;
  std::vector<double> quiet;  // of those that overlap no disturbed span of any worker
  int empty = 0;              // windows that took no time on this clock; they are in neither list
};

// together: a window is one execution, from the first worker's start to the last one's end.
// apart: a window is one span of the first worker, within the time all workers ran; its executions
//   are the shares of the spans that overlap it (a span cut by the window counts by the part
//   inside). So a window in which one worker was held up is a slow one, and an upper quantile
//   leaves it out.
WindowTimes window_times(const Spans& spans);

// The step the clock goes in, in seconds: the greatest common divisor of the lengths of all
// undisturbed spans. 0 where they are too few, or too alike to show it.
double clock_step(const Spans& spans);

// From the first start to the last end, over executions finished; 0 where there are none.
// Everything is in it: waits between executions, neighbours, quotas.
double sustained_time(const Spans& spans);

// First start and last end of all workers.
Span extent(const Spans& spans);

}  // namespace roofbeam
