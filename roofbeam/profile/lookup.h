// SPDX-License-Identifier: Apache-2.0
// Finding a ceiling in a profile by what it is for. A lookup that must fall back says so.
#pragma once

#include <string>

#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

struct Found {
  std::string name;  // the ceiling that was used
  Ceiling ceiling;
  std::string fell_back;  // a sentence where it is not the one asked for; else empty
};

// The arithmetic ceiling a product in `dtype` stands under with `threads` workers: the dtype's own
// dot ceiling, else its fma, else f32 fma (a type without instructions is unpacked to f32).
// 1 worker takes scope core, all usable ones scope all; between them core · threads is inferred.
Result<Found> arithmetic_ceiling(const DeviceProfile& device, const std::string& dtype,
                                 int threads);
// bandwidth.<memory>.read with `threads` workers; between one and all it is the smaller of
// all and core · threads.
Result<Found> read_ceiling(const DeviceProfile& device, const std::string& memory, int threads);

}  // namespace roofbeam
