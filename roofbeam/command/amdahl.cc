// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/amdahl.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/model/scaling.h"

namespace roofbeam {
namespace {

constexpr double kMostWorkers = 1e12;  // above it rounding, not the law, would speak
constexpr int kCurvePoints = 33;

AmdahlAnswer::Row row(double p, double n, bool gustafson) {
  return {p, n, gustafson ? gustafson_speedup(p, n) : amdahl_speedup(p, n)};
}

// From one worker to the largest number asked for, evenly on a logarithmic axis.
std::vector<AmdahlAnswer::Row> curve(double p, double most, bool gustafson) {
  std::vector<AmdahlAnswer::Row> points;
  for (int i = 0; i < kCurvePoints; ++i) {
    const double n = std::pow(most, static_cast<double>(i) / (kCurvePoints - 1));
    points.push_back(row(p, n, gustafson));
  }
  return points;
}

Status valid(const AmdahlOptions& options) {
  if (options.parallel.empty()) return usage_error("no parallel share given", "-p");
  if (options.workers.empty()) return usage_error("no number of workers given", "-N");
  for (double p : options.parallel) {
    if (!(p >= 0 && p <= 1)) {
      return usage_error(format("{} is no share", show_number(p)), "-p",
                         "a number from 0 to 1, or a percentage: 0.95 or 95%");
    }
  }
  for (double n : options.workers) {
    if (!(n >= 1 && n <= kMostWorkers) || n != std::floor(n)) {
      return usage_error(format("{} is no number of workers", show_number(n)), "-N",
                         "whole numbers from 1 to 10^12");
    }
  }
  return {};
}

std::vector<double> once_each(const std::vector<double>& values) {
  std::vector<double> kept;
  for (double value : values) {
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(value);
  }
  return kept;
}

}  // namespace

Result<AmdahlAnswer> amdahl(const AmdahlOptions& options) {
  if (auto checked = valid(options); !checked) return fail(checked.error());
  AmdahlAnswer answer;
  answer.law = options.gustafson ? AmdahlAnswer::Law::gustafson : AmdahlAnswer::Law::amdahl;
  const double most =
      std::max(2.0, *std::max_element(options.workers.begin(), options.workers.end()));
  const std::vector<double> workers = once_each(options.workers);
  for (double p : once_each(options.parallel)) {
    for (double n : workers) answer.rows.push_back(row(p, n, options.gustafson));
    answer.limits.push_back({p, options.gustafson ? std::nullopt : amdahl_limit(p)});
    answer.curves.push_back(curve(p, most, options.gustafson));
  }
  return answer;
}

}  // namespace roofbeam
