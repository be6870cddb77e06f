// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/devices.h"

#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller& caller) {
  DevicesOptions options;
  options.device = given.text("device");
  if (given.has("known")) options.known = given.text("known");
  auto answer = devices(options, caller.stop);
  if (!answer) return fail(answer.error());
  return outcome(*answer);
}

}  // namespace

CommandRow devices_command() {
  return {"devices",
          "Shows what is here, what this process may use, what can be computed.",
          {{"--device", "D", "only this one (all)"},
           {"--known", "[NAME]", "data sheets instead, of all or of those named"}},
          run};
}

}  // namespace roofbeam
