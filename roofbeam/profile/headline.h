// SPDX-License-Identifier: Apache-2.0
// The few ceilings a device is known by, and its ridge. Pure.
#pragma once

#include <optional>
#include <string>

#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// Names of ceilings of the whole device; empty where the profile holds none.
struct Headline {
  std::string f32;     // compute.f32.fma.all
  std::string half;    // what a product in a 16-bit type can use: the fastest of its ceilings
  std::string memory;  // reading the main memory
  // flop/byte at which arithmetic takes as long as memory: work with fewer waits for memory.
  std::optional<Estimate<Intensity>> ridge;       // of f32
  std::optional<Estimate<Intensity>> half_ridge;  // of half

  bool operator==(const Headline&) const = default;
};
Headline headline_of(const DeviceProfile& device);

// A ceiling that may be used; null where there is none of this name.
const Ceiling* usable_ceiling(const DeviceProfile& device, const std::string& name);

}  // namespace roofbeam
