// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include "roofbeam/base/format.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace roofbeam {
namespace {

struct Prefix {
  double factor;
  const char* text;
};
constexpr std::array kDecimal = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                 Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1.0, ""},
                                 Prefix{1e-3, "m"}, Prefix{1e-6, "µ"}, Prefix{1e-9, "n"}};
constexpr std::array kBinary = {Prefix{1099511627776.0, "Ti"}, Prefix{1073741824.0, "Gi"},
                                Prefix{1048576.0, "Mi"}, Prefix{1024.0, "Ki"}, Prefix{1.0, ""}};

// Three significant digits of a number in [1, 1000); whole numbers without a point.
std::string three_digits(double number) {
  const double size = std::fabs(number);
  if (number == std::floor(number) && size < 1000) return fmt::format("{:.0f}", number);
  if (size >= 99.95) return fmt::format("{:.0f}", number);
  if (size >= 9.995) return fmt::format("{:.1f}", number);
  return fmt::format("{:.2f}", number);
}

template <std::size_t N>
std::string with_prefix(double value, std::string_view unit, const std::array<Prefix, N>& rows) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{} {}", value, unit);
  const Prefix* chosen = &rows.back();
  for (const Prefix& row : rows) {
    // 999.7 k reads as 1.00 M, so the border lies where three digits round up.
    if (std::fabs(value) >= row.factor * 0.9995) {
      chosen = &row;
      break;
    }
  }
  return fmt::format("{} {}{}", three_digits(value / chosen->factor), chosen->text, unit);
}

template <class T>
Result<T> parse_whole(std::string_view text, const char* kind) {
  T value{};
  const std::string trimmed = trim(text);
  const char* end = trimmed.data() + trimmed.size();
  auto [stop, code] = std::from_chars(trimmed.data(), end, value);
  if (code == std::errc::result_out_of_range) {
    return usage_error(fmt::format("\"{}\" is too large", text));
  }
  if (code != std::errc() || stop != end || trimmed.empty()) {
    return usage_error(fmt::format("\"{}\" is not {}", text, kind));
  }
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string format_list(std::string_view pattern, const std::vector<FormatArg>& args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArg& arg : args) {
    std::visit([&store](const auto& value) { store.push_back(value); }, arg);
  }
  try {
    return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
  } catch (const std::exception& error) {
    return fmt::format("[bad format \"{}\": {}]", pattern, error.what());
  }
}

std::string show_si(double value, std::string_view unit) {
  return with_prefix(value, unit, kDecimal);
}
std::string show(Seconds time) {
  return show_si(time.value(), "s");
}
std::string show(FlopRate rate) {
  return show_si(rate.value(), "FLOP/s");
}
std::string show(ByteRate rate) {
  return show_si(rate.value(), "B/s");
}
std::string show(Flops flops) {
  return show_si(flops.value(), "FLOP");
}
std::string show(Bytes bytes) {
  return show_si(bytes.value(), "B");
}
std::string show_binary(Bytes bytes) {
  return with_prefix(bytes.value(), "B", kBinary);
}
std::string show(Intensity intensity) {
  return show_number(intensity.value()) + " flop/byte";
}

std::string show_number(double number) {
  const double size = std::fabs(number);
  if (size >= 1000 || number == std::floor(number)) return fmt::format("{:.0f}", number);
  if (size >= 0.9995 || size == 0) return three_digits(number);
  return fmt::format("{:.3g}", number);
}

std::string show_ratio(double ratio) {
  return fmt::format("{:.{}f}x", ratio, ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string show_percent(double ratio) {
  const double percent = ratio * 100;
  return std::fabs(percent) >= 9.95 ? fmt::format("{:.0f} %", percent)
                                    : fmt::format("{:.1f} %", percent);
}

Result<double> parse_fraction(std::string_view text) {
  const std::string trimmed = trim(text);
  const bool percent = !trimmed.empty() && trimmed.back() == '%';
  auto number = parse_real(percent ? trimmed.substr(0, trimmed.size() - 1) : trimmed);
  if (!number) {
    return usage_error(fmt::format("\"{}\" is not a fraction", text), "", "write 0.95 or 95%");
  }
  return percent ? *number / 100 : *number;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text, "a whole number");
}

Result<double> parse_real(std::string_view text) {
  auto value = parse_whole<double>(text, "a number");
  if (value && !std::isfinite(*value)) {
    return usage_error(fmt::format("\"{}\" is not a finite number", text));
  }
  return value;
}

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  const auto last = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(trim(text.substr(begin, end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, fmt::string_view(separator.data(), separator.size())));
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool begins = !name.empty() && candidate.rfind(name, 0) == 0;
    if (begins || distance <= std::max<std::size_t>(1, candidate.size() / 3)) {
      near.emplace_back(begins ? 0 : distance, candidate);
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    if (names.size() < most) names.push_back(candidate);
  }
  return names;
}

std::string suggest(std::string_view name, const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  if (!near.empty()) return fmt::format("did you mean {}?", join(near, " or "));
  return fmt::format("known: {}", join(known, ", "));
}

}  // namespace roofbeam
