// SPDX-License-Identifier: Apache-2.0
// A breakdown held against what was observed: what holds the work back, how far it is from there,
// and what an edit of the inputs would buy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/cause.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/breakdown/breakdown.h"
#include "roofbeam/stats/estimate.h"

namespace roofbeam {

struct Remedy {
  std::string action;     // "do" in JSON
  Estimate<double> gain;  // time before ÷ time after
  std::vector<std::string> assumes;
  std::vector<std::string> excludes;  // remedies that are another way to the same gain

  bool operator==(const Remedy&) const = default;
};

struct Verdict {
  Cause bound_by = Cause::cannot_tell;
  std::string bound_level;    // the ceiling that binds, canonical; empty where none does
  Estimate<double> headroom;  // observed ÷ bound time: 1 is at the ceiling
  std::vector<std::string> because;
  Breakdown breakdown;
  std::vector<Remedy> remedies;  // largest gain first
  Standing standing = Standing::usable;
  Warnings warnings;

  bool operator==(const Verdict&) const = default;
};

// Of what is never below 0, as times, rates and shares are.
Estimate<double> read_estimate(JsonReader& reader, std::string_view key);
Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from(const Json& json, const std::string& where);
Json to_json(const Warnings& warnings);
Result<Warnings> warnings_from(const Json& list, const std::string& where);

}  // namespace roofbeam
