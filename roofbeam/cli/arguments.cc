// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct Binding {
  std::string key;
  bool flag = false;
  std::string value;
  bool raised = false;
  CLI::Option* option = nullptr;
};

std::vector<std::string> known_names(const std::vector<OptionRow>& rows) {
  std::vector<std::string> names;
  for (const OptionRow& row : rows) {
    for (const std::string& name : split(row.names, ',')) names.push_back(name);
  }
  return names;
}

Error unexpected(const std::string& command, const std::vector<OptionRow>& rows,
                 const std::string& argument) {
  const std::string unknown = split(argument, '=').front();
  if (unknown.rfind('-', 0) == 0) {
    return {ErrorCode::usage, format("there is no option {}", unknown), command,
            suggest(unknown, known_names(rows))};
  }
  return {ErrorCode::usage, format("\"{}\" is too much here", unknown), command,
          format("`roofbeam {} --help` shows what it takes", command)};
}

// CLI11's complaints in our words: what, where, and what to try.
Error explained(const std::string& command, const CLI::ParseError& error) {
  std::string what = error.what();
  // "-n: 1 required TEXT missing"
  if (const auto at = what.find(": 1 required"); at != std::string::npos) {
    what = what.substr(0, at) + " needs a value behind it";
  }
  return {ErrorCode::usage, what, command,
          format("`roofbeam {} --help` shows the options", command)};
}

}  // namespace

std::string Given::text(std::string_view key, std::string fallback) const {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) return fallback;
  return found->second;
}

Result<std::int64_t> Given::integer(std::string_view key, std::int64_t fallback) const {
  if (!has(key)) return fallback;
  auto value = parse_integer(text(key));
  if (!value) {
    Error error = value.error();
    const char* dashes = key.size() == 1 ? "-" : "--";
    error.where = format("{}{}", dashes, key);
    error.hint = format("write a number behind it: {}{} 100", dashes, key);
    return fail(error);
  }
  return *value;
}

std::string key_of(const OptionRow& row) {
  const std::string name = split(row.names, ',').back();
  return name.substr(name.find_first_not_of('-'));
}

Result<Given> read_arguments(const std::string& command, const std::vector<OptionRow>& rows,
                             const std::vector<std::string>& all, std::string_view rest) {
  const auto dashes = std::find(all.begin(), all.end(), "--");
  const std::vector<std::string> arguments(all.begin(), dashes);
  std::vector<std::string> behind(dashes == all.end() ? dashes : dashes + 1, all.end());
  if (dashes != all.end() && rest.empty()) {
    return usage_error("nothing may stand behind --", command,
                       format("`roofbeam {} --help` shows what it takes", command));
  }
  if (dashes != all.end() && behind.empty()) {
    return usage_error(format("-- needs a {} behind it", rest), command,
                       format("roofbeam {} -- ./program", command));
  }
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(true);
  std::vector<std::unique_ptr<Binding>> bindings;
  for (const OptionRow& row : rows) {
    bindings.push_back(std::make_unique<Binding>());
    Binding& binding = *bindings.back();
    binding.key = key_of(row);
    binding.flag = row.value.empty();
    if (binding.flag) {
      binding.option = app.add_flag(std::string(row.names), binding.raised);
    } else {
      binding.option = app.add_option(std::string(row.names), binding.value)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      if (row.value.front() == '[') binding.option->expected(0, 1);
    }
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(explained(command, error));
  } catch (const std::exception& error) {
    return usage_error(error.what(), command);
  }
  if (const auto left = app.remaining(); !left.empty()) {
    return fail(unexpected(command, rows, left.front()));
  }
  Given given;
  given.set_rest(std::move(behind));
  for (const auto& binding : bindings) {
    const bool there = binding->flag ? binding->raised : binding->option->count() > 0;
    if (there) given.set(binding->key, binding->value);
  }
  return given;
}

}  // namespace roofbeam
