// SPDX-License-Identifier: Apache-2.0
// Any JSON: no crash, bounded depth, and what was read is written and read back equal.
#include <cstdint>
#include <cstdlib>

#include "roofbeam/base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = roofbeam::parse_json(text, "fuzz");
  if (!json) return 0;
  const auto back = roofbeam::parse_json(roofbeam::write_json(*json), "own");
  if (!back || !(*back == *json)) std::abort();
  return 0;
}
