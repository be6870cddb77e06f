// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/core_kinds.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// hwloc ignores the same share between highest clocks.
constexpr double kAlike = 0.9;
constexpr std::size_t kMostWords = 2048;  // CPUs to 65535
// hwloc makes one for every clock it finds; more than this are no machine's.
constexpr std::size_t kMostStatements = 1024;
constexpr const char* kNames[] = {"performance", "middle", "efficient", "low-power"};

bool covers(const KindStatement& statement, const Core& core) {
  return std::any_of(core.pus.begin(), core.pus.end(), [&](int pu) {
    return std::binary_search(statement.cpus.begin(), statement.cpus.end(), pu);
  });
}

const KindStatement* statement_of(const std::vector<KindStatement>& statements, const Core& core) {
  const auto found = std::find_if(statements.begin(), statements.end(),
                                  [&](const auto& statement) { return covers(statement, core); });
  return found == statements.end() ? nullptr : &*found;
}

double clock_of(const KindStatement& statement) {
  return statement.clock_max.value_or(Hertz(0)).value();
}

std::optional<double> efficiency(const KindStatement& statement) {
  return statement.efficiency;
}
std::optional<double> capacity(const KindStatement& statement) {
  return statement.capacity;
}
std::optional<double> highest_clock(const KindStatement& statement) {
  if (!statement.clock_max) return std::nullopt;
  return statement.clock_max->value();
}

using Figure = std::optional<double> (*)(const KindStatement&);

// One for each statement; empty where one does not state it.
std::vector<double> figures(const std::vector<KindStatement>& statements, Figure figure) {
  std::vector<double> values;
  for (const KindStatement& statement : statements) {
    if (const auto value = figure(statement)) values.push_back(*value);
  }
  return values.size() == statements.size() ? values : std::vector<double>{};
}

std::vector<std::string> names_by_type(const std::vector<KindStatement>& statements) {
  double fastest = 0.0;
  for (const KindStatement& statement : statements) {
    if (statement.type == "IntelAtom") fastest = std::max(fastest, clock_of(statement));
  }
  std::vector<std::string> names;
  for (const KindStatement& statement : statements) {
    if (statement.type == "IntelCore") {
      names.emplace_back("performance");
    } else if (statement.type == "IntelAtom" && clock_of(statement) >= kAlike * fastest) {
      names.emplace_back("efficient");
    } else if (statement.type == "IntelAtom" || statement.type == "IntelLowPower") {
      names.emplace_back("low-power");
    } else {
      return {};
    }
  }
  return names;
}

std::vector<std::string> names_by_figure(const std::vector<KindStatement>& statements) {
  std::vector<std::string> names(statements.size(), "performance");
  for (const Figure figure : {efficiency, capacity, highest_clock}) {
    const std::vector<double> values = figures(statements, figure);
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*least >= kAlike * *most) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= kAlike * *most) continue;
      names[i] = kAlike * values[i] <= *least ? "efficient" : "middle";
    }
    break;
  }
  return names;
}

void keep_larger(std::optional<Hertz>& kept, const std::optional<Hertz>& other) {
  if (other && (!kept || *other > *kept)) kept = other;
}

}  // namespace

void set_kinds(Topology& topology, std::vector<KindStatement> statements) {
  if (statements.size() > kMostStatements) return;
  statements.erase(std::remove_if(statements.begin(), statements.end(),
                                  [&](const KindStatement& statement) {
                                    return std::none_of(
                                        topology.cores.begin(), topology.cores.end(),
                                        [&](const Core& core) { return covers(statement, core); });
                                  }),
                   statements.end());
  if (statements.empty()) return;
  for (const Core& core : topology.cores) {
    if (statement_of(statements, core) == nullptr) return;
  }
  std::vector<std::string> names = names_by_type(statements);
  if (names.empty()) names = names_by_figure(statements);
  const bool alike = std::all_of(names.begin(), names.end(),
                                 [&](const std::string& name) { return name == names.front(); });
  std::vector<CoreKind> kinds;
  for (const char* name : kNames) {
    CoreKind kind{alike ? "" : name, 0, {}, {}};
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (names[i] != name) continue;
      keep_larger(kind.clock_base, statements[i].clock_base);
      keep_larger(kind.clock_max, statements[i].clock_max);
    }
    for (Core& core : topology.cores) {
      const auto place = static_cast<std::size_t>(statement_of(statements, core) - &statements[0]);
      if (names[place] != name) continue;
      core.kind = kind.name;
      ++kind.cores;
    }
    const bool says_something = !alike || kind.clock_base || kind.clock_max;
    if (kind.cores > 0 && says_something) kinds.push_back(std::move(kind));
  }
  topology.kinds = std::move(kinds);
}

std::optional<std::vector<int>> parse_cpu_mask(std::string_view text) {
  const std::vector<std::string> words = split(text, ',');
  if (words.size() > kMostWords) return std::nullopt;
  std::vector<int> cpus;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[words.size() - 1 - i];
    if (word.empty() && words.size() > 1) continue;
    if (word.substr(0, 2) != "0x") return std::nullopt;
    word.remove_prefix(2);
    std::uint32_t bits = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
    for (int bit = 0; bit < 32; ++bit) {
      if (((bits >> bit) & 1U) != 0) cpus.push_back(static_cast<int>(i) * 32 + bit);
    }
  }
  if (cpus.empty()) return std::nullopt;
  return cpus;
}

}  // namespace roofbeam
