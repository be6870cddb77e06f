// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/judge.h"

#include <algorithm>
#include <utility>
#include <vector>

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

// Ten runs of one ceiling lie in a band of this width, whatever the intervals of two of them say.
constexpr double kBand = 0.03;

bool beaten(const Breakdown& charge, const Estimate<Seconds>& observed) {
  return observed.high * (1 + kBand) < total(charge).low;
}

// The innermost of the memories that the work was faster than: the charge that takes least.
const Breakdown* nearest_beaten(const std::vector<const Breakdown*>& beaten) {
  const Breakdown* nearest = nullptr;
  for (const Breakdown* charge : beaten) {
    if (nearest == nullptr || charge->time.value < nearest->time.value) nearest = charge;
  }
  return nearest;
}

// `left` and, where it alone would be far from what was seen, the part of the beaten traffic that
// there was time for: the work lies between two memories, and the outer one holds it back.
void add_partly_cached(Breakdown& left, const std::vector<const Breakdown*>& beaten,
                       const Estimate<Seconds>& observed, std::vector<std::string>& because) {
  const Breakdown* nearest = nearest_beaten(beaten);
  const bool other_memory =
      std::any_of(left.parts.begin(), left.parts.end(),
                  [](const Breakdown& part) { return part.cause == Cause::bandwidth; });
  if (nearest == nullptr || !other_memory) return;
  const Seconds inside = total(left).value;
  if (inside >= kReachedShare * observed.value) return;
  const double cached = (nearest->time.value - observed.value) / (nearest->time.value - inside);
  because.push_back(
      format("there was time for only part of it there: about {} of it came from a "
             "cache",
             show_percent(cached)));
  Breakdown part = *nearest;
  part.time = exactly(observed.value);
  left.parts.push_back(std::move(part));
}

// `bound` without the traffic that cannot have taken place, since the work was done sooner.
Breakdown without_cached(const Breakdown& bound, const Estimate<Seconds>& observed,
                         const std::string& inevitable, std::vector<std::string>& because) {
  Breakdown left = bound;
  left.parts.clear();
  if (bound.kind == Breakdown::Kind::sum) {
    for (const Breakdown& part : bound.parts) {
      left.parts.push_back(without_cached(part, observed, inevitable, because));
    }
  }
  if (bound.kind != Breakdown::Kind::max) return left;
  std::vector<const Breakdown*> dropped;
  for (const Breakdown& part : bound.parts) {
    const bool cached = part.kind == Breakdown::Kind::charge && part.cause == Cause::bandwidth &&
                        part.ceiling != inevitable && beaten(part, observed);
    if (cached) {
      because.push_back(format("{} alone would take {} at {}: some of it was served from a cache",
                               part.name, show(part.time.value), part.ceiling));
      dropped.push_back(&part);
    } else {
      left.parts.push_back(part);
    }
  }
  if (left.parts.empty()) return bound;
  add_partly_cached(left, dropped, observed, because);
  return left;
}

}  // namespace

Verdict judge(const Breakdown& bound, const Estimate<Seconds>& observed,
              const Warnings& disturbances, const std::string& inevitable) {
  Verdict verdict;
  std::vector<std::string> cached;
  verdict.breakdown = without_cached(bound, observed, inevitable, cached);
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
