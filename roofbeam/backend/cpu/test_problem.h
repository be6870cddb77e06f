// SPDX-License-Identifier: Apache-2.0
// What tests of this folder share: a problem in a line, and the CPUs they may use.
#pragma once

#include <sched.h>

#include <string_view>
#include <vector>

#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {

inline Problem test_problem(std::string_view kernel, Shape shape, DataType dtype = DataType::f32,
                            Operands operands = Operands::random) {
  Problem made;
  made.spec = find_kernel(kernel);
  made.shape = shape;
  made.dtype = dtype;
  made.operands = operands;
  return made;
}

inline std::vector<int> cpus_here() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

}  // namespace roofbeam
