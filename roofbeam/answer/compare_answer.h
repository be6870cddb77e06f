// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/profile/diff.h"

namespace roofbeam {

struct CompareAnswer {
  struct Side {
    std::string source;  // as it was asked for: a file, or the id of a known device
    std::string kind;    // machine, datasheet, matmul
    std::string name;    // of the devices in it

    bool operator==(const Side&) const = default;
  };
  Side a;
  Side b;
  std::vector<Difference> rows;  // those that differ, or every one where that was asked for
  int compared = 0;              // figures on both sides
  int differing = 0;
  std::vector<Diff::Only> only_a;
  std::vector<Diff::Only> only_b;
  std::vector<Diff::Condition> conditions;  // those that differ
  std::optional<Threshold> threshold;       // where one was stated
  AnswerState state;

  bool operator==(const CompareAnswer&) const = default;
};

// Schema roofbeam.compare/1.
Json to_json(const CompareAnswer& answer);
Result<CompareAnswer> compare_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
