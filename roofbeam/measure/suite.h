// SPDX-License-Identifier: Apache-2.0
// From the table of ceilings to a profile of a device.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/backend/registry.h"
#include "roofbeam/base/progress.h"
#include "roofbeam/measure/ceilings.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// One worker for every usable core, up to so many.
Placement placement_of(const Box& box, int threads);

// Gives every ceiling without a measured sustained rate one: burst times what its class's measured
// one is of its burst. docs/methods/sustained.md
void infer_sustained(DeviceProfile& profile);

// Whether sustained rates are measured, a second each, where a class needs one; else none has any.
enum class Sustained { measured, left_out };

// Measures every ceiling of the table that the effort asks for and the backends have a variant for,
// and notes what it ran under. What cannot be measured is named in `absent`; an error is only that
// there is nothing at all. A stop keeps the ceilings finished so far.
//
// `only`, where it is not empty, are beginnings of names (bandwidth.dram, compute.f32.fma.all):
// just these are measured, whatever the effort would leave out. Names that begin no ceiling are an
// error.
Result<DeviceProfile> measure_ceilings(const Backends& backends, const Device& device,
                                       Effort effort, const std::vector<std::string>& only,
                                       const StopToken& stop, ProgressSink& progress,
                                       Sustained sustained = Sustained::measured);

}  // namespace roofbeam
