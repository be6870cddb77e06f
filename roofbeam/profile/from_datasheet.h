// SPDX-License-Identifier: Apache-2.0
// A known device as a profile: its data sheet's rates under the names that measured ceilings have,
// so that work can be placed on a device that is not here. Pure.
#pragma once

#include "roofbeam/hardware/known.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// compute.<dtype>.fma.all of the vector units, compute.<dtype>.matrix.all of the matrix units, and
// the memory: bandwidth.dram.read.all of a CPU, bandwidth.device.read.all of all else. Provenance
// and method say datasheet; there is no sustained figure, no scope but all, and no cache. Its
// warning `datasheet` says what such ceilings are, for a CPU that its rates are at the base clock.
// What is no CPU is of kind gpu: it has a memory of its own and work is launched on it.
DeviceProfile datasheet_profile(const KnownDevice& device);

}  // namespace roofbeam
