// SPDX-License-Identifier: Apache-2.0
// Two profiles, two results, or a profile and a known device: what differs between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/base/result.h"

namespace roofbeam {

struct CompareOptions {
  std::string a;  // a file, or a known device: its id, or words of its name
  std::string b;
  std::optional<double> fail_below;  // the gain that every figure must have
  bool all = false;                  // also rows that do not differ
  std::vector<std::string> only;     // figures whose names begin so; empty for every one
};

// A threshold that cannot be told makes the answer's standing invalid; one that is missed shows in
// the answer only.
//
// Errors: what is neither a file nor a known device; a file that holds nothing to compare, or
// something else than the other one; that both have no figure in common (cannot_tell).
Result<CompareAnswer> compare(const CompareOptions& options);

}  // namespace roofbeam
