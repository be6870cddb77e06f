// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/judge.h"

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

// Of several memories at the same time the one that takes longest: the others only repeat it.
const Breakdown* slowest_memory(const Breakdown& node) {
  const Breakdown* slowest = nullptr;
  for (const Breakdown& part : node.parts) {
    const bool memory = part.kind == Breakdown::Kind::charge && part.cause == Cause::bandwidth;
    if (!memory) continue;
    if (slowest == nullptr || part.time.value > slowest->time.value) slowest = &part;
  }
  return slowest;
}

void explain_times(const Breakdown& node, std::vector<std::string>& because) {
  if (node.kind == Breakdown::Kind::charge) {
    because.push_back(
        format("{} takes at least {} at {}", node.name, show(node.time.value), node.ceiling));
  }
  const Breakdown* slowest = node.kind == Breakdown::Kind::max ? slowest_memory(node) : nullptr;
  for (const Breakdown& part : node.parts) {
    const bool repeats = slowest != nullptr && &part != slowest && part.cause == Cause::bandwidth &&
                         part.kind == Breakdown::Kind::charge;
    if (!repeats) explain_times(part, because);
  }
}

bool beaten(const Breakdown& charge, const Estimate<Seconds>& observed) {
  return observed.high < total(charge).low;
}

// `bound` without the traffic that cannot have taken place, since the work was done sooner.
Breakdown without_cached(const Breakdown& bound, const Estimate<Seconds>& observed,
                         std::vector<std::string>& because) {
  Breakdown left = bound;
  left.parts.clear();
  if (bound.kind == Breakdown::Kind::sum) {
    for (const Breakdown& part : bound.parts) {
      left.parts.push_back(without_cached(part, observed, because));
    }
  }
  if (bound.kind != Breakdown::Kind::max) return left;
  for (const Breakdown& part : bound.parts) {
    const bool cached = part.kind == Breakdown::Kind::charge && part.cause == Cause::bandwidth &&
                        beaten(part, observed);
    if (cached) {
      because.push_back(format("{} alone would take {} at {}: most of it was served from a cache",
                               part.name, show(part.time.value), part.ceiling));
    } else {
      left.parts.push_back(part);
    }
  }
  return left.parts.empty() ? bound : left;
}

}  // namespace

Verdict judge(const Breakdown& bound, const Estimate<Seconds>& observed,
              const Warnings& disturbances) {
  Verdict verdict;
  std::vector<std::string> cached;
  verdict.breakdown = without_cached(bound, observed, cached);
  const Estimate<Seconds> least = total(verdict.breakdown);
  verdict.headroom = observed / least;
  const std::vector<Held> held = held_by(verdict.breakdown);
  const double share = 1 / verdict.headroom.value;
  verdict.because.push_back(format("it took {}, and the ceilings allow {}: {} of what is possible",
                                   show(observed.value), show(least.value), show_percent(share)));
  explain_times(verdict.breakdown, verdict.because);
  verdict.because.insert(verdict.because.end(), cached.begin(), cached.end());
  for (const Warning& disturbance : disturbances) {
    verdict.because.push_back(disturbance.text + ", which is in the time it took");
  }
  if (share < kReachedShare && !disturbances.empty()) {
    verdict.bound_by = Cause::cannot_tell;
    verdict.because.push_back("that alone may explain it; a run on a quiet machine would tell");
  } else if (share < kReachedShare) {
    verdict.bound_by = Cause::none_reached;
    verdict.because.push_back(
        "under half of every ceiling is reached, so none of them holds it back: the way it is "
        "computed does");
  } else {
    verdict.bound_by = held.front().cause;
    verdict.bound_level = held.front().ceiling;
    for (const Held& entry : held) {
      if (!entry.contender) continue;
      verdict.because.push_back(format("{} cannot be told from {}: their intervals overlap",
                                       entry.ceiling, held.front().ceiling));
    }
  }
  if (beaten(verdict.breakdown, observed)) {
    verdict.standing = Standing::invalid;
    verdict.bound_by = Cause::cannot_tell;
    verdict.bound_level.clear();
    verdict.warnings.push_back(
        {"above_ceiling",
         format(
             "this is {} of what {} allows, more than the intervals of both explain: the ceiling "
             "was measured too low",
             show_percent(share), held.front().ceiling)});
  }
  return verdict;
}

}  // namespace roofbeam
