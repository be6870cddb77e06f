// SPDX-License-Identifier: Apache-2.0
// How long work is expected to take: the roofline from sustained rates, with what its loads wait
// for beside it and its wrong guesses after it. Pure. docs/methods/prediction.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofbeam/base/result.h"
#include "roofbeam/model/roofline.h"

namespace roofbeam {

// Values of Operation::arithmetic beside the instructions.
constexpr std::string_view kProduct = "product";  // by a library: its own ceiling is known
constexpr std::string_view kChain = "chain";      // each operation needs the one before it
constexpr std::string_view kUncounted =
    "uncounted";  // its flops do not say what its arithmetic takes

// How far well-written code lies from its ceilings, either way, 19 times in 20: the spread of
// measured ÷ predicted of the rows that docs/methods/prediction.md names, as a factor.
constexpr double kSpread = 1.4;

struct Expected {
  Roof roof;        // sustained rates
  int workers = 1;  // that share the waits
  std::string latency_ceiling;
  std::optional<Estimate<Seconds>> latency;  // of a waiting load where the data lies
  std::string wrong_guess_ceiling = "overhead.branch";
  std::optional<Estimate<Seconds>> wrong_guess;
};

// max(arithmetic, bytes, waiting loads · latency) + wrong guesses · their cost, both shared out
// over the workers, of whom each waits for itself. Error cannot_tell where nothing that was
// measured says how long: a chain, arithmetic that is not counted, waits without their ceiling.
Result<Breakdown> expected_time(const Operation& operation, const Expected& expected);

}  // namespace roofbeam
