// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/robust.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace roofbeam {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return 0.0;
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return samples[below] + fraction * (samples[above] - samples[below]);
}

double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

double mean(const std::vector<double>& samples) {
  if (samples.empty()) return 0.0;
  double sum = 0;
  for (double sample : samples) sum += sample;
  return sum / static_cast<double>(samples.size());
}

double standard_deviation(const std::vector<double>& samples) {
  if (samples.size() < 2) return 0.0;
  const double centre = mean(samples);
  double sum = 0;
  for (double sample : samples) sum += (sample - centre) * (sample - centre);
  return std::sqrt(sum / static_cast<double>(samples.size() - 1));
}

}  // namespace roofbeam
