// SPDX-License-Identifier: Apache-2.0
// What more workers can buy: speed-ups by Amdahl's or Gustafson's law. Measures nothing.
#pragma once

#include <vector>

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/base/result.h"

namespace roofbeam {

// A share or number given twice counts once.
struct AmdahlOptions {
  std::vector<double> parallel = {0.5, 0.9, 0.95, 0.99};  // shares, 0 to 1
  std::vector<double> workers = {2, 8, 1000};             // whole numbers, each at least 1
  bool gustafson = false;
};

Result<AmdahlAnswer> amdahl(const AmdahlOptions& options);

}  // namespace roofbeam
