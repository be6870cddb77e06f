// SPDX-License-Identifier: Apache-2.0
// What a run of a command says about it before anything is counted: whether it waited, ran on one
// thread, or kept the cores busy. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/point.h"
#include "roofbeam/measure/process.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

// A point without flops and bytes, whose verdict is about `cores` cores. Its bound is the run's CPU
// time on all of them. bound_by is data_loading where it mostly waited for a device and read files,
// serial where it mostly ran on one thread of several cores, else cannot_tell. Gains are upper
// bounds: a thread that spins while it waits looks like one that works.
Point point_of_run(const ProcessRun& run, const std::string& name, int cores);

// The lines of the last-level cache that it missed, as bytes read from memory: what the counters
// say its work was. Absent where they were not counted.
std::optional<Operation> operation_of_run(const ProcessRun& run, const std::string& name);

// What is to be said of a run beside its point, a sentence each: I/O, memory, counters that are
// missing and why, processes it left behind.
std::vector<std::string> remarks_of_run(const ProcessRun& run);

}  // namespace roofbeam
