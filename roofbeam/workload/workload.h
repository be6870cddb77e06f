// SPDX-License-Identifier: Apache-2.0
// A plain description of work and of what was observed of it. Readers fill it; models take it. What
// is absent stays absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/cause.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/units.h"
#include "roofbeam/stats/estimate.h"

namespace roofbeam {

// Useful bytes an operation moves from and to one memory.
struct Traffic {
  std::string memory;  // l1, l2, l3, dram, device
  Bytes read;
  Bytes written;

  Bytes total() const { return read + written; }
  bool operator==(const Traffic&) const = default;
};

struct Operation {
  std::string name;   // matmul
  std::string dtype;  // as kernel/data_type.h names it
  Flops flops;        // of one execution
  std::vector<Traffic> traffic;
  Bytes footprint;            // memory it holds at once
  std::int64_t count = 1;     // executions
  std::int64_t launches = 0;  // of one execution, on a device that is launched on
  // fma, add or any: the instructions its flops are made of; empty where that is not known.
  std::string arithmetic = {};
  double waiting_loads = 0;  // of one execution: loads that need what the one before them brought
  double wrong_guesses = 0;  // of one execution: branches guessed wrong
  // It was made so large that all its bytes come from the memory that holds its footprint and from
  // none further in. Else the footprint says only where they lie at first.
  bool stays_put = false;

  Bytes bytes(const std::string& memory) const;
  bool operator==(const Operation&) const = default;
};

struct Wait {
  Cause cause = Cause::other;
  Estimate<Seconds> time;

  bool operator==(const Wait&) const = default;
};

struct Workload {
  std::string name;
  std::vector<Operation> operations;
  std::vector<Wait> waits;
  std::optional<Estimate<Seconds>> observed;  // of the whole workload
  std::vector<Seconds> times = {};            // of the whole workload each; `observed` is not known

  bool operator==(const Workload&) const = default;
};

Json to_json(const Workload& workload);
Result<Workload> workload_from(const Json& json, const std::string& where);

}  // namespace roofbeam
