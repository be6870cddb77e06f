// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/stopping.h"

#include <cmath>

#include "roofbeam/stats/robust.h"

namespace roofbeam {

bool enough(const StoppingRule& rule, const std::vector<double>& samples, Seconds spent) {
  const int count = static_cast<int>(samples.size());
  if (count < rule.at_least) return false;
  if (count >= rule.at_most || spent >= rule.budget) return true;
  if (count < 5) return false;
  const double spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  const double half_width = 1.57 * spread / std::sqrt(static_cast<double>(count));
  return half_width <= rule.narrow * median(samples);
}

}  // namespace roofbeam
