// SPDX-License-Identifier: Apache-2.0
// The two blocks of a terminal page that need a layout of their own, and the colours of all of
// them. Each gives whole lines without line feeds, none wider than style.width columns.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/report/document.h"

namespace roofbeam {

// The parameter of an ANSI "select graphic rendition" code.
struct Ink {
  const char* code;
};
inline constexpr Ink kPlain{""};
inline constexpr Ink kStrong{"1"};
inline constexpr Ink kFaint{"2"};
inline constexpr Ink kWarning{"33"};
// Series of a chart, in turn; their markers are bold. Yellow is left to warnings, and red means
// nothing here: no point is an error.
inline constexpr std::array kLineInks = {Ink{"36"}, Ink{"35"}, Ink{"32"},
                                         Ink{"34"}, Ink{"96"}, Ink{"95"}};
inline constexpr std::array kMarkerInks = {Ink{"1;36"}, Ink{"1;35"}, Ink{"1;32"},
                                           Ink{"1;34"}, Ink{"1;96"}, Ink{"1;95"}};

// Coloured only where the style has colour; each call closes what it opens.
std::string paint(std::string_view text, Ink ink, const TerminalStyle& style);

std::vector<std::string> table_lines(const Table& table, const TerminalStyle& style);
std::vector<std::string> chart_lines(const Chart& chart, const TerminalStyle& style);

}  // namespace roofbeam
