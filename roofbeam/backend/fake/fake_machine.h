// SPDX-License-Identifier: Apache-2.0
// A machine that does not exist and knows the truth about itself: its ceilings, how well its
// libraries do, and how it disturbs measurements. Read from a small JSON file (`--device
// fake:FILE`).
//
//   {"schema": "roofbeam.fake/1", "name": "…",
//    "recorded": "folder of a recorded machine, relative to this file",
//    "seed": 1,
//    "clock_hz": 4e9,                                       absent: kernels tell of no clock
//    "ceilings": {"compute.f32.fma.core": 1e11, "bandwidth.dram.read.core": 2e10,
//                 "bandwidth.dram.read.all": 4e10, …},      base SI; all = core · cores if absent
//    "libraries": {"onednn": {"share": {"f32": 0.95}, "startup_s": 5e-6, "fault": "wrong"}, …},
//    "noise": {"one_sided": 0.01, "between_runs": 0.003, "slow_clock": 0.93, "slow_share": 0.2,
//              "outlier_share": 0.01, "outlier_factor": 5, "neighbour_share": 0.5,
//              "throttled_share": 0.25, "clock_grain_s": 0}}
//
// A library's share is of min(arithmetic, bytes) of the machine; a fault is one of crash, wrong,
// hang. "constant_speedup": 1.05 makes it that much faster on constant operands. What it does under
// other settings of its environment, "now" being the present one (absent: not set):
//   "others": [{"set": "OPENBLAS_CORETYPE=SkylakeX", "now": "Haswell", "share": {"f32": 0.9},
//               "fault": "wrong"}, …]
//
// Other kernels take the larger of their arithmetic and their bytes, at the access whose mix of
// reading and writing is theirs, else reading and writing one after the other; and overhead.branch
// for each wrong guess. fma_chain takes 16 times as long as the same multiply-adds side by side.
//
// Ceilings have the names of a profile; latency.<memory>[_loaded] and
// overhead.<wake|barrier|branch> are seconds. A stream or chase is in the first cache of which its
// worker's share holds what the worker passes over (its size divided by the workers that may share
// it), else in dram. Where nothing is declared of an access, that of plain stores stands for
// non-temporal ones, and reading for every other access; where nothing is declared of a memory,
// that of the next one outward. So
// {"bandwidth.dram.read.core"} alone is a machine that passes over everything at DRAM's rate.
// Of a hybrid CPU arithmetic may be declared as .pcore and .ecore too: what one such core does.
// A placement with memory on another CPU's node takes bandwidth.dram.<access>.numa<i>-numa<j>, i
// the first worker's node and j that of its memory, where it is declared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/json.h"
#include "roofbeam/hardware/device.h"
#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

struct FakeNoise {
  double one_sided = 0;      // mean of an exponential added to every time, relative
  double between_runs = 0;   // standard deviation of an offset drawn at every prepare, relative
  double slow_clock = 1;     // speed in the slow clock state
  double slow_share = 0;     // share of prepares that are in it
  double outlier_share = 0;  // share of executions that take outlier_factor times as long
  double outlier_factor = 1;
  double neighbour_share = 0;  // of the first worker's CPU, taken in turns of 4 ms
  double throttled_share = 0;  // of every 100 ms, all workers stand still
  double clock_grain_s = 0;    // times are rounded down to multiples of it
};

// A library under another setting of its environment.
struct FakeSetting {
  Setting setting;
  std::map<std::string, double> share;
  std::string fault;
};

struct FakeLibrary {
  std::map<std::string, double> share;  // by data type: of what the ceilings allow
  double startup_s = 0;                 // added to every execution
  std::string fault;                    // empty, or crash, wrong, hang
  double constant_speedup = 1;          // on constant operands
  std::vector<FakeSetting> others = {};
};

struct FakeMachine {
  Device device;
  std::uint64_t seed = 1;
  std::map<std::string, double> ceilings;
  std::map<std::string, FakeLibrary> libraries;
  FakeNoise noise;
  std::optional<double> clock_hz;

  // The declared rate of `stem` (compute.f32.fma) for so many workers; 0 where it declares none.
  double rate(const std::string& stem, int workers) const;
  // The undisturbed time of one execution by one worker on each CPU, at the ceilings; 0 where
  // nothing is declared that it depends on.
  double ideal_time(const Problem& problem, const Placement& placement) const;
};

Result<FakeMachine> read_fake_machine(const std::string& path);

}  // namespace roofbeam
