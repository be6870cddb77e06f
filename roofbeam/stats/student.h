// SPDX-License-Identifier: Apache-2.0
// Quantiles of Student's t (Boost.Math appears only in student.cc).
#pragma once

namespace roofbeam {

// The two-sided quantile: P(|T| <= t) = confidence for T with `degrees` degrees of freedom (>= 1).
double student_two_sided(double confidence, int degrees);

}  // namespace roofbeam
