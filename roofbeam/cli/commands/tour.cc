// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/tour.h"

#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller& caller) {
  auto where = device_options(given);
  if (!where) return fail(where.error());
  auto answer = tour(*where, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->placed.state);
}

}  // namespace

CommandRow tour_command() {
  return {"tour", "Shows the roof, predicts a few kernels from it, and measures them.",
          with_device({}), run};
}

}  // namespace roofbeam
