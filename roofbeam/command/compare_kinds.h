// SPDX-License-Identifier: Apache-2.0
// What `compare` compares: which JSON of ours, and the figures it takes from each. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/hardware/known.h"

namespace roofbeam {

struct Compared {
  CompareAnswer::Side side;
  FigureSet set;
  const KnownDevice* sheet = nullptr;  // instead of a set
};

// By the schema it names, a row each.
struct ComparedKind {
  std::string_view schema;  // without its version
  std::string_view is;      // a profile, a result of matmul
  Result<Compared> (*read)(const Json& json, const std::string& path);
};
const std::vector<ComparedKind>& compared_kinds();

}  // namespace roofbeam
