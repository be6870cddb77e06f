// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/breakdown/evaluate.h"

#include <algorithm>
#include <map>

namespace roofbeam {
namespace {

// Where in its interval each ceiling's charges stand: false low, true high; absent the value
// itself.
using Corner = std::map<std::string, bool>;

double at_corner(const Breakdown& node, const Corner& corner) {
  if (node.kind == Breakdown::Kind::charge) {
    const auto found = corner.find(node.ceiling);
    if (found == corner.end()) return node.time.value.value();
    return (found->second ? node.time.high : node.time.low).value();
  }
  double result = 0;
  for (const Breakdown& part : node.parts) {
    const double time = at_corner(part, corner);
    result = node.kind == Breakdown::Kind::sum ? result + time : std::max(result, time);
  }
  return result;
}

void collect_ceilings(const Breakdown& node, std::set<std::string>& ceilings) {
  if (node.kind == Breakdown::Kind::charge) ceilings.insert(node.ceiling);
  for (const Breakdown& part : node.parts) collect_ceilings(part, ceilings);
}

void hand_down(const Breakdown& node, bool contender, std::vector<Held>& held) {
  if (node.kind == Breakdown::Kind::charge) {
    for (Held& entry : held) {
      if (entry.ceiling == node.ceiling && entry.contender == contender) {
        entry.time += node.time.value;
        return;
      }
    }
    held.push_back({node.ceiling, node.name, node.cause, node.time.value, 0, contender});
    return;
  }
  if (node.kind == Breakdown::Kind::sum) {
    for (const Breakdown& part : node.parts) hand_down(part, contender, held);
    return;
  }
  std::size_t largest = 0;
  std::vector<Estimate<Seconds>> times;
  for (const Breakdown& part : node.parts) {
    times.push_back(total(part));
    if (times.back().value > times[largest].value) largest = times.size() - 1;
  }
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    if (i == largest) {
      hand_down(node.parts[i], contender, held);
    } else if (times[i].value > Seconds(0) && overlap(times[i], times[largest])) {
      hand_down(node.parts[i], true, held);
    }
  }
}

}  // namespace

Estimate<Seconds> total(const Breakdown& node) {
  if (node.kind == Breakdown::Kind::charge) return node.time;
  Estimate<Seconds> result = total(node.parts.front());
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    const Estimate<Seconds> part = total(node.parts[i]);
    result = node.kind == Breakdown::Kind::sum ? result + part : larger(result, part);
  }
  return result;
}

std::vector<Held> held_by(const Breakdown& breakdown) {
  std::vector<Held> held;
  hand_down(breakdown, false, held);
  const double whole = total(breakdown).value.value();
  for (Held& entry : held) {
    if (whole > 0 && !entry.contender) entry.share_ratio = entry.time.value() / whole;
  }
  std::stable_sort(held.begin(), held.end(), [](const Held& a, const Held& b) {
    return a.contender != b.contender ? b.contender : a.time > b.time;
  });
  return held;
}

std::set<std::string> ceilings_in(const Breakdown& breakdown) {
  std::set<std::string> ceilings;
  collect_ceilings(breakdown, ceilings);
  return ceilings;
}

Estimate<double> gain(const Breakdown& before, const Breakdown& after) {
  std::set<std::string> ceilings = ceilings_in(before);
  ceilings.merge(ceilings_in(after));
  const std::vector<std::string> names(ceilings.begin(), ceilings.end());
  const bool all_together = names.size() > static_cast<std::size_t>(kMostCorners);
  const std::size_t corners = all_together ? 2 : std::size_t{1} << names.size();
  const double value = at_corner(before, {}) / at_corner(after, {});
  Estimate<double> result{value, value, value,
                          detail::fewer(total(before).samples, total(after).samples),
                          Method::predicted};
  for (std::size_t bits = 0; bits < corners; ++bits) {
    Corner corner;
    for (std::size_t i = 0; i < names.size(); ++i) {
      corner[names[i]] = all_together ? bits != 0 : ((bits >> i) & 1U) != 0;
    }
    const double ratio = at_corner(before, corner) / at_corner(after, corner);
    result.low = std::min(result.low, ratio);
    result.high = std::max(result.high, ratio);
  }
  return result;
}

}  // namespace roofbeam
