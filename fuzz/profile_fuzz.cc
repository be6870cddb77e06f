// SPDX-License-Identifier: Apache-2.0
// A saved profile from bytes: no crash, and what was read is written and read back equal.
#include <cstdint>
#include <cstdlib>

#include "roofbeam/profile/machine_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = roofbeam::parse_json(text, "fuzz");
  if (!json) return 0;
  const auto profile = roofbeam::profile_from(*json, "fuzz");
  if (!profile) return 0;
  const auto again = roofbeam::parse_json(roofbeam::write_json(roofbeam::to_json(*profile)), "own");
  if (!again) std::abort();
  const auto back = roofbeam::profile_from(*again, "own");
  if (!back || !(*back == *profile)) std::abort();
  return 0;
}
