// SPDX-License-Identifier: Apache-2.0
// The CPU backend on this machine: right answers, and time that grows with the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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

// Kernels and shapes that are quickly done, in every type.
std::vector<Problem> small_problems() {
  constexpr Shape kMany{1 << 16, 1 << 18, 1};
  const std::vector<std::pair<const char*, Shape>> shapes = {
      {"fma", kMany},
      {"add", kMany},
      {"any", kMany},
      {"dot", kMany},
      {"read", kMany},
      {"write", kMany},
      {"write_nt", kMany},
      {"copy", kMany},
      {"copy_nt", kMany},
      {"triad", kMany},
      {"triad_nt", kMany},
      {"vadd", kMany},
      {"vscale", kMany},
      {"vdot", kMany},
      {"branchy", kMany},
      {"fma_chain", kMany},
      {"gemv", {1, 64, 256, 3}},
      {"gemv", {5, 67, 1003, 1}},
      {"gemv", {1, 300, 1030, 1}},  // as weights that lie far: rows one by one
      {"gemv", {1, 1, 1}},
      {"softmax", {33, 100, 1, 2}},
      {"softmax", {1, 1, 1}},
      {"layer_norm", {33, 100, 1, 2}},
      {"layer_norm", {1, 1, 1}},
      {"stencil", {33, 100, 1, 2}},
      {"stencil", {1, 1, 1}},
      {"chase", {1 << 12, 1 << 14, 1}},
      {"chase_loaded", {1 << 12, 1 << 14, 1}},
      {"branch", kMany},
      {"barrier", {1, 20, 1}},
      {"wake", {1, 20, 1}},
      {"matmul", {65, 33, 129}},
      {"matmul", {1, 1, 1}}};
  std::vector<Problem> problems;
  for (const auto& [kernel, shape] : shapes) {
    for (const DataType dtype : find_kernel(kernel)->types) {
      problems.push_back(problem(kernel, dtype, shape));
    }
  }
  return problems;
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
  const std::set<std::string_view> need_two = {"barrier", "wake", "chase_loaded"};
  std::set<std::string_view> done;
  for (const Problem& each : small_problems()) {
    const std::string_view kernel = each.spec->name;
    for (const Variant& variant : backend_->variants(device_, each)) {
      for (const Placement& placement : {one(), all()}) {
        auto made = backend_->prepare(device_, each, variant, placement);
        if (need_two.count(kernel) != 0 && placement.threads() < 2) {
          EXPECT_FALSE(made) << kernel;
          continue;
        }
        ASSERT_TRUE(made) << variant.name << ": " << made.error().what;
        auto spans = (*made)->run(5, {});
        ASSERT_TRUE(spans);
        const int timed = kernel.substr(0, 5) == "chase" ? 1
                          : kernel == "wake"             ? 2
                                                         : placement.threads();
        EXPECT_EQ(static_cast<int>(spans->workers.size()), timed) << kernel;
        for (const auto& worker : spans->workers) EXPECT_EQ(worker.size(), 5U);
        const auto check = (*made)->check();
        EXPECT_TRUE(check->passed)
            << kernel << " by " << variant.name << ": " << check->complaint << " " << check->error;
        done.insert(kernel);
      }
    }
  }
  for (const KernelSpec& row : kernel_table()) {
    const bool needs_a_feature = row.name == "dot" || row.name.find("_nt") != row.name.npos;
    const bool possible = all().threads() > 1 || need_two.count(row.name) == 0;
    if (!possible || needs_a_feature) continue;
    EXPECT_EQ(done.count(row.name), 1U) << row.name;
  }
}

// If the compiler had removed the loop, twice the work would take no longer. The fastest of many: a
// neighbour only lengthens them.
TEST_F(Cpu, TwiceTheWorkTakesTwiceAsLong) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer's own work is in the times; the tests of the release build tell";
#endif
  for (const Problem& small : small_problems()) {
    const std::string_view kernel = small.spec->name;
    // A product has another count of steps; two workers wait for each other as long as neighbours
    // make them.
    if (kernel == "matmul" || kernel == "wake" || kernel == "barrier") continue;
    const Placement placement = kernel == "chase_loaded" ? all() : one();
    const auto variants = backend_->variants(device_, small);
    if (variants.empty()) continue;  // no such instructions on this CPU
    if (kernel == "chase_loaded" && placement.threads() < 2) continue;
    double fastest[2] = {1e9, 1e9};
    std::unique_ptr<Kernel> kernels[2];
    for (int twice : {0, 1}) {
      Problem each = small;
      each.shape.*each.spec->amount = std::int64_t{1} << (20 + twice);
      if (each.spec->amount == &Shape::repeats) each.shape = {4, 1024, 64, 100 << twice};
      if (kernel.substr(0, 5) == "chase") each.shape = {64, std::int64_t{1} << (15 + twice), 1};
      auto made = backend_->prepare(device_, each, variants.front(), placement);
      ASSERT_TRUE(made);
      kernels[twice] = std::move(*made);
    }
    for (int run = 0; run < 8; ++run) {  // in turns: a clock that wakes up favours neither
      const auto spans = kernels[run % 2]->run(25, {});
      for (const Span& span : spans->workers.front()) {
        fastest[run % 2] =
            std::min(fastest[run % 2], static_cast<double>(span.end_ns - span.start_ns));
      }
    }
    EXPECT_GT(fastest[1] / fastest[0], 1.7) << kernel;
  }
}

TEST_F(Cpu, AnInstructionSetIsOfferedOnlyWhereTheBoxHasIt) {
  Device plain = device_;
  plain.box.features.clear();
  auto backend = open_cpu_backend(plain);
  const auto names = [&backend, &plain](const char* kernel, DataType dtype) {
    std::vector<std::string> found;
    for (const Variant& variant : backend->variants(plain, problem(kernel, dtype, {1, 1, 1}))) {
      found.push_back(variant.name);
    }
    return found;
  };
  EXPECT_EQ(names("fma", DataType::f32), std::vector<std::string>{"generic"});
  EXPECT_EQ(names("dot", DataType::int8), std::vector<std::string>{});
  EXPECT_EQ(names("matmul", DataType::bf16), (std::vector<std::string>{"blocked", "naive"}));
}

TEST_F(Cpu, ReadersOfALoadedChaseCountAsMemoryNeeded) {
  Device small = device_;
  const Bytes cache = small.box.topology.last_level_cache();
  const Problem loaded = problem("chase_loaded", DataType::f32, {1 << 10, 1 << 10, 1});
  const Placement two{{0, 0}};
  small.box.limits.memory_available = std::max(cache, Bytes(16 << 20));  // the chain needs some too
  const auto refused = open_cpu_backend(small)->prepare(small, loaded, {"generic", ""}, two);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what.rfind("chase_loaded needs ", 0), 0U) << refused.error().what;
  EXPECT_TRUE(open_cpu_backend(small)->prepare(
      small, problem("chase", DataType::f32, {1 << 10, 1 << 10, 1}), {"generic", ""}, two));
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
