// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/from_datasheet.h"

#include <algorithm>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

Ceiling stated(double rate, const char* unit) {
  Ceiling ceiling;
  ceiling.unit = unit;
  ceiling.burst = exactly(rate, Method::datasheet);
  ceiling.provenance = "datasheet";
  return ceiling;
}

}  // namespace

DeviceProfile datasheet_profile(const KnownDevice& device) {
  const bool cpu = device.kind == "cpu";
  DeviceProfile profile;
  profile.id = device.id;
  profile.kind = cpu ? "cpu" : "gpu";
  profile.name = device.name;
  profile.cores_usable = std::max(1, device.units);
  profile.affinity_cpus = profile.cores_usable;
  for (const auto& [name, rate] : device.rates) {
    const std::vector<std::string> parts = split(name, '.');  // f32.vector
    const char* way = parts.at(1) == "vector" ? "fma" : "matrix";
    profile.ceilings[format("compute.{}.{}.all", parts.at(0), way)] =
        stated(rate.value(), "flop_per_s");
  }
  if (device.bandwidth) {
    profile.ceilings[format("bandwidth.{}.read.all", cpu ? "dram" : "device")] =
        stated(device.bandwidth->value(), "bytes_per_s");
  }
  profile.warnings.push_back(
      {"datasheet", format("the ceilings of {} are a data sheet's{}: no program reaches all of "
                           "them, and they have no interval",
                           device.name, cpu ? ", its arithmetic at the base clock" : "")});
  return profile;
}

}  // namespace roofbeam
