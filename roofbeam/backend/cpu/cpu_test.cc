// SPDX-License-Identifier: Apache-2.0
// The CPU backend on this machine: right answers, and time that grows with the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/proc_state.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

Problem problem(const char* kernel, DataType dtype, Shape shape) {
  Problem made;
  made.spec = find_kernel(kernel);
  made.dtype = dtype;
  made.shape = shape;
  return made;
}

class Cpu : public testing::Test {
 protected:
  Cpu() : device_(cpu_device(*read_this_box())), backend_(open_cpu_backend(device_)) {}

  Placement one() const { return {{device_.box.limits.placement.front()}}; }
  Placement all() const { return {device_.box.limits.placement}; }

  Device device_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(Cpu, EveryWayComputesRightWithOneWorkerAndWithAll) {
  const std::vector<Problem> problems = {problem("fma", DataType::f32, {1, 1 << 20, 1}),
                                         problem("dot", DataType::bf16, {1, 1 << 20, 1}),
                                         problem("read", DataType::f32, {3, 1 << 18, 1}),
                                         problem("matmul", DataType::f32, {65, 33, 129}),
                                         problem("matmul", DataType::bf16, {65, 33, 129}),
                                         problem("matmul", DataType::f32, {1, 1, 1})};
  for (const Problem& each : problems) {
    for (const Variant& variant : backend_->variants(device_, each)) {
      for (const Placement& placement : {one(), all()}) {
        auto kernel = backend_->prepare(device_, each, variant, placement);
        ASSERT_TRUE(kernel) << variant.name << ": " << kernel.error().what;
        auto spans = (*kernel)->run(5, {});
        ASSERT_TRUE(spans);
        EXPECT_EQ(spans->workers.size(), placement.cpus.size());
        for (const auto& worker : spans->workers) EXPECT_EQ(worker.size(), 5U);
        const auto check = (*kernel)->check();
        EXPECT_TRUE(check->passed) << each.spec->name << " by " << variant.name << ": "
                                   << check->complaint << " " << check->error;
      }
    }
  }
}

// If the compiler had removed the loop, twice the work would take no longer. The fastest of many: a
// neighbour only lengthens them.
TEST_F(Cpu, TwiceTheWorkTakesTwiceAsLong) {
  for (const char* kernel : {"fma", "dot", "read"}) {
    const DataType dtype = std::string(kernel) == "dot" ? DataType::bf16 : DataType::f32;
    double fastest[2] = {1e9, 1e9};
    for (int twice : {0, 1}) {
      const Problem each = problem(kernel, dtype, {1, std::int64_t{1} << (22 + twice), 1});
      const auto variants = backend_->variants(device_, each);
      if (variants.empty()) continue;
      auto made = backend_->prepare(device_, each, variants.front(), one());
      ASSERT_TRUE(made);
      const auto spans = (*made)->run(200, {});
      for (const Span& span : spans->workers.front()) {
        fastest[twice] = std::min(fastest[twice], static_cast<double>(span.end_ns - span.start_ns));
      }
    }
    if (fastest[0] == 1e9) continue;  // no such instructions on this CPU
    EXPECT_GT(fastest[1] / fastest[0], 1.7) << kernel;
  }
}

TEST_F(Cpu, ASlowLoopComputesTheFirstRowsAndSaysHowMany) {
  const Problem large = problem("matmul", DataType::f32, {4096, 1024, 4096});
  auto kernel = backend_->prepare(device_, large, {"naive", "", true}, one());
  ASSERT_TRUE(kernel);
  EXPECT_LT((*kernel)->executed_shape().m, 4096);
  EXPECT_GE((*kernel)->executed_shape().m, 1);
  EXPECT_EQ((*kernel)->executed_shape().n, 1024);
  (*kernel)->run(1, {});
  EXPECT_TRUE((*kernel)->check()->passed);
}

TEST_F(Cpu, MoreThanTheMemoryIsRefusedWithBothFigures) {
  const Problem huge = problem("matmul", DataType::f32, {1 << 22, 1 << 22, 1});
  const auto kernel = backend_->prepare(device_, huge, {"naive", "", true}, one());
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().what.find("needs"), std::string::npos);
  EXPECT_NE(kernel.error().what.find("available"), std::string::npos);
}

TEST_F(Cpu, AStopEndsAllWorkersAfterTheSameRepeat) {
  constexpr int kRepeats = 1'000'000;  // far more than there is time for
  const Problem product = problem("matmul", DataType::f32, {64, 64, 64});
  auto kernel = backend_->prepare(device_, product, {"naive", "", true}, all());
  for (int trial = 0; trial < 20; ++trial) {
    std::atomic<bool> flag{false};
    std::thread stopper([&flag] {
      const std::int64_t until = monotonic_ns() + 5'000'000;
      while (monotonic_ns() < until) std::this_thread::yield();
      flag = true;
    });
    const auto spans = (*kernel)->run(kRepeats, StopToken(flag));
    stopper.join();
    ASSERT_TRUE(spans);
    for (const auto& worker : spans->workers) {
      EXPECT_EQ(worker.size(), spans->workers.front().size());
      EXPECT_LT(worker.size(), static_cast<std::size_t>(kRepeats));
    }
  }
}

TEST(ProcState, ReadsTheCpusAskedFor) {
  const std::string stat =
      "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 20 30 1000 5 6 7 8 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr "
      "1\n";
  const auto times = times_of_cpus(stat, {0}, 100);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->busy_s, 1.63);
  EXPECT_DOUBLE_EQ(times->steal_s, 0.08);
  EXPECT_FALSE(times_of_cpus(stat, {0, 2}, 100)) << "cpu2 is not there";
  EXPECT_FALSE(times_of_cpus("garbage", {0}, 100));
}

TEST(ProcState, ThrottledTimeOfBothCgroupVersions) {
  EXPECT_DOUBLE_EQ(*throttled_seconds("nr_periods 5\nnr_throttled 2\nthrottled_time 250000000\n"),
                   0.25);
  EXPECT_DOUBLE_EQ(*throttled_seconds("usage_usec 1\nnr_throttled 2\nthrottled_usec 250000\n"),
                   0.25);
  EXPECT_FALSE(throttled_seconds("usage_usec 1\n"));
}

}  // namespace
}  // namespace roofbeam
