// SPDX-License-Identifier: Apache-2.0
// One thing that can compute, and the facts that change what numbers measured on it mean.
#pragma once

#include <string>
#include <string_view>

#include "roofbeam/hardware/box.h"

namespace roofbeam {

enum class DeviceKind { cpu, gpu };

constexpr std::string_view name(DeviceKind kind) {
  return kind == DeviceKind::cpu ? "cpu" : "gpu";
}

struct Device {
  std::string id;  // as --device takes it: cpu, opencl:0, cuda:0, fake
  DeviceKind kind = DeviceKind::cpu;
  std::string name;      // as its maker calls it
  std::string identity;  // equal for two devices that are the same silicon
  Box box;               // of the host for a CPU

  bool operator==(const Device&) const = default;
};

}  // namespace roofbeam
