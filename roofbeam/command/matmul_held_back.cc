// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul_held_back.h"

#include <algorithm>
#include <set>

#include "roofbeam/base/format.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr const char* kWhySet =
    "the results stay right: they were here, on twenty other products too, but hosts set such "
    "variables because some builds are wrong on some CPUs";

bool is_set(const Setting& setting) {
  return !setting.variable.empty();
}

// What is done to the environment: "OPENBLAS_CORETYPE=Zen", "OPENBLAS_CORETYPE unset".
std::string shown(const Setting& setting) {
  if (!is_set(setting)) return "";
  if (setting.value.empty()) return setting.variable + " unset";
  return format("{}={}", setting.variable, setting.value);
}

std::string action_of(const Way& way, const std::string& library_now) {
  const Setting& setting = way.variant.setting;
  if (!is_set(setting)) {
    return format("use {} instead of {}: measured here, just now", way.variant.name, library_now);
  }
  const std::string what = setting.value.empty() ? format("unset {}", setting.variable)
                                                 : format("set {}", shown(setting));
  const std::string instead =
      setting.now.empty() || setting.value.empty() ? "" : format(" instead of {}", setting.now);
  return format("{}{}, so that {} takes other kernels: measured here, just now", what, instead,
                library_now);
}

std::vector<Way> other_ways(const Session& session, const Run& run, const MatmulAnswer& answer) {
  std::vector<Way> ways;
  for (const Setting& setting : run.way.variant.others) {
    ways.push_back(run.way);
    ways.back().variant.setting = setting;
  }
  std::set<std::string> known;
  for (const MatmulPoint& point : answer.points) known.insert(point.library);
  for (const Way& way : ways_to_compute(session.backends, session.device, run.problem)) {
    if (!way.variant.lesson && known.count(way.variant.name) == 0) ways.push_back(way);
  }
  return ways;
}

// The fastest of the ways that beat the first, one with other kernels and one by another library.
std::vector<Way> faster_ways(MatmulAnswer& answer, Session& session, const Run& run,
                             const std::vector<Way>& ways, const Caller& caller) {
  std::optional<FlopRate> now;
  std::optional<std::pair<FlopRate, Way>> kernels;
  std::optional<std::pair<FlopRate, Way>> library;
  for (std::size_t i = 0; i < ways.size() && !caller.stop.requested(); ++i) {
    caller.progress.step("looking for what holds it back", static_cast<int>(i),
                         static_cast<int>(ways.size()));
    MatmulAnswer::Tried tried = try_way(session, run.problem, ways[i], run.threads, caller);
    tried.setting = shown(ways[i].variant.setting);
    answer.looked_at.push_back(tried);
    if (i == 0) now = tried.rate;
    if (i == 0 || !tried.rate || !now || *tried.rate <= *now) continue;
    auto& best = is_set(ways[i].variant.setting) ? kernels : library;
    if (!best || *tried.rate > best->first) best = {*tried.rate, ways[i]};
  }
  std::vector<Way> found;
  for (const auto* best : {&kernels, &library}) {
    if (*best) found.push_back((*best)->second);
  }
  return found;
}

std::vector<Remedy> measured_gains(Session& session, const Run& run, const std::vector<Way>& ways,
                                   const Caller& caller) {
  std::vector<Contestant> contestants = {{run.way.backend, run.problem, run.way.variant}};
  for (const Way& way : ways) contestants.push_back({way.backend, run.problem, way.variant});
  Plan plan;
  plan.stopping = {1, 1000, Seconds(0.2), 0.01};
  const auto results =
      measure_in_turns(session.device, contestants, placement_of(session.device.box, run.threads),
                       plan, caller.stop, caller.progress);
  std::vector<Remedy> remedies;
  const Result<Measurement>& now = results.front();
  if (!now || !now->complete) return remedies;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Result<Measurement>& then = results[i + 1];
    if (!then || !then->complete || !then->check.passed) continue;
    Estimate<Seconds> before = now->time;
    if (now->executed != run.problem.shape) {  // the first rows of one of our loops
      before = scale(
          before, static_cast<double>(run.problem.shape.m) / static_cast<double>(now->executed.m));
    }
    Remedy remedy = measured_remedy(action_of(ways[i], run.way.variant.name), before, then->time);
    if (remedy.gain.low <= 1) continue;
    if (is_set(ways[i].variant.setting)) remedy.assumes = {kWhySet};
    remedies.push_back(std::move(remedy));
  }
  sort_by_gain(remedies);
  return remedies;
}

// What the host has set, where it decides which kernels are used.
void tell_what_is_set(Verdict& verdict, const Variant& used) {
  std::set<std::string> told;
  for (const Setting& setting : used.others) {
    if (setting.now.empty() || !told.insert(setting.variable).second) continue;
    verdict.because.push_back(
        format("{} is set to {} in this environment, and decides which kernels {} uses",
               setting.variable, setting.now, used.name));
  }
}

}  // namespace

void look_for_cause(MatmulAnswer& answer, Session& session, const Run& run, const Caller& caller) {
  Verdict& verdict = answer.verdict;
  if (verdict.standing >= Standing::invalid || 1 / verdict.headroom.value >= kEnoughShare ||
      caller.stop.requested())
    return;
  tell_what_is_set(verdict, run.way.variant);
  std::vector<Way> ways = other_ways(session, run, answer);
  if (ways.empty()) return;
  ways.insert(ways.begin(), run.way);
  const std::vector<Way> faster = faster_ways(answer, session, run, ways, caller);
  std::vector<Remedy> gains;
  if (!faster.empty()) gains = measured_gains(session, run, faster, caller);
  const bool quiet = verdict.bound_by != Cause::cannot_tell;
  if (gains.empty() && quiet && !caller.stop.requested()) {
    verdict.because.push_back(
        "no other kernels and no other library that is here were measured to be faster");
  }
  verdict.remedies.insert(verdict.remedies.begin(), gains.begin(), gains.end());
}

}  // namespace roofbeam
