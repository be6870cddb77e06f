// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/compare.h"

#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller&) {
  CompareOptions options;
  if (!given.has("A") || !given.has("B")) {
    return usage_error("two things are needed to compare", "compare",
                       "roofbeam compare before.json after.json");
  }
  options.a = given.text("A");
  options.b = given.text("B");
  options.all = given.has("all");
  if (given.has("only")) options.only = split(given.text("only"), ',');
  if (given.has("fail-below")) {
    auto least = parse_fraction(given.text("fail-below"));
    if (!least) {
      Error error = least.error();
      error.where = "--fail-below";
      return fail(error);
    }
    options.fail_below = *least;
  }
  auto answer = compare(options);
  if (!answer) return fail(answer.error());
  Outcome made = outcome(*answer, answer->state);
  made.missed = answer->threshold && answer->threshold->met == false;
  return made;
}

}  // namespace

CommandRow compare_command() {
  return {"compare",
          "Shows what differs in two profiles or results beyond intervals.",
          {{"A", "FILE", "a profile, a result, or the id of a known device"},
           {"B", "FILE", "what to hold against it"},
           {"--fail-below", "R", "exit 4 where B surely has less than this share of A, as 0.95"},
           {"--only", "LIST", "only figures whose names begin so: compute,gemm.bf16"},
           {"--all", "", "also rows that do not differ"}},
          run};
}

}  // namespace roofbeam
