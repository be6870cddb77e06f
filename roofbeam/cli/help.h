// SPDX-License-Identifier: Apache-2.0
// What the program says about itself.
#pragma once

#include <string>

#include "roofbeam/base/result.h"
#include "roofbeam/cli/commands.h"

namespace roofbeam {

std::string program_help();
// One sentence, the options, and examples whose output was really produced.
std::string command_help(const CommandRow& command);
// The help of a command, or the page of a number. The error names the nearest topics.
Result<std::string> topic_help(const std::string& topic);

}  // namespace roofbeam
