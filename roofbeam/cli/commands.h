// SPDX-License-Identifier: Apache-2.0
// Every command: a row each. A row says what it takes and how its options become an answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/json.h"
#include "roofbeam/cli/arguments.h"
#include "roofbeam/command/session.h"
#include "roofbeam/report/document.h"

namespace roofbeam {

// An answer in both its forms.
struct Outcome {
  Json json;
  Document document;
  AnswerState state;
  bool missed = false;  // a stated threshold surely was not met
};

struct CommandRow {
  std::string_view name;
  std::string_view sentence;
  std::vector<OptionRow> options;  // its own; common_options() come on top
  Result<Outcome> (*run)(const Given& given, const Caller& caller);
  std::string_view rest = {};  // what may stand behind "--": CMD; empty: nothing may
};

const std::vector<CommandRow>& commands();
// The one that bare `roofbeam` runs.
const CommandRow& main_job();
const std::vector<OptionRow>& common_options();

}  // namespace roofbeam
