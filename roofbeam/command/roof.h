// SPDX-License-Identifier: Apache-2.0
// The roof an operation stands under: which ceilings of a device count for it, and what has to be
// said of them. Every command that places work under a roof takes it from here. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/hardware/box.h"
#include "roofbeam/kernel/data_type.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

// The memory whose bandwidth is part of a roof, as Traffic names it.
constexpr const char* kRoofMemory = "dram";

struct RoofFound {
  Roof roof;
  std::vector<Found> used;          // the ceilings that were looked up, arithmetic first
  std::vector<Roof::Memory> drawn;  // the slope of a picture, bound or not
  Warnings warnings;                // fell_back, ceiling_degraded
  bool from_cache = false;  // what it touches fits in the last-level cache: DRAM is no bound
};

// The roof over `operation` with `threads` workers. A device without the DRAM ceiling is an error
// only where DRAM is a bound.
Result<RoofFound> roof_of(const DeviceProfile& profile, const Operation& operation, int threads);

// What is not in the judged breakdown any more was served from a cache: it is no part of the roof.
void drop_unused_memories(RoofFound& found, const Breakdown& judged);

// On which side of the ridge the operation lies, as a sentence; absent where no memory is part of
// the roof or nothing is moved.
std::optional<std::string> beside_the_ridge(const Operation& operation, const Roof& roof);

// Beside units that multiply in `dtype` and that no probe reaches yet, the ceiling is only a floor:
// lying above it breaks no promise, and the verdict says so.
void allow_for_unprobed_units(Verdict& verdict, const Box& box, DataType dtype);

}  // namespace roofbeam
