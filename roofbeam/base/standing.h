// SPDX-License-Identifier: Apache-2.0
// How far a result can be trusted, and the warnings that say why.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofbeam {

// In rising order of severity, so that the worst of several is their maximum.
enum class Standing { usable, degraded, invalid, unsupported };

constexpr std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::usable:
      return "usable";
    case Standing::degraded:
      return "degraded";
    case Standing::invalid:
      return "invalid";
    case Standing::unsupported:
      return "unsupported";
  }
  return "invalid";
}

inline std::optional<Standing> standing_from(std::string_view text) {
  for (Standing s :
       {Standing::usable, Standing::degraded, Standing::invalid, Standing::unsupported}) {
    if (name(s) == text) return s;
  }
  return std::nullopt;
}

constexpr Standing worse(Standing a, Standing b) {
  return std::max(a, b);
}

// A stable code for programs and a sentence for people.
struct Warning {
  std::string code;
  std::string text;

  bool operator==(const Warning&) const = default;
};
using Warnings = std::vector<Warning>;

}  // namespace roofbeam
