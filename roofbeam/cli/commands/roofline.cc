// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/roofline.h"

#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller& caller) {
  RooflineOptions options;
  if (given.has("only")) options.only = split(given.text("only"), ',');
  if (given.has("memory")) options.memories = split(given.text("memory"), ',');
  if (given.has("dtype")) options.dtypes = split(given.text("dtype"), ',');
  auto where = device_options(given);
  if (!where) return fail(where.error());
  options.where = *where;
  auto answer = roofline_points(options, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->state);
}

}  // namespace

CommandRow roofline_command() {
  return {"roofline", "Places the standard kernels under the roof, predicted and measured.",
          with_device({{"--only", "LIST", "only kernels whose names begin so: add,matrix"},
                       {"--memory", "LIST", "only with their data in these: l1,l2,l3,dram"},
                       {"--dtype", "LIST", "only of these types: f32,bf16"}}),
          run};
}

}  // namespace roofbeam
