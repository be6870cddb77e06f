// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/restarts.h"

#include <cmath>

#include "roofbeam/stats/robust.h"
#include "roofbeam/stats/student.h"

namespace roofbeam {

Estimate<double> estimate_of_restarts(const std::vector<double>& restarts, Method method) {
  const int count = static_cast<int>(restarts.size());
  const double centre = median(restarts);
  if (count < 2) return {centre, centre, centre, count, method};
  std::vector<double> logs;
  for (double figure : restarts) logs.push_back(std::log(figure));
  const double reach =
      student_two_sided(0.95, count - 1) * standard_deviation(logs) * std::sqrt(1.0 + 1.0 / count);
  return {centre, centre * std::exp(-reach), centre * std::exp(reach), count, method};
}

}  // namespace roofbeam
