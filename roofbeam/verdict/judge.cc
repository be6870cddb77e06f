// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/judge.h"

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

void explain_times(const Breakdown& node, std::vector<std::string>& because) {
  if (node.kind == Breakdown::Kind::charge) {
    because.push_back(
        format("{} takes at least {} at {}", node.name, show(node.time.value), node.ceiling));
  }
  for (const Breakdown& part : node.parts) explain_times(part, because);
}

}  // namespace

Verdict judge(const Breakdown& bound, const Estimate<Seconds>& observed,
              const Warnings& disturbances) {
  Verdict verdict;
  verdict.breakdown = bound;
  const Estimate<Seconds> least = total(bound);
  verdict.headroom = observed / least;
  const std::vector<Held> held = held_by(bound);
  const double share = 1 / verdict.headroom.value;
  verdict.because.push_back(format("it took {}, and the ceilings allow {}: {} of what is possible",
                                   show(observed.value), show(least.value), show_percent(share)));
  explain_times(bound, verdict.because);
  if (share < kReachedShare && !disturbances.empty()) {
    verdict.bound_by = Cause::cannot_tell;
    for (const Warning& disturbance : disturbances) {
      verdict.because.push_back(disturbance.text + ": that alone may explain it");
    }
    verdict.because.push_back("a run on a quiet machine would tell");
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
  if (verdict.headroom.high < 1) {
    verdict.standing = Standing::invalid;
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
