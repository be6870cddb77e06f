// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/restarts.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/stats/next_run.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {

Estimate<double> estimate_of_restarts(const std::vector<double>& restarts, Method method,
                                      double step) {
  const int count = static_cast<int>(restarts.size());
  const double centre = median(restarts);
  if (count < 2) return {centre, centre, centre, count, method};
  std::vector<double> logs;
  for (double figure : restarts) logs.push_back(std::log(figure));
  const double reach = next_run_factor(count) * standard_deviation(logs);
  return {centre, std::max(0.0, centre * std::exp(-reach) - step), centre * std::exp(reach) + step,
          count, method};
}

}  // namespace roofbeam
