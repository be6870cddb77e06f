// SPDX-License-Identifier: Apache-2.0
// What is here, what each backend can do with it, and why something is missing; or what data sheets
// say of known devices. Measures nothing.
#pragma once

#include <optional>
#include <string>

#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/stop.h"

namespace roofbeam {

struct DevicesOptions {
  std::string device;                // only this one; empty for all
  std::optional<std::string> known;  // instead of what is here: known devices with these words
};

Result<DevicesAnswer> devices(const DevicesOptions& options, const StopToken& stop);

}  // namespace roofbeam
