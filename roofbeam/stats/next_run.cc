// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/next_run.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "roofbeam/stats/student.h"

namespace roofbeam {
namespace {

constexpr int kFirst = 2;
constexpr std::array<double, 19> kFactors = {12.706, 3.845, 2.388, 2.010, 1.639, 1.534, 1.339,
                                             1.293,  1.166, 1.141, 1.048, 1.033, 0.961, 0.951,
                                             0.894,  0.886, 0.839, 0.834, 0.793};
constexpr double kPi = 3.14159265358979;

}  // namespace

double next_run_factor(int count) {
  const auto row = static_cast<std::size_t>(count - kFirst);
  if (row < kFactors.size()) return kFactors[row];
  return student_two_sided(0.95, count - 1) * std::sqrt(kPi / count);
}

}  // namespace roofbeam
