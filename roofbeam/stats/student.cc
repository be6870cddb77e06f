// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace roofbeam {

double student_two_sided(double confidence, int degrees) {
  const boost::math::students_t distribution(degrees);
  return boost::math::quantile(distribution, 0.5 + confidence / 2);
}

}  // namespace roofbeam
