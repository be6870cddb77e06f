// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/model/scaling.h"

#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {

Breakdown amdahl_breakdown(double p, double n) {
  return sum_of("one second on one worker",
                {charge("serial", Cause::serial, "serial", exactly(Seconds(1 - p))),
                 charge("parallel", Cause::compute, "workers", exactly(Seconds(p / n)))});
}

double amdahl_speedup(double p, double n) {
  return gain(amdahl_breakdown(p, 1), amdahl_breakdown(p, n)).value;
}

std::optional<double> amdahl_limit(double p) {
  if (p >= 1) return std::nullopt;
  return 1 / (1 - p);
}

double gustafson_speedup(double p, double n) {
  return (1 - p) + p * n;
}

}  // namespace roofbeam
