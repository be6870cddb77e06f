// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul_choice.h"

#include <algorithm>

#include "roofbeam/base/format.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/suite.h"

namespace roofbeam {
namespace {

Plan trial_plan() {
  Plan plan;
  plan.restarts = 1;
  plan.warm_up = Seconds(0.01);
  plan.stopping = {3, 20, Seconds(0.1), 0.02};
  return plan;
}

Problem cut(Problem problem) {
  problem.shape.m = std::min(problem.shape.m, kTrialSize);
  problem.shape.n = std::min(problem.shape.n, kTrialSize);
  problem.shape.k = std::min(problem.shape.k, kTrialSize);
  return problem;
}

std::vector<std::string> names(const std::vector<Way>& ways) {
  std::vector<std::string> found;
  for (const Way& way : ways) found.push_back(way.variant.name);
  return found;
}

// Why `library` is not among the ways, in a sentence with a hint.
Error absent(const Session& session, const Problem& problem, const std::string& library,
             const std::vector<Way>& ways) {
  for (const auto& backend : session.backends) {
    for (const Missing& missing : backend->missing()) {
      if (missing.what == library) {
        return {ErrorCode::failed, format("{} is not here: {}", library, missing.why), "--library",
                missing.hint};
      }
    }
  }
  std::vector<std::string> known = names(ways);
  known.emplace_back("auto");
  Problem in_f32 = problem;
  in_f32.dtype = DataType::f32;
  for (const Way& way : ways_to_compute(session.backends, session.device, in_f32)) {
    if (way.variant.name != library) continue;
    return {ErrorCode::failed,
            format("{} has no product in {} on this device", library, name(problem.dtype)),
            "--library", format("in {} there are: {}", name(problem.dtype), join(known, ", "))};
  }
  return {ErrorCode::usage, format("\"{}\" is no library", library), "--library",
          suggest(library, known)};
}

}  // namespace

MatmulAnswer::Tried try_way(Session& session, const Problem& problem, const Way& way, int threads,
                            const Caller& caller) {
  const Problem trial = cut(problem);
  auto measured = measure(*way.backend, session.device, trial, way.variant,
                          placement_of(session.device.box, threads), trial_plan(), caller.stop,
                          caller.progress);
  MatmulAnswer::Tried tried{way.variant.name, "", std::nullopt, ""};
  if (!measured) {
    tried.why_not = measured.error().what;
  } else if (!measured->check.passed) {
    tried.why_not = measured->check.complaint;
  } else {
    tried.rate = problem.spec->work(measured->executed, trial.dtype).flops / measured->time.value;
  }
  return tried;
}

std::vector<MatmulAnswer::Tried> libraries_without(const Session& session, const Problem& problem) {
  const std::vector<Way> ways = ways_to_compute(session.backends, session.device, problem);
  const std::vector<std::string> known = names(ways);
  Problem in_f32 = problem;
  in_f32.dtype = DataType::f32;
  std::vector<MatmulAnswer::Tried> without;
  for (const Way& way : ways_to_compute(session.backends, session.device, in_f32)) {
    const std::string& library = way.variant.name;
    if (std::find(known.begin(), known.end(), library) != known.end()) continue;
    without.push_back({library, "", std::nullopt,
                       format("{} has no product in {} on this device", way.variant.sentence,
                              name(problem.dtype))});
  }
  return without;
}

Result<Choice> choose_library(Session& session, const Problem& problem, const std::string& wanted,
                              const Caller& caller) {
  const std::vector<Way> ways = ways_to_compute(session.backends, session.device, problem);
  if (caller.stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  if (wanted != "auto") {
    for (const Way& way : ways) {
      if (way.variant.name == wanted) return Choice{way, {}, ""};
    }
    return fail(absent(session, problem, wanted, ways));
  }
  if (ways.empty()) {
    return failed(format("nothing here computes products in {}", name(problem.dtype)), "--dtype",
                  "`roofbeam devices` lists what can be done");
  }
  std::vector<Way> fast;
  std::copy_if(ways.begin(), ways.end(), std::back_inserter(fast),
               [](const Way& way) { return !way.variant.lesson; });
  if (fast.empty()) {
    const std::string& loop = ways.front().variant.name;
    return Choice{ways.front(), libraries_without(session, problem),
                  format("no library here computes products in {}; the {} loop does, which says "
                         "little of what the hardware can do",
                         name(problem.dtype), loop)};
  }
  if (fast.size() == 1) return Choice{fast.front(), {}, ""};
  Choice choice;
  std::optional<FlopRate> best;
  for (const Way& way : fast) {
    caller.progress.step("trying " + way.variant.name, static_cast<int>(choice.tried.size()),
                         static_cast<int>(fast.size()));
    MatmulAnswer::Tried tried = try_way(session, problem, way, session.threads, caller);
    if (!tried.rate && caller.stop.requested()) {
      return fail({ErrorCode::interrupted, "stopped", "", ""});
    }
    if (tried.rate && (!best || *tried.rate > *best)) {
      best = tried.rate;
      choice.way = way;
    }
    choice.tried.push_back(std::move(tried));
  }
  if (!best) {
    std::vector<std::string> reasons;
    for (const auto& tried : choice.tried) reasons.push_back(tried.library + ": " + tried.why_not);
    return failed("no library gave a right result", "", join(reasons, "; "));
  }
  return choice;
}

}  // namespace roofbeam
