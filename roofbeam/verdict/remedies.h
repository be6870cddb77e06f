// SPDX-License-Identifier: Apache-2.0
// What could be changed, each a named edit of the inputs; the gain is the model's answer to the
// edited inputs, never a factor written down here. Pure.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/model/roofline.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

// Twice the arithmetic, and twice each memory's bandwidth, for work under a roof. Largest gain
// first.
std::vector<Remedy> roofline_remedies(const Operation& operation, const Roof& roof);

// Doing the same in another data type, whose operation and roof are given.
Remedy other_type_remedy(const Operation& operation, const Roof& roof, const Operation& other,
                         const Roof& other_roof);

// Without the charges of `cause` in `bound`: what a quota or a power limit costs.
Remedy without_cause_remedy(std::string action, const Breakdown& bound, Cause cause);

// What another way to do the same work was measured to gain.
Remedy measured_remedy(std::string action, const Estimate<Seconds>& before,
                       const Estimate<Seconds>& after);

void sort_by_gain(std::vector<Remedy>& remedies);

}  // namespace roofbeam
