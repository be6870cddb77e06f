// SPDX-License-Identifier: Apache-2.0
// How far another run's median lies from this one's.
#pragma once

namespace roofbeam {

// K with P(|c' − c| <= K · s) = 0.95, where c and s are median and standard deviation of `count`
// independent normal figures, and c' is the median of as many others. count >= 2.
// Up to 20 from the table that tools/next_run_factors computes; above, Student's t · sqrt(π / n),
// which takes the median's variance for what it becomes in the limit and is up to 3 % too wide.
double next_run_factor(int count);

}  // namespace roofbeam
