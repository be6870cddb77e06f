// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/model/expected.h"

#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

Error unknown(const Operation& operation, std::string why) {
  return {ErrorCode::cannot_tell, std::move(why), operation.name, ""};
}

}  // namespace

Result<Breakdown> expected_time(const Operation& operation, const Expected& expected) {
  if (operation.arithmetic == kChain) {
    return fail(unknown(
        operation, "each operation waits for the one before it, and no ceiling measures that"));
  }
  Breakdown work = roofline(operation, expected.roof);
  if (operation.arithmetic == kUncounted) {
    return fail(unknown(operation, format("what its arithmetic takes does not follow from its "
                                          "flops; its bytes alone take {}",
                                          show(total(work).value))));
  }
  if (operation.waiting_loads > 0) {
    if (!expected.latency) {
      return fail(unknown(operation, format("{} was not measured", expected.latency_ceiling)));
    }
    work.parts.push_back(
        charge("waiting for loads", Cause::latency, expected.latency_ceiling,
               scale(*expected.latency, operation.waiting_loads / expected.workers)));
  }
  if (!(operation.wrong_guesses > 0)) return work;
  if (!expected.wrong_guess) {
    return fail(unknown(operation, format("{} was not measured", expected.wrong_guess_ceiling)));
  }
  return sum_of(operation.name,
                {std::move(work),
                 charge("wrong guesses", Cause::latency, expected.wrong_guess_ceiling,
                        scale(*expected.wrong_guess, operation.wrong_guesses / expected.workers))});
}

}  // namespace roofbeam
