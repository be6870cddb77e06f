// SPDX-License-Identifier: Apache-2.0
// The kernel table under the roof: every kernel at sizes inside each memory, predicted, measured
// and placed.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/answer/points_answer.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

struct RooflineOptions {
  std::vector<std::string> only;      // names of rows, or beginnings of them; empty for all
  std::vector<std::string> memories;  // l1, l2, l3, dram; empty for all
  std::vector<std::string> dtypes;    // empty for all
  DeviceOptions where;
};

// After a stop the answer holds the points that were finished and says so; before the first one a
// stop is ErrorCode::interrupted. A kernel that this device cannot compute is named in a warning.
// Errors: names that begin no row, memories this device does not have.
Result<PointsAnswer> roofline_points(const RooflineOptions& options, const Caller& caller);

}  // namespace roofbeam
