// SPDX-License-Identifier: Apache-2.0
// Which library computes the product: the one asked for, or the fastest on a smaller product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

struct Choice {
  Way way;
  std::vector<MatmulAnswer::Tried> tried;  // what auto compared
};

// `wanted` is auto or a library's name. Errors name the libraries that can do it, and why others
// are missing.
Result<Choice> choose_library(Session& session, const Problem& problem, const std::string& wanted,
                              const Caller& caller);

// Libraries are tried on the product cut to this in each dimension.
constexpr std::int64_t kTrialSize = 1024;

}  // namespace roofbeam
