// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul.h"

#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Result<Outcome> run(const Given& given, const Caller& caller) {
  MatmulOptions options;
  auto n = given.integer("n", options.n);
  if (!n) return fail(n.error());
  // Zero means "as n" inside; typed by a user it is a size like any other, and refused.
  auto m = given.integer("m", *n);
  if (!m) return fail(m.error());
  auto k = given.integer("k", *n);
  if (!k) return fail(k.error());
  for (auto [size, name] : {std::pair{*n, "-n"}, std::pair{*m, "-m"}, std::pair{*k, "-k"}}) {
    if (size < 1) return usage_error(format("{} is no size of a matrix", size), name, "1 or more");
  }
  auto reps = given.integer("reps", 0);
  if (!reps) return fail(reps.error());
  if (given.has("reps") && (*reps < 1 || *reps > 100000)) {
    return usage_error(format("{} is no number of repetitions", *reps), "--reps", "1 to 100000");
  }
  auto where = device_options(given);
  if (!where) return fail(where.error());
  options.n = *n;
  options.m = *m;
  options.k = *k;
  options.dtype = given.text("dtype", options.dtype);
  options.library = given.text("library", options.library);
  options.reps = static_cast<int>(*reps);
  options.constant = given.has("constant");
  options.sweep = given.has("sweep");
  options.where = *where;
  auto answer = matmul(options, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->state);
}

}  // namespace

CommandRow matmul_command() {
  return {"matmul", "Measures a matrix product and says which ceiling holds it back.",
          with_device(
              {{"-n", "N", "columns of B and C, and the default of -m and -k (2048)"},
               {"-m", "M", "rows of A and C"},
               {"-k", "K", "columns of A, rows of B: the length of each dot product"},
               {"--dtype", "T", "f64, f32, bf16, f16 or int8 (f32)"},
               {"--library", "NAME", "auto (the fastest), onednn, openblas, blocked, naive or all"},
               {"--reps", "R", "timed products in each of the five rounds (until narrow)"},
               {"--constant", "", "constant operands beside random ones"},
               {"--sweep", "", "sizes from 64 to N, each with 1, 2, 4 ... threads"}}),
          run};
}

}  // namespace roofbeam
