// SPDX-License-Identifier: Apache-2.0
// Measures the ceilings of this machine and saves them; or shows a profile that was saved.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/command/session.h"
#include "roofbeam/measure/ceilings.h"

namespace roofbeam {

struct MachineOptions {
  std::string device;  // as --device; empty or "all": every device
  Effort effort = Effort::normal;
  std::vector<std::string> only;    // just ceilings whose names begin so; empty for all
  std::string profile;              // show this file's profile and measure nothing
  std::vector<std::string> beside;  // known devices to set beside it: ids, or words of their names
};

// A fake machine is never saved, nor is a part of the ceilings; a home that cannot be
// written is no error. Saving keeps the other devices of a fresh profile with the same key.
//
// Errors: a name in `beside` that means no known device, or several (before anything is measured);
// a device that is not here; that nothing at all could be measured.
Result<MachineAnswer> machine(const MachineOptions& options, const Caller& caller);

}  // namespace roofbeam
