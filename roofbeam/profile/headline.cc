// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/headline.h"

#include <vector>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

std::string fastest(const DeviceProfile& device, const std::vector<std::string>& names) {
  std::string best;
  for (const std::string& name : names) {
    const Ceiling* ceiling = usable_ceiling(device, name);
    if (ceiling == nullptr) continue;
    if (best.empty() || ceiling->burst.value > usable_ceiling(device, best)->burst.value) {
      best = name;
    }
  }
  return best;
}

std::optional<Estimate<Intensity>> ridge(const DeviceProfile& device, const std::string& arithmetic,
                                         const std::string& memory) {
  const Ceiling* flops = usable_ceiling(device, arithmetic);
  const Ceiling* bytes = usable_ceiling(device, memory);
  if (flops == nullptr || bytes == nullptr) return std::nullopt;
  return as<FlopRate>(flops->burst) / as<ByteRate>(bytes->burst);
}

}  // namespace

const Ceiling* usable_ceiling(const DeviceProfile& device, const std::string& name) {
  const auto found = device.ceilings.find(name);
  const bool usable = found != device.ceilings.end() && found->second.standing < Standing::invalid;
  return usable ? &found->second : nullptr;
}

Headline headline_of(const DeviceProfile& device) {
  std::vector<std::string> halves;
  for (const char* dtype : {"bf16", "f16"}) {
    for (const char* operation : {"matrix", "dot", "fma"}) {
      halves.push_back(format("compute.{}.{}.all", dtype, operation));
    }
  }
  Headline headline;
  headline.f32 = fastest(device, {"compute.f32.fma.all"});
  headline.half = fastest(device, halves);
  headline.memory = fastest(device, {"bandwidth.device.read.all", "bandwidth.dram.read.all"});
  headline.ridge = ridge(device, headline.f32, headline.memory);
  headline.half_ridge = ridge(device, headline.half, headline.memory);
  return headline;
}

}  // namespace roofbeam
