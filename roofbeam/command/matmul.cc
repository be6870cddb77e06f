// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul.h"

#include <algorithm>

#include "roofbeam/base/format.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/command/matmul_held_back.h"
#include "roofbeam/command/matmul_remarks.h"
#include "roofbeam/command/matmul_runs.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 24;  // keeps every product of sizes exact

Result<Problem> problem_of(const MatmulOptions& options) {
  auto dtype = data_type_from(options.dtype);
  if (!dtype) return fail(dtype.error());
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.dtype = *dtype;
  problem.shape = {options.m == 0 ? options.n : options.m, options.n,
                   options.k == 0 ? options.n : options.k};
  for (auto [size, option] : {std::pair{problem.shape.n, "-n"}, std::pair{problem.shape.m, "-m"},
                              std::pair{problem.shape.k, "-k"}}) {
    if (size < 1 || size > kMostSize) {
      return usage_error(format("{} is no size of a matrix", size), option,
                         format("whole numbers from 1 to {}", kMostSize));
    }
  }
  const auto& types = problem.spec->types;
  if (std::find(types.begin(), types.end(), *dtype) == types.end()) {
    std::vector<std::string> known;
    for (DataType type : types) known.emplace_back(name(type));
    return usage_error(format("products in {} are not measured yet", name(*dtype)), "--dtype",
                       "there are: " + join(known, ", "));
  }
  return problem;
}

Status fits(const Problem& problem, const Device& device) {
  const Bytes needed = problem.work().footprint;
  const Bytes available = device.box.limits.memory_available;
  if (needed <= available) return {};
  return failed(format("three matrices in {} need {}, and {} is available", name(problem.dtype),
                       show_binary(needed), show_binary(available)),
                "-n", "choose a smaller size or a smaller type");
}

// Each of these changes one thing; two at once would be no comparison.
Status only_one_question(const MatmulOptions& options) {
  const bool all = options.library == "all";
  if (options.sweep && options.constant) {
    return usage_error("a sweep is of random operands", "--constant", "leave out one of the two");
  }
  if (all && (options.sweep || options.constant)) {
    return usage_error("every library is compared on one product", "--library",
                       "name one of them, or leave out --sweep and --constant");
  }
  const bool square =
      (options.m == 0 || options.m == options.n) && (options.k == 0 || options.k == options.n);
  if (options.sweep && !square) {
    return usage_error("a sweep is over square products", "--sweep", "leave out -m and -k");
  }
  return {};
}

void add_stop(MatmulAnswer& answer, const Runs& found) {
  if (!found.stopped) return;
  answer.state.complete = false;
  answer.state.standing = worse(answer.state.standing, Standing::degraded);
  answer.state.warnings.insert(answer.state.warnings.begin(),
                               {"incomplete", format("stopped early, after {} of {} products",
                                                     found.runs.size(), found.planned)});
}

}  // namespace

Result<MatmulAnswer> matmul(const MatmulOptions& options, const Caller& caller) {
  if (auto fine = only_one_question(options); !fine) return fail(fine.error());
  auto problem = problem_of(options);
  if (!problem) return fail(problem.error());
  auto session = open_session(options.where, caller.stop);
  if (!session) return fail(session.error());
  if (auto room = fits(*problem, session->device); !room) return fail(room.error());
  if (options.library != "auto" && options.library != "all") {
    // A name that cannot be used is told before anything is measured.
    auto known = choose_library(*session, *problem, options.library, caller);
    if (!known) return fail(known.error());
  }
  auto ceilings = ceilings_of(*session, options.where, caller);
  if (!ceilings) return fail(ceilings.error());
  auto found = measured_runs(options, *problem, *session, caller);
  if (!found) return fail(found.error());

  auto answer = placed(found->runs, found->judged, *session, options.where, *ceilings, caller);
  if (!answer) return answer;
  answer->tried = found->tried;
  auto& warnings = answer->state.warnings;
  warnings.insert(warnings.begin(), found->warnings.begin(), found->warnings.end());
  add_stop(*answer, *found);
  compare_points(*answer);
  look_for_cause(*answer, *session, found->runs[found->judged], caller);
  return answer;
}

}  // namespace roofbeam
