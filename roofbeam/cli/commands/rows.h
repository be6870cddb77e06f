// SPDX-License-Identifier: Apache-2.0
// The commands, each in its own file beside this one. cli/commands.cc puts them in order.
#pragma once

#include "roofbeam/cli/commands.h"

namespace roofbeam {

CommandRow amdahl_command();
CommandRow compare_command();
CommandRow devices_command();
CommandRow machine_command();
CommandRow matmul_command();
CommandRow place_command();
CommandRow roofline_command();
CommandRow tour_command();

}  // namespace roofbeam
