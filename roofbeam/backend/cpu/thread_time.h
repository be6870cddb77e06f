// SPDX-License-Identifier: Apache-2.0
// Did a thread have its CPU to itself? Its CPU time against the time that passed.
#pragma once

#include <cstdint>
#include <optional>

namespace roofbeam {

// CPU time of the calling thread; absent where the system counts it too coarsely to tell a
// preempted thread from one that ran (asked once, in about 0.1 ms). A system call of 0.5 to 1 µs:
// some 0.3 % of a window of 0.3 ms, so it is made once a repeat and outside its span.
std::optional<std::int64_t> thread_time_ns();

// Whether a span of `span_ns` from which `lost_ns` are missing was disturbed: more than 2 % and
// more than 20 µs of it. Less is what every machine does at any time: its timer interrupts take a
// few µs each. Who is preempted waits for a time slice of another, and that is 0.7 ms or more.
bool is_disturbed(std::int64_t span_ns, std::int64_t lost_ns);

}  // namespace roofbeam
