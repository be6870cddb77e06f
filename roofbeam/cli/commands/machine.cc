// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/machine.h"

#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller& caller) {
  MachineOptions options;
  if (given.has("quick") && given.has("thorough")) {
    return usage_error("--quick and --thorough are two different wishes", "machine",
                       "give one of them, or neither for what lies between");
  }
  if (given.has("quick")) options.effort = Effort::quick;
  if (given.has("thorough")) options.effort = Effort::thorough;
  options.device = given.text("device");
  options.profile = given.text("profile");
  if (given.has("profile")) {
    if (options.profile.empty()) return usage_error("an empty file name", "--profile");
    for (const char* other : {"quick", "thorough", "device", "only"}) {
      if (!given.has(other)) continue;
      return usage_error(format("--profile shows what was measured, so --{} means nothing", other),
                         "machine", "leave one of them out");
    }
  }
  if (given.has("only")) options.only = split(given.text("only"), ',');
  if (given.has("beside")) options.beside = split(given.text("beside"), ',');
  auto answer = machine(options, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->state);
}

}  // namespace

CommandRow machine_command() {
  return {"machine",
          "Measures the ceilings of this machine, shows its roof, saves them.",
          {{"--quick", "", "only what verdicts need, about 10 s"},
           {"--thorough", "", "more of everything, and what only few ask for"},
           {"--device", "D", "only this one: cpu, or fake:FILE (all)"},
           {"--only", "LIST", "only ceilings whose names begin so: compute.f32,bandwidth.dram"},
           {"--beside", "NAMES", "known devices to set beside it: h100-sxm,rtx-4090"},
           {"--profile", "FILE", "show the ceilings in this file and measure nothing"}},
          run};
}

}  // namespace roofbeam
