// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/thread_time.h"

#include <algorithm>
#include <ctime>

#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kAlwaysLostNs = 20'000;
constexpr std::int64_t kPartsOfSpan = 50;  // 2 %

std::int64_t read() {
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Some sandboxes move this clock by whole ticks: then it stands still for as long as a span takes.
bool moves_finely() {
  constexpr std::int64_t kTrialNs = 20'000;
  constexpr int kTrials = 5;  // a preemption in between makes a trial longer and fails none
  int moved = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::int64_t until = monotonic_ns() + kTrialNs;
    const std::int64_t before = read();
    while (monotonic_ns() < until) {
    }
    if (read() - before >= kTrialNs / 4) ++moved;
  }
  return moved > kTrials / 2;
}

}  // namespace

std::optional<std::int64_t> thread_time_ns() {
  static const bool fine = moves_finely();
  if (!fine) return std::nullopt;
  return read();
}

bool is_disturbed(std::int64_t span_ns, std::int64_t lost_ns) {
  return lost_ns > std::max(span_ns / kPartsOfSpan, kAlwaysLostNs);
}

}  // namespace roofbeam
