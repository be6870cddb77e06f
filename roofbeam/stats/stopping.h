// SPDX-License-Identifier: Apache-2.0
// When to stop sampling. Pure: it is told the samples and the time spent, and reads no clock.
#pragma once

#include <vector>

#include "roofbeam/base/units.h"

namespace roofbeam {

struct StoppingRule {
  int at_least = 3;      // samples, whatever they cost
  int at_most = 1000;    // samples
  Seconds budget{1.0};   // time after which sampling ends
  double narrow = 0.01;  // half width of the median's interval that is narrow enough, relative
};

// True when the samples are enough: the median's own 95 % interval (1.57 · IQR / sqrt(n), McGill et
// al. 1978) is narrower than `narrow`, or the budget or the count is used up.
bool enough(const StoppingRule& rule, const std::vector<double>& samples, Seconds spent);

}  // namespace roofbeam
