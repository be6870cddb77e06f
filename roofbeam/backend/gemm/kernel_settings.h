// SPDX-License-Identifier: Apache-2.0
// Which kernels a library uses follows from the CPU it finds, unless a variable of its own says
// otherwise: then it may be held back, or it was set because some builds compute wrong results on
// some CPUs. Which settings are worth trying here is a table; whether they are right is proved in
// the worker that would use them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/backend/gemm/library_process.h"

namespace roofbeam {

struct KernelSetting {
  std::string_view library;
  std::string_view variable;
  std::string_view value;     // empty: not set
  std::string_view features;  // the CPU must have them all; separated by spaces
};
const std::vector<KernelSetting>& kernel_settings();

// The rows for `library` on a CPU with these features, but for what `environment` (NAME=value) says
// already.
std::vector<Setting> settings_to_try(std::string_view library,
                                     const std::vector<std::string>& features,
                                     const std::vector<std::string>& environment);

// Twenty products, ragged ones among them, each computed in this worker and checked; the error
// names the first that is wrong.
Status prove(LibraryProcess& process, const std::string& path, DataType dtype,
             const StopToken& stop);

}  // namespace roofbeam
