// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"

namespace roofbeam {

struct AmdahlAnswer {
  struct Row {
    double p = 0;  // parallel share
    double n = 1;  // workers
    double speedup = 1;

    bool operator==(const Row&) const = default;
  };
  struct Limit {
    double p = 0;
    std::optional<double> limit;  // absent where there is none

    bool operator==(const Limit&) const = default;
  };
  // amdahl: p is a share of the time on one worker; gustafson: of the time on n workers.
  enum class Law { amdahl, gustafson } law = Law::amdahl;
  std::vector<Row> rows;      // every p with every n
  std::vector<Limit> limits;  // every p
  // For the picture: the speed-up over the workers, one curve for each p, which all its rows share.
  std::vector<std::vector<Row>> curves;

  bool operator==(const AmdahlAnswer&) const = default;
};

// Schema roofbeam.amdahl/1.
Json to_json(const AmdahlAnswer& answer);
Result<AmdahlAnswer> amdahl_from(const Json& json, const std::string& where);

}  // namespace roofbeam
