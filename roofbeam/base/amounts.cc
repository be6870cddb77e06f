// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/amounts.h"

#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kPrefixes = {Unit{"", 1},     Unit{"k", 1e3}, Unit{"K", 1e3},
                                  Unit{"M", 1e6},  Unit{"G", 1e9}, Unit{"T", 1e12},
                                  Unit{"P", 1e15}, Unit{"E", 1e18}};
constexpr std::array kBinary = {Unit{"Ki", 0x1p10}, Unit{"Mi", 0x1p20}, Unit{"Gi", 0x1p30},
                                Unit{"Ti", 0x1p40}, Unit{"Pi", 0x1p50}};
constexpr std::array kTimes = {Unit{"", 1},      Unit{"s", 1},     Unit{"ms", 1e-3},
                               Unit{"us", 1e-6}, Unit{"µs", 1e-6}, Unit{"ns", 1e-9},
                               Unit{"min", 60},  Unit{"h", 3600}};

template <std::size_t N>
std::optional<double> factor_of(std::string_view unit, const std::array<Unit, N>& units) {
  for (const Unit& row : units) {
    if (row.name == unit) return row.factor;
  }
  return std::nullopt;
}

// Takes `end` off, in any case of letters.
bool drop_end(std::string_view& text, std::string_view end) {
  if (text.size() < end.size()) return false;
  const std::string_view tail = text.substr(text.size() - end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(tail[i])) != end[i]) return false;
  }
  text.remove_suffix(end.size());
  return true;
}

struct Parts {
  double number = 0;
  std::string unit;
};

// "1e9" is a number and "1E" is one with a prefix: the exponent needs a digit behind it.
std::size_t end_of_number(std::string_view text) {
  std::size_t i = 0;
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  while (digit(i) || (i < text.size() && text[i] == '.')) ++i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const bool sign = i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+');
    if (digit(i + (sign ? 2 : 1))) {
      i += sign ? 2 : 1;
      while (digit(i)) ++i;
    }
  }
  return i;
}

// `what` with its article: "a time".
Result<Parts> parts_of(std::string_view given, const char* what, const char* hint) {
  const std::string text = trim(given);
  const std::size_t end = end_of_number(text);
  auto number = parse_real(std::string_view(text).substr(0, end));
  if (!number) return usage_error(format("\"{}\" is not {}", given, what), "", hint);
  if (*number < 0) {
    return usage_error(format("\"{}\" is below 0, and {} never is", given, what), "", hint);
  }
  return Parts{*number, trim(std::string_view(text).substr(end))};
}

Result<double> product(const Parts& parts, std::optional<double> factor, std::string_view given,
                       const char* what, const char* hint) {
  const double value = parts.number * factor.value_or(NAN);
  if (factor && std::isfinite(value)) return value;
  if (factor) return usage_error(format("\"{}\" is too large", given), "", hint);
  return usage_error(format("\"{}\" is no unit of {}", parts.unit, what), "", hint);
}

constexpr const char* kCountHint = "a number with k, M, G, T, P or E behind it, or none: 2.1T";
constexpr const char* kBytesHint = "KB MB GB TB are powers of 1000, KiB MiB GiB of 1024: 3.4GB";
constexpr const char* kTimeHint = "ns us ms s min h: 12ms";

}  // namespace

Result<double> parse_count(std::string_view text) {
  auto parts = parts_of(text, "a count", kCountHint);
  if (!parts) return fail(parts.error());
  return product(*parts, factor_of(parts->unit, kPrefixes), text, "a count", kCountHint);
}

Result<Flops> parse_flops(std::string_view text) {
  auto parts = parts_of(text, "an amount of flops", kCountHint);
  if (!parts) return fail(parts.error());
  std::string_view unit = parts->unit;
  // Integer work is counted in operations: 2.1TOP.
  if (!drop_end(unit, "flops") && !drop_end(unit, "flop") && !drop_end(unit, "ops")) {
    drop_end(unit, "op");
  }
  auto value = product(*parts, factor_of(unit, kPrefixes), text, "an amount of flops", kCountHint);
  if (!value) return fail(value.error());
  return Flops(*value);
}

Result<Bytes> parse_bytes(std::string_view text) {
  auto parts = parts_of(text, "an amount of bytes", kBytesHint);
  if (!parts) return fail(parts.error());
  std::string_view unit = parts->unit;
  if (!drop_end(unit, "bytes") && !drop_end(unit, "byte")) drop_end(unit, "b");
  auto factor = factor_of(unit, kPrefixes);
  if (!factor) factor = factor_of(unit, kBinary);
  auto value = product(*parts, factor, text, "an amount of bytes", kBytesHint);
  if (!value) return fail(value.error());
  return Bytes(*value);
}

Result<Seconds> parse_seconds(std::string_view text) {
  auto parts = parts_of(text, "a time", kTimeHint);
  if (!parts) return fail(parts.error());
  auto value = product(*parts, factor_of(parts->unit, kTimes), text, "a time", kTimeHint);
  if (!value) return fail(value.error());
  return Seconds(*value);
}

}  // namespace roofbeam
