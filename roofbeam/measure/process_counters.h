// SPDX-License-Identifier: Apache-2.0
// Events that the kernel counts for a process and all it starts (perf_event_open). For process.cc.
#pragma once

#include <sys/types.h>

#include <vector>

#include "roofbeam/measure/process.h"

namespace roofbeam {

class ProcessCounters {
 public:
  // They begin when `pid` executes a program.
  explicit ProcessCounters(pid_t pid);
  ~ProcessCounters();
  ProcessCounters(const ProcessCounters&) = delete;
  ProcessCounters& operator=(const ProcessCounters&) = delete;

  std::vector<ProcessCounter> read() const;

 private:
  struct Open {
    ProcessCounter counter;
    int fd = -1;
  };
  std::vector<Open> open_;
};

}  // namespace roofbeam
