// SPDX-License-Identifier: Apache-2.0
// Chart.js (MIT licence), version 3 or 4 as the system has it, put into the program when it is
// built.
#pragma once

#include <string_view>

namespace roofbeam {

std::string_view chart_js();

}  // namespace roofbeam
