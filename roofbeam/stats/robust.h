// SPDX-License-Identifier: Apache-2.0
// Samples → a value that noise and neighbours move little. All samples are finite; an empty list is
// a caller's error (the result is 0).
#pragma once

#include <vector>

namespace roofbeam {

double median(std::vector<double> samples);
// The q-quantile (0…1) by linear interpolation between order statistics (Hyndman & Fan type 7).
double quantile(std::vector<double> samples, double q);
double mean(const std::vector<double>& samples);
// The sample standard deviation (n − 1); 0 for fewer than two.
double standard_deviation(const std::vector<double>& samples);

}  // namespace roofbeam
