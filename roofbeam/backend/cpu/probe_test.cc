// SPDX-License-Identifier: Apache-2.0
// The CPU's own code without a machine around it: chains, reads and loops, each on a team of two.
// What is here needs no hwloc, so that it is also built for other architectures and run in an
// emulator (tests/emulated).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/loop_job.h"
#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/hardware/features.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

Problem problem(std::string_view kernel, DataType dtype, Shape shape) {
  Problem made;
  made.spec = find_kernel(kernel);
  made.dtype = dtype;
  made.shape = shape;
  return made;
}

Shape small_shape(std::string_view kernel) {
  if (kernel == "matmul") return {65, 33, 129};
  if (kernel == "read") return {3, 1 << 16, 1};
  return {1, 1 << 20, 1};
}

bool runs_here(const CpuRow& row) {
  const std::vector<std::string> features = cpu_features();
  return row.built() && (row.feature.empty() || std::find(features.begin(), features.end(),
                                                          row.feature) != features.end());
}

// A file compiled without its instruction set silently offers nothing.
TEST(CpuRows, EveryRowOfThisArchitectureIsBuilt) {
  for (const CpuRow& row : cpu_rows()) {
#if defined(__x86_64__)
    EXPECT_EQ(row.built(), row.variant != "neon") << row.kernel << " " << row.variant;
#elif defined(__aarch64__)
    EXPECT_EQ(row.built(), row.variant.substr(0, 3) != "avx") << row.kernel << " " << row.variant;
#endif
  }
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
  int ran = 0;
  for (const CpuRow& row : cpu_rows()) {
    if (!runs_here(row)) continue;
    SCOPED_TRACE(std::string(row.kernel) + " by " + std::string(row.variant));
    auto team = Team::start({{0, 1}});
    ASSERT_TRUE(team);
    auto job = row.make(problem(row.kernel, row.dtype, small_shape(row.kernel)), 2);
    ASSERT_TRUE(job);
    ASSERT_TRUE((*team)->set_up(**job));
    const auto spans = (*team)->run(**job, 4, {});
    ASSERT_TRUE(spans);
    ASSERT_EQ(spans->workers.size(), 2U);
    for (const auto& worker : spans->workers) EXPECT_EQ(worker.size(), 4U);
    const Check check = (*job)->check();
    EXPECT_TRUE(check.passed) << check.complaint << " " << check.error;
    ++ran;
  }
  EXPECT_GE(ran, 6) << "the generic probes and the four loops run anywhere";
}

TEST(Loops, AWrongLoopIsCaught) {
  const ProductLoop forgets_a_row = [](std::int64_t first, std::int64_t last, std::int64_t n,
                                       std::int64_t k, const float* a, const float* b,
                                       float* c) { loop_naive()(first, last - 1, n, k, a, b, c); };
  auto job = make_loop_job(forgets_a_row, problem("matmul", DataType::f32, {64, 64, 64}), 1);
  ASSERT_TRUE(job);
  (*job)->execute(0);
  EXPECT_FALSE((*job)->check().passed);
}

}  // namespace
}  // namespace roofbeam
