// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofbeam {

// As the file VERSION says.
std::string_view version();

}  // namespace roofbeam
