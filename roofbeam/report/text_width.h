// SPDX-License-Identifier: Apache-2.0
// Text as a terminal lays it out: in columns, not bytes. Everything here but clean() expects text
// that clean() has been over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofbeam {

struct CodePoint {
  char32_t value;     // U+FFFD for a byte that is no UTF-8
  std::size_t bytes;  // how many it took, at least 1
};

// The code point that begins at `at`, which lies inside `text`.
CodePoint decode(std::string_view text, std::size_t at);
void append(std::string& text, char32_t code_point);

// Names and messages come from outside, and may carry escape codes or text that runs backwards:
// what would steer a terminal or a page becomes U+FFFD. Tabs become blanks, line feeds stay.
// Without `unicode` the rest becomes ASCII too: a few signs are spelt out, others become '?'.
std::string clean(std::string_view text, bool unicode = true);
// clean(), with line feeds as blanks: for what stands on one line.
std::string clean_line(std::string_view text, bool unicode = true);

// Columns taken: 2 for East Asian wide characters and emoji, 0 for combining marks.
int display_width(std::string_view text);
// The widest piece between blanks.
int longest_word(std::string_view text);

// Lines of at most `width` (at least 2) columns. Line feeds end a line, blanks between words may,
// but a number stays with its unit where that is possible. A word longer than a line is broken,
// preferably behind one of / . _ - , : =. There is always one line, be it empty.
std::vector<std::string> wrap(std::string_view text, int width);

// With blanks added up to `width`: behind the text, or before it where it stands right.
std::string pad(std::string_view text, int width, bool right = false);
std::string repeat(std::string_view text, int times);

}  // namespace roofbeam
