// SPDX-License-Identifier: Apache-2.0
// Files that are part of the program: cmake/embed.cmake makes the functions, and each is declared
// where it is used.
#pragma once

#include <string_view>
#include <vector>

namespace roofbeam {

struct EmbeddedText {
  std::string_view name;  // of the file, without its extension
  std::string_view content;
};

}  // namespace roofbeam
