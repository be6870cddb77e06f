// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/core_clock.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/backend/cpu/chain_job.h"
#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/hardware/features.h"

namespace roofbeam {
namespace {

constexpr int kCalls = 20;

// The middle one: neighbours come and go, and with them the clock.
std::optional<double> middle_of_calls() {
  std::vector<double> clocks;
  for (int i = 0; i < kCalls; ++i) {
    if (const auto clock = core_clock_hz()) clocks.push_back(*clock);
  }
  if (clocks.size() < kCalls / 2) return std::nullopt;
  std::sort(clocks.begin(), clocks.end());
  return clocks[clocks.size() / 2];
}

// An emulator has no clock of its own, and says so or says anything.
TEST(CoreClock, IsThatOfAProcessorAndTheSameInEveryCall) {
  const auto first = middle_of_calls();
  if (!first) GTEST_SKIP() << "no clock to be seen: an emulator, or too many neighbours";
  EXPECT_GT(*first, 0.5e9);
  EXPECT_LT(*first, 7e9);
  const auto second = middle_of_calls();
  ASSERT_TRUE(second);
  EXPECT_NEAR(*second / *first, 1, 0.05);
}

TEST(CoreClock, IsSoonThereEvenWhereThereIsNone) {
  std::int64_t soonest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kCalls; ++i) {
    const std::int64_t start = monotonic_ns();
    core_clock_hz();
    soonest = std::min(soonest, monotonic_ns() - start);
  }
  EXPECT_LT(soonest, 5'000'000);
}

// Of the multiply-adds in f32 that this CPU does best.
std::optional<ChainKernel> best_chain() {
  const std::vector<std::string> features = cpu_features();
  for (const IsaRow& isa : isa_rows()) {
    if (!has_features(features, isa.features)) continue;
    const IsaTable table = isa.table();
    for (int i = 0; i < table.chain_count; ++i) {
      const ChainRow& row = table.chains[i];
      if (std::string_view(row.kernel) == "fma" && row.dtype == DataType::f32) return row.chain;
    }
  }
  return std::nullopt;
}

// Flops a cycle and lane: 2 for every instruction a core begins in a cycle; 1 where it takes two.
TEST(CoreClock, MakesAWholeNumberOfFlopsACycleOfTheFastestChain) {
  if (!core_clock_hz()) GTEST_SKIP() << "no clock to be seen";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "chains are slower in this build than on this machine";
#endif
  for (const int cpu : cpus_here()) {
    auto team = Team::start({{cpu}});
    ASSERT_TRUE(team);
    const auto chain = best_chain();
    ASSERT_TRUE(chain);
    auto job = make_chain_job(*chain, test_problem("fma", {1, 1 << 21, 1}), 1);
    ASSERT_TRUE((*team)->set_up(*job));
    std::vector<double> per_cycle;
    for (int i = 0; i < 50; ++i) {
      const auto spans = (*team)->run(*job, 4, {});
      if (spans->clock_hz.empty()) continue;
      std::int64_t best = std::numeric_limits<std::int64_t>::max();
      for (const Span& span : spans->workers[0]) best = std::min(best, span.end_ns - span.start_ns);
      const double flops = static_cast<double>(job->executed_shape().n);
      per_cycle.push_back(flops / (1e-9 * static_cast<double>(best)) / spans->clock_hz[0]);
    }
    ASSERT_GT(per_cycle.size(), 10U);
    std::sort(per_cycle.begin(), per_cycle.end());
    const double per_lane = per_cycle[per_cycle.size() / 2] / chain->lanes;
    if (per_lane < 0.05) GTEST_SKIP() << "an emulator computes vectors one element at a time";
    EXPECT_GT(per_lane, 0.4) << "CPU " << cpu;
    EXPECT_LT(per_lane, 8.2) << "CPU " << cpu;
    EXPECT_NEAR(per_lane, std::round(2 * per_lane) / 2, 0.1) << "CPU " << cpu;
  }
}

}  // namespace
}  // namespace roofbeam
