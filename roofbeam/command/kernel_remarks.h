// SPDX-License-Identifier: Apache-2.0
// What points show when they are set beside each other, in words with the figures in them. Pure.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/answer/point.h"

namespace roofbeam {

// A sentence for each lesson that these points hold; none where its points are not among them.
std::vector<std::string> remarks_on(const std::vector<Point>& points);

}  // namespace roofbeam
