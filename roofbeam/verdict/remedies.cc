// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/remedies.h"

#include <algorithm>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

constexpr double kTwice = 2;
constexpr const char* kSameShare = "the same share of the ceilings is reached as now";

// `node` with the charges of `cause` made free.
Breakdown without(const Breakdown& node, Cause cause) {
  Breakdown left = node;
  if (node.kind == Breakdown::Kind::charge && node.cause == cause) {
    left.time = exactly(Seconds(0));
  }
  for (Breakdown& part : left.parts) part = without(part, cause);
  return left;
}

}  // namespace

Remedy without_cause_remedy(std::string action, const Breakdown& bound, Cause cause) {
  return {std::move(action), gain(bound, without(bound, cause)), {kSameShare}, {}};
}

std::vector<Remedy> roofline_remedies(const Operation& operation, const Roof& roof) {
  const Breakdown before = roofline(operation, roof);
  std::vector<Remedy> remedies;
  Roof faster = roof;
  faster.arithmetic = scale(roof.arithmetic, kTwice);
  remedies.push_back({format("twice the arithmetic rate (twice {})", roof.arithmetic_ceiling),
                      gain(before, roofline(operation, faster)),
                      {kSameShare},
                      {}});
  for (std::size_t i = 0; i < roof.memories.size(); ++i) {
    Roof wider = roof;
    wider.memories[i].rate = scale(roof.memories[i].rate, kTwice);
    remedies.push_back({format("twice the memory bandwidth (twice {})", roof.memories[i].ceiling),
                        gain(before, roofline(operation, wider)),
                        {kSameShare},
                        {}});
  }
  sort_by_gain(remedies);
  return remedies;
}

Remedy other_type_remedy(const Operation& operation, const Roof& roof, const Operation& other,
                         const Roof& other_roof) {
  return {format("compute in {} instead of {}", other.dtype, operation.dtype),
          gain(roofline(operation, roof), roofline(other, other_roof)),
          {format("{} is accurate enough for your purpose", other.dtype),
           "a library reaches the same share of its ceiling"},
          {}};
}

Remedy measured_remedy(std::string action, const Estimate<Seconds>& before,
                       const Estimate<Seconds>& after) {
  return {std::move(action), before / after, {}, {}};
}

void sort_by_gain(std::vector<Remedy>& remedies) {
  std::stable_sort(remedies.begin(), remedies.end(),
                   [](const Remedy& a, const Remedy& b) { return a.gain.value > b.gain.value; });
}

}  // namespace roofbeam
