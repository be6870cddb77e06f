// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul_runs.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/measure/suite.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kSmallest = 64;  // of a sweep

Plan plan_of(const MatmulOptions& options) {
  Plan plan;
  plan.method = Method::median;
  plan.warm_up = Seconds(0.02);
  plan.batch = Seconds(0.0);  // one execution at a time: each is a sample
  plan.stopping = {1, 1000, Seconds(0.3), 0.005};
  if (options.sweep) {  // many points share about a quarter of a minute
    plan.warm_up = Seconds(0.003);
    plan.stopping = {1, 1000, Seconds(0.04), 0.01};
  }
  if (options.reps > 0) plan.stopping = {options.reps, options.reps, Seconds(1e9), 0};
  return plan;
}

Result<Runs> by_choice(const Choice& choice) {
  Runs found;
  found.tried = choice.tried;
  if (!choice.no_library.empty()) found.warnings.push_back({"unsupported", choice.no_library});
  return found;
}

// One product, or two that differ in their operands alone, in turns.
Result<Runs> one_or_beside(const MatmulOptions& options, const Problem& problem, Session& session,
                           const Caller& caller) {
  auto choice = choose_library(session, problem, options.library, caller);
  if (!choice) return fail(choice.error());
  auto found = by_choice(*choice);
  const Way& way = choice->way;
  std::vector<Contestant> contestants = {{way.backend, problem, way.variant}};
  if (options.constant) {
    contestants.push_back(contestants.front());
    contestants.back().problem.operands = Operands::constant;
  }
  found->planned = static_cast<int>(contestants.size());
  auto measured = measure_in_turns(session.device, contestants,
                                   placement_of(session.device.box, session.threads),
                                   plan_of(options), caller.stop, caller.progress);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i]) {
      found->runs.push_back({contestants[i].problem, way, session.threads, *measured[i]});
    } else if (i == 0 || measured[i].error().code != ErrorCode::interrupted) {
      return fail(measured[i].error());
    } else {
      found->stopped = true;
    }
  }
  return found;
}

// Every library and loop, the fastest first.
Result<Runs> every_library(const MatmulOptions& options, const Problem& problem, Session& session,
                           const Caller& caller) {
  Runs found;
  const std::vector<Way> ways = ways_to_compute(session.backends, session.device, problem);
  found.planned = static_cast<int>(ways.size());
  Error last{ErrorCode::failed, format("nothing here computes products in {}", name(problem.dtype)),
             "--dtype", "`roofbeam devices` lists what can be done"};
  for (const Way& way : ways) {
    auto measured = measure(*way.backend, session.device, problem, way.variant,
                            placement_of(session.device.box, session.threads), plan_of(options),
                            caller.stop, caller.progress);
    if (measured) {
      found.runs.push_back({problem, way, session.threads, *measured});
      continue;
    }
    last = measured.error();
    found.stopped = last.code == ErrorCode::interrupted;
    if (found.stopped) break;
    found.tried.push_back({way.variant.name, "", std::nullopt, last.what});
  }
  if (found.runs.empty()) return fail(last);
  const auto without = libraries_without(session, problem);
  found.tried.insert(found.tried.end(), without.begin(), without.end());
  const auto rate = [](const Run& run) {  // a wrong product is no fast one
    const bool right = run.measured.standing < Standing::invalid;
    const Flops flops = run.problem.spec->work(run.measured.executed, run.problem.dtype).flops;
    return right ? (flops / run.measured.time.value).value() : 0.0;
  };
  std::stable_sort(found.runs.begin(), found.runs.end(),
                   [&](const Run& a, const Run& b) { return rate(a) > rate(b); });
  return found;
}

Result<Runs> sweep(const MatmulOptions& options, const Problem& problem, Session& session,
                   const Caller& caller) {
  auto choice = choose_library(session, problem, options.library, caller);
  if (!choice) return fail(choice.error());
  auto found = by_choice(*choice);
  const std::vector<std::int64_t> sizes = sweep_sizes(problem.shape.n);
  const std::vector<int> counts = sweep_threads(session.threads);
  found->planned = static_cast<int>(sizes.size() * counts.size());
  NoProgress quiet;
  for (const std::int64_t size : sizes) {
    for (const int threads : counts) {
      caller.progress.step(format("n = {} with {}", size, counted(threads, "thread", "threads")),
                           static_cast<int>(found->runs.size()), found->planned);
      Problem sized = problem;
      sized.shape = {size, size, size};
      auto measured =
          measure(*choice->way.backend, session.device, sized, choice->way.variant,
                  placement_of(session.device.box, threads), plan_of(options), caller.stop, quiet);
      if (measured) {
        found->runs.push_back({sized, choice->way, threads, *measured});
      } else if (measured.error().code != ErrorCode::interrupted || found->runs.empty()) {
        return fail(measured.error());
      }
      found->judged = found->runs.size() - 1;
      found->stopped = caller.stop.requested() && std::cmp_less(found->runs.size(), found->planned);
      if (found->stopped) return found;
    }
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> sweep_sizes(std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kSmallest; size < largest; size *= 2) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

std::vector<int> sweep_threads(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

Result<Runs> measured_runs(const MatmulOptions& options, const Problem& problem, Session& session,
                           const Caller& caller) {
  if (options.sweep) return sweep(options, problem, session, caller);
  if (options.library == "all") return every_library(options, problem, session, caller);
  return one_or_beside(options, problem, session, caller);
}

}  // namespace roofbeam
