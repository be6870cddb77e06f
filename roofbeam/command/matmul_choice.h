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
  std::string
      no_library;  // why one of our loops computes it, though auto was asked for; else empty
};

// `wanted` is auto or a library's name. Errors name the libraries that can do it, and why others
// are missing.
Result<Choice> choose_library(Session& session, const Problem& problem, const std::string& wanted,
                              const Caller& caller);

// Libraries are tried on the product cut to this in each dimension.
constexpr std::int64_t kTrialSize = 1024;

// One quick look at a way. After a stop there is no rate.
MatmulAnswer::Tried try_way(Session& session, const Problem& problem, const Way& way, int threads,
                            const Caller& caller);

// The libraries that compute products in f32 here but none in the problem's type, and why.
std::vector<MatmulAnswer::Tried> libraries_without(const Session& session, const Problem& problem);

}  // namespace roofbeam
