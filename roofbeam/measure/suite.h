// SPDX-License-Identifier: Apache-2.0
// Which ceilings there are to measure: a table, and the loop over it that makes a profile.
#pragma once

#include <string_view>
#include <vector>

#include "roofbeam/backend/registry.h"
#include "roofbeam/base/progress.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

struct CeilingRow {
  std::string_view stem;    // canonical name without its scope: compute.f32.fma
  std::string_view kernel;  // of the kernel table
  DataType dtype;
  std::string_view unit;  // flop_per_s or bytes_per_s
  bool sustained;         // measured; else inferred from the class's measured one
};
const std::vector<CeilingRow>& ceiling_rows();

// One worker for every usable core, the first one for scope core.
Placement placement_of(const Box& box, int threads);

// Measures every ceiling of the table the backends have a variant for, in scopes core and all, and
// notes what it ran under. What cannot be measured is named in `absent`; an error is only that
// there is nothing at all. A stop keeps the ceilings finished so far.
Result<DeviceProfile> measure_ceilings(const Backends& backends, const Device& device,
                                       const StopToken& stop, ProgressSink& progress);

}  // namespace roofbeam
