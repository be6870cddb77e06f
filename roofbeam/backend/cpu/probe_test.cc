// SPDX-License-Identifier: Apache-2.0
// The CPU's own code without a machine around it: every row, on a team of two. What is here needs
// no hwloc, so that it is also built for other architectures and run in an emulator
// (tests/emulated).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "roofbeam/backend/cpu/core_clock.h"
#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/loop_job.h"
#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/hardware/features.h"

namespace roofbeam {
namespace {

constexpr Bytes kLoad{1 << 20};

Shape small_shape(std::string_view kernel) {
  if (kernel == "matmul") return {65, 33, 129};
  if (kernel == "barrier" || kernel == "wake") return {1, 20, 1};
  return {1 << 12, 1 << 16, 1};
}

// A file compiled without its instruction set silently offers nothing.
TEST(CpuRows, EveryInstructionSetOfThisArchitectureIsBuilt) {
  for (const IsaRow& row : isa_rows()) {
    const IsaTable table = row.table();
    const bool built = table.chain_count + table.stream_count > 0;
    const bool arm = row.variant.substr(0, 4) == "neon";
#if defined(__x86_64__)
    EXPECT_EQ(built, !arm) << row.variant;
#elif defined(__aarch64__)
    EXPECT_EQ(built, arm || row.variant == "generic") << row.variant;
#endif
  }
}

TEST(CpuRows, EveryKernelHasAWayThatNeedsNoFeatureButTheShortTypes) {
  std::set<std::string> everywhere;
  for (const CpuRow& row : cpu_rows()) {
    if (row.features.empty()) everywhere.insert(std::string(row.kernel));
  }
  std::set<std::string> expected;
  for (const KernelSpec& kernel : kernel_table()) {
    const bool past_caches = kernel.name.ends_with("_nt");
    if (kernel.name != "dot" && !past_caches) expected.insert(std::string(kernel.name));
  }
  EXPECT_EQ(everywhere, expected);
}

TEST(CpuRows, FeaturesMustAllBeThere) {
  EXPECT_TRUE(has_features({}, ""));
  EXPECT_TRUE(has_features({"sse2", "avx2", "fma"}, "avx2 fma"));
  EXPECT_FALSE(has_features({"sse2", "avx2"}, "avx2 fma"));
  EXPECT_FALSE(has_features({"avx512f"}, "avx512"));
}

// NEON and SSE2 belong to their architecture: without them something asked the CPU wrongly.
TEST(CpuRows, TheArchitecturesOwnVectorsAreSeen) {
  const std::vector<std::string> features = cpu_features();
#if defined(__x86_64__)
  EXPECT_EQ(std::count(features.begin(), features.end(), "sse2"), 1);
#elif defined(__aarch64__)
  EXPECT_EQ(std::count(features.begin(), features.end(), "asimd"), 1);
#endif
}

TEST(CpuRows, EveryRowThatRunsHereComputesRight) {
  const std::vector<std::string> features = cpu_features();
  int ran = 0;
  for (const CpuRow& row : cpu_rows()) {
    if (!has_features(features, row.features)) continue;
    SCOPED_TRACE(std::string(row.kernel) + " by " + std::string(row.variant));
    auto team = Team::start({{0, 1}});
    ASSERT_TRUE(team);
    auto job = row.make(test_problem(row.kernel, small_shape(row.kernel), row.dtype), 2, kLoad);
    ASSERT_TRUE(job);
    ASSERT_TRUE((*team)->set_up(**job));
    const auto spans = (*team)->run(**job, 4, {});
    ASSERT_TRUE(spans);
    ASSERT_EQ(spans->workers.size(), (*job)->timed(1) ? 2U : 1U);
    for (const auto& worker : spans->workers) EXPECT_EQ(worker.size(), 4U);
    const Check check = (*job)->check();
    EXPECT_TRUE(check.passed) << check.complaint << " " << check.error;
    ++ran;
  }
  EXPECT_GE(ran, 16) << "the generic probes and the four loops run anywhere";
}

// In an emulator it may be any figure or none: it must come to an end.
TEST(CoreClock, IsAProcessorsOrAbsent) {
  for (int i = 0; i < 5; ++i) {
    const auto clock = core_clock_hz();
    EXPECT_GT(clock.value_or(1), 0);
  }
}

TEST(Loops, AWrongLoopIsCaught) {
  const ProductLoop<float, float, float> forgets_a_row =
      [](std::int64_t first, std::int64_t last, std::int64_t n, std::int64_t k, const float* a,
         const float* b, float* c) { loop_naive().f32(first, last - 1, n, k, a, b, c); };
  auto job =
      make_loop_job({forgets_a_row, nullptr, nullptr}, test_problem("matmul", {64, 64, 64}), 1);
  ASSERT_TRUE(job);
  (*job)->execute(0);
  EXPECT_FALSE((*job)->check().passed);
}

}  // namespace
}  // namespace roofbeam
