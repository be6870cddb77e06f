// SPDX-License-Identifier: Apache-2.0
// Text for people: fmt-style formatting (fmt itself appears only in format.cc), numbers with SI
// prefixes, and the parsing of what people type.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

using FormatArg = std::variant<std::int64_t, double, std::string_view>;

std::string format_list(std::string_view pattern, const std::vector<FormatArg>& args);

template <class T>
FormatArg format_arg(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return std::string_view(value);
  }
}

// format("{} of {:.2f}", 3, 1.0): fmt's syntax; integers, doubles and strings.
template <class... Args>
std::string format(std::string_view pattern, const Args&... args) {
  return format_list(pattern, {format_arg(args)...});
}

// Three significant digits with an SI prefix: 1.24 TFLOP/s, 51.2 GB/s, 12.4 ms.
std::string show(Seconds time);
std::string show(FlopRate rate);
std::string show(ByteRate rate);
std::string show(Flops flops);
std::string show(Bytes bytes);           // decimal: GB
std::string show_binary(Bytes bytes);    // binary: GiB
std::string show(Intensity intensity);   // flop/byte
std::string show_number(double number);  // three significant digits, no prefix
std::string show_ratio(double ratio);    // 1.24x
std::string show_percent(double ratio);  // 97 %, 9.7 %
std::string counted(std::int64_t count, std::string_view one, std::string_view many);  // 1 core
std::string show_si(double value, std::string_view unit);

// "0.95" or "95%".
Result<double> parse_fraction(std::string_view text);
// A whole number, nothing before or behind it.
Result<std::int64_t> parse_integer(std::string_view text);
Result<double> parse_real(std::string_view text);
// "1,2,8" → the pieces between commas, blanks trimmed.
std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// The known names closest to a misspelt one, best first, at most `most`; none where nothing is
// near.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known,
                                 std::size_t most = 3);
// "did you mean …?", or the whole list where nothing is near.
std::string suggest(std::string_view name, const std::vector<std::string>& known);

}  // namespace roofbeam
