// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/amdahl.h"

#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller&) {
  AmdahlOptions options;
  auto parallel = numbers(given, "p", options.parallel, parse_fraction);
  if (!parallel) return fail(parallel.error());
  auto workers = numbers(given, "N", options.workers, parse_real);
  if (!workers) return fail(workers.error());
  options.parallel = *parallel;
  options.workers = *workers;
  options.gustafson = given.has("gustafson");
  auto answer = amdahl(options);
  if (!answer) return fail(answer.error());
  return outcome(*answer);
}

}  // namespace

CommandRow amdahl_command() {
  return {"amdahl",
          "Shows what more workers buy when only a share of work is parallel.",
          {{"-p", "LIST", "parallel shares, as 0.95 or 95% (0.5,0.9,0.95,0.99)"},
           {"-N", "LIST", "numbers of workers (2,8,1000)"},
           {"--gustafson", "", "let the problem grow with the workers (Gustafson's law)"}},
          run};
}

}  // namespace roofbeam
