// SPDX-License-Identifier: Apache-2.0
// Options as rows of a table, and what the user gave for them. CLI11 appears only in arguments.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/base/result.h"

namespace roofbeam {

struct OptionRow {
  std::string_view names;  // as typed: "-n" or "-o,--output"; the last one is its key
  std::string_view
      value;  // what follows it: "N", "FILE"; [NAME]: may be left out; empty for a flag
  std::string_view sentence;
};

// What was given, by key without dashes ("n", "output"). A flag holds "".
class Given {
 public:
  void set(const std::string& key, std::string value) { values_[key] = std::move(value); }
  bool has(std::string_view key) const { return values_.find(std::string(key)) != values_.end(); }
  std::string text(std::string_view key, std::string fallback = "") const;
  // Errors name the option.
  Result<std::int64_t> integer(std::string_view key, std::int64_t fallback) const;

  // What stood behind "--", word for word.
  void set_rest(std::vector<std::string> words) { rest_ = std::move(words); }
  const std::vector<std::string>& rest() const { return rest_; }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> rest_;
};

std::string key_of(const OptionRow& row);

// Reads `arguments` (without program and command). Unknown options answer with the nearest ones.
// `rest` is what may stand behind "--", empty where nothing may; then it is no option's business.
Result<Given> read_arguments(const std::string& command, const std::vector<OptionRow>& rows,
                             const std::vector<std::string>& arguments, std::string_view rest = "");

}  // namespace roofbeam
