// SPDX-License-Identifier: Apache-2.0
// One ceiling: a problem of the right size, measured, and what it ran under.
#pragma once

#include "roofbeam/backend/registry.h"
#include "roofbeam/measure/ceilings.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

struct Probe {
  const CeilingRow* row = nullptr;
  Placement placement;
  bool sustained = false;  // measured too, for a second
};

// Whether the device has what the row is about: a way to compute it, and the memory.
bool supported(const Backends& backends, const Device& device, const CeilingRow& row);

// Errors: no way to compute it here, no such memory, whatever preparing and running it fails with.
Result<Ceiling> measure_probe(const Backends& backends, const Device& device, const Probe& probe,
                              Effort effort, const StopToken& stop);

}  // namespace roofbeam
