// SPDX-License-Identifier: Apache-2.0
// From argv to an exit code.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace roofbeam {

// `arguments` without the program's name. `stop` is set by a signal handler.
int run_program(std::vector<std::string> arguments, const std::atomic<bool>& stop);

}  // namespace roofbeam
