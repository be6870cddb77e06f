// SPDX-License-Identifier: Apache-2.0
// The one clock: CLOCK_MONOTONIC, shared by every process of this machine, so that the spans a
// worker process reports lie on the same line as ours.
#pragma once

#include <cstdint>
#include <string>

namespace roofbeam {

std::int64_t monotonic_ns();
std::int64_t wall_seconds();                   // since 1970, UTC
std::string iso_time(std::int64_t wall_secs);  // 2026-01-31T12:00:00Z

}  // namespace roofbeam
