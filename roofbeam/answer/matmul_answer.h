// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/stats/estimate.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

struct MatmulPoint {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::string dtype;
  std::string device;
  std::string library;
  int threads = 1;
  int reps = 0;    // timed executions, of all rounds
  int rounds = 0;  // re-initialisations
  bool constant = false;
  Estimate<Seconds> time;
  Estimate<FlopRate> rate;
  std::string ceiling;  // canonical name of the arithmetic ceiling
  Estimate<double> share_of_ceiling;
  Intensity intensity;  // each operand read once, the result written once
  Cause bound_by = Cause::cannot_tell;
  std::optional<bool> check_passed;  // absent where nothing was compared; check_how says why
  std::string check_how;

  bool operator==(const MatmulPoint&) const = default;
};

struct MatmulAnswer {
  // Another library that was tried for the choice, on a smaller product.
  struct Tried {
    std::string library;
    std::optional<FlopRate> rate;
    std::string why_not;  // where it gave no rate

    bool operator==(const Tried&) const = default;
  };
  struct NamedCeiling {
    std::string name;
    std::string unit;  // flop_per_s or bytes_per_s
    Estimate<double> value;

    bool operator==(const NamedCeiling&) const = default;
  };
  DeviceFacts device;
  std::vector<MatmulPoint> points;
  std::vector<NamedCeiling> ceilings;  // the roof the points stand under, each name once
  std::vector<Tried> tried;
  // For the picture: flop/byte and flop/s along the roof.
  std::vector<std::pair<double, double>> roof_line;
  Verdict verdict;  // of the last point
  AnswerState state;

  bool operator==(const MatmulAnswer&) const = default;
};

// Schema roofbeam.matmul/1.
Json to_json(const MatmulAnswer& answer);
Result<MatmulAnswer> matmul_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
