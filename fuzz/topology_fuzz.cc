// SPDX-License-Identifier: Apache-2.0
// hwloc's XML from bytes: no crash, and only topologies that make sense come out.
#include <cstdint>
#include <cstdlib>

#include "roofbeam/hardware/topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto topology = roofbeam::topology_from_xml(text, "fuzz");
  if (topology && (topology->cores.empty() || topology->hardware_threads() < 1)) std::abort();
  return 0;
}
