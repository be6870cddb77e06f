// SPDX-License-Identifier: Apache-2.0
// Texts that are part of the program: cmake/embed.cmake makes the functions.
#pragma once

#include <string_view>
#include <vector>

namespace roofbeam {

struct EmbeddedText {
  std::string_view name;  // of the file, without its extension
  std::string_view content;
};

const std::vector<EmbeddedText>& method_pages();   // docs/methods/*.md
const std::vector<EmbeddedText>& example_pages();  // examples/*.txt: commands and their real output

}  // namespace roofbeam
