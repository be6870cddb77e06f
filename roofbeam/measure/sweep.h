// SPDX-License-Identifier: Apache-2.0
// Reading arrays of growing size with one core: where each memory ends, and whether the sizes that
// the ceilings were measured at lie on a plateau.
#pragma once

#include "roofbeam/backend/registry.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// Fills profile.sweep, and warns no_plateau for each bandwidth.<memory>.read.core that the sweep
// contradicts. A stop leaves what was read so far.
void sweep_sizes(const Backends& backends, const Device& device, DeviceProfile& profile,
                 const StopToken& stop);

// The memories whose reads at half and at twice the size (within that memory) differ from
// `rate` by more than a tenth. Pure.
bool on_plateau(const std::vector<SweepPoint>& sweep, Bytes size, double rate);

}  // namespace roofbeam
