// SPDX-License-Identifier: Apache-2.0
// The one evaluator of breakdowns: how long, what binds, and what an edit of the inputs buys.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "roofbeam/breakdown/breakdown.h"

namespace roofbeam {

// A sum adds its parts' intervals end by end, a max takes the larger ends: exact, since the tree
// only grows with its leaves.
Estimate<Seconds> total(const Breakdown& breakdown);

// The ceilings its charges name.
std::set<std::string> ceilings_in(const Breakdown& breakdown);

// The time one ceiling holds. A sum hands its time to its parts, a max all of it to its largest
// part; charges of one ceiling add.
struct Held {
  std::string ceiling;
  std::string name;  // of the first charge met
  Cause cause = Cause::other;
  Seconds time;
  double share_ratio = 0;  // of the total; 0 where the total is 0
  // Not the largest of its max, but its interval overlaps the largest one's: it might be. Its time
  // is its own and not part of the total.
  bool contender = false;

  bool operator==(const Held&) const = default;
};

// What holds the time, most first; then the contenders. The first entry is *what binds*.
std::vector<Held> held_by(const Breakdown& breakdown);

// total(before) ÷ total(after) for the same machine: a charge stands equally high in its interval
// in both trees wherever it names the same ceiling, so the interval is the range over the corners
// of those ceilings' intervals (for up to kMostCorners ceilings; beyond that, of all together).
constexpr int kMostCorners = 10;
Estimate<double> gain(const Breakdown& before, const Breakdown& after);

}  // namespace roofbeam
