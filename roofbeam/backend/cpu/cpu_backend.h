// SPDX-License-Identifier: Apache-2.0
// The CPU by our own code: the probes, and the naive and blocked product. A way to compute a kernel
// is a file of its own and a row in rows.cc, chosen by the features the CPU has.
#pragma once

#include <memory>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

struct CpuRow {
  std::string_view kernel;
  DataType dtype;
  std::string_view variant;
  std::string_view feature;  // the CPU must have it; empty for none
  std::string_view sentence;
  bool (*built)();  // whether this build has it
  Result<std::unique_ptr<Job>> (*make)(const Problem& problem, int workers);
};
// For one kernel and type the best row stands first.
const std::vector<CpuRow>& cpu_rows();

std::unique_ptr<Backend> open_cpu_backend(const Device& cpu, const StopToken& stop = {});
// The device this process runs on.
Device cpu_device(Box box);

}  // namespace roofbeam
