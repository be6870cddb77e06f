// SPDX-License-Identifier: Apache-2.0
// The CPU by our own code: the probes, and the naive and blocked product. An instruction set is a
// file of its own (isa.h) and a row in rows.cc, chosen by the features the CPU has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/backend/cpu/isa.h"
#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

struct IsaRow {
  std::string_view variant;
  std::string_view features;  // the CPU must have them all; separated by spaces, empty for none
  std::string_view sentence;
  IsaTable (*table)();
};
// The best first.
const std::vector<IsaRow>& isa_rows();

// `load`: what each of the other workers is to read in chase_loaded; the rest needs none.
using MakeJob =
    std::function<Result<std::unique_ptr<Job>>(const Problem& problem, int workers, Bytes load)>;

struct CpuRow {
  std::string_view kernel;
  DataType dtype;
  std::string_view variant;
  std::string_view features;
  std::string_view sentence;
  MakeJob make;
};
// What this build has. For one kernel and type the best row stands first.
const std::vector<CpuRow>& cpu_rows();

// Whether all of `needed` (as in IsaRow) are among `features`.
bool has_features(const std::vector<std::string>& features, std::string_view needed);

std::unique_ptr<Backend> open_cpu_backend(const Device& cpu, const StopToken& stop = {});
// The device this process runs on.
Device cpu_device(Box box);

}  // namespace roofbeam
