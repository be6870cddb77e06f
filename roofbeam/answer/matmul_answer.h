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
  // Rows of C that were computed; where they are fewer than m, the time is scaled from theirs.
  std::int64_t rows = 1;
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
  // A library that was tried on a smaller product, or that could not be.
  struct Tried {
    std::string library;
    std::string setting;  // of its environment: "OPENBLAS_CORETYPE=Zen"; empty: as the user set it
    std::optional<FlopRate> rate;
    std::string why_not;  // where it gave no rate

    bool operator==(const Tried&) const = default;
  };
  // How many times as fast point `to` is as point `from`, both by their place in `points`.
  struct Speedup {
    int from = 0;
    int to = 0;
    Estimate<double> ratio;

    bool operator==(const Speedup&) const = default;
  };
  DeviceFacts device;
  std::vector<MatmulPoint> points;
  int judged = 0;                      // the point whose verdict this is; 0 where there is none
  std::vector<Speedup> speedups;       // of points that differ in one thing
  std::vector<std::string> remarks;    // what several points show, a sentence each
  std::vector<NamedCeiling> ceilings;  // the roof the points stand under, each name once
  std::vector<Tried> tried;            // for the choice of the library
  // Other kernels and libraries that were looked at because little of the ceilings is reached; the
  // first is what was used.
  std::vector<Tried> looked_at;
  // For the picture: flop/byte and flop/s along the roof.
  std::vector<std::pair<double, double>> roof_line;
  Verdict verdict;  // of points[judged]
  AnswerState state;

  bool operator==(const MatmulAnswer&) const = default;
};

// Schema roofbeam.matmul/1.
Json to_json(const MatmulAnswer& answer);
Result<MatmulAnswer> matmul_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
