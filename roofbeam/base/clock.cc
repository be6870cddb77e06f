// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/clock.h"

#include <ctime>

namespace roofbeam {

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::int64_t wall_seconds() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

std::string iso_time(std::int64_t wall_secs) {
  const std::time_t time = wall_secs;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace roofbeam
