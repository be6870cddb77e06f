// SPDX-License-Identifier: Apache-2.0
// Branches, barriers and wakes.
#include "roofbeam/backend/cpu/event_jobs.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "roofbeam/backend/cpu/branch_job.h"
#include "roofbeam/backend/cpu/spin_barrier.h"
#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

// How often threads of this process went to sleep.
std::int64_t voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

// Each sees at every crossing what all others did before it.
TEST(SpinBarrier, NobodyIsAheadOfAnyone) {
  constexpr int kParties = 3, kCrossings = 200;
  SpinBarrier barrier(kParties);
  std::array<int, kParties> done{};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t own = 0; own < kParties; ++own) {
    threads.emplace_back([&, own] {
      for (int i = 1; i <= kCrossings; ++i) {
        done[own] = i;
        barrier.meet();
        for (const int other : done) wrong += other == i ? 0 : 1;
        barrier.meet();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(barrier.crossings(), 2 * kCrossings);
}

TEST(Barrier, AllCrossAsOftenAsAskedAndAStopEndsItSoon) {
  auto job = make_barrier_job(test_problem("barrier", {1, 50, 1}), 2);
  ASSERT_TRUE(job);
  EXPECT_EQ((*job)->executed_shape(), (Shape{1, 50, 1}));
  auto team = Team::start({{0, 1}});
  ASSERT_TRUE(team);
  ASSERT_TRUE((*team)->set_up(**job));
  ASSERT_TRUE((*team)->run(**job, 4, {}));
  EXPECT_TRUE((*job)->check().passed);
  std::atomic<bool> flag{false};
  std::thread stopper([&flag] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flag = true;
  });
  const std::int64_t start = monotonic_ns();
  const auto spans = (*team)->run(**job, 10'000'000, StopToken(flag));
  const std::int64_t took = monotonic_ns() - start;
  stopper.join();
  ASSERT_TRUE(spans);
  EXPECT_EQ(spans->workers[0].size(), spans->workers[1].size());
  EXPECT_LT(spans->workers[0].size(), 10'000'000U);
  EXPECT_LT(took, 2'000'000'000);
  EXPECT_TRUE((*job)->check().passed);
}

TEST(Wake, TwoHandOverToEachOtherAndReallySleep) {
  for (const int workers : {2, 3}) {
    auto job = make_wake_job(test_problem("wake", {1, 21, 1}), workers);
    ASSERT_TRUE(job);
    EXPECT_EQ((*job)->executed_shape(), (Shape{1, 20, 1})) << "there and back";
    auto team = Team::start({std::vector<int>(static_cast<std::size_t>(workers), 0)});
    ASSERT_TRUE(team);
    ASSERT_TRUE((*team)->set_up(**job));
    const std::int64_t before = voluntary_switches();
    const auto spans = (*team)->run(**job, 10, {});
    ASSERT_TRUE(spans);
    EXPECT_GE(voluntary_switches() - before, 10 * 20) << "each hand-over ends a sleep";
    EXPECT_EQ(spans->workers.size(), 2U);
    EXPECT_TRUE(spans->lost_s.empty()) << "they sleep on purpose";
    const Check check = (*job)->check();
    EXPECT_TRUE(check.passed) << check.complaint;
  }
}

TEST(Events, OneWorkerAloneIsAnErrorWithItsReason) {
  const auto barrier = make_barrier_job(test_problem("barrier", {1, 10, 1}), 1);
  ASSERT_FALSE(barrier);
  EXPECT_EQ(barrier.error().what, "a barrier needs two workers, and there is one core");
  const auto wake = make_wake_job(test_problem("wake", {1, 10, 1}), 1);
  ASSERT_FALSE(wake);
  EXPECT_EQ(wake.error().what, "to wake another needs two workers, and there is one core");
}

TEST(Branch, StepsAreCountedAndGoRoundTheirBits) {
  EXPECT_EQ(make_branch_job(test_problem("branch", {1, 1000, 1}), 2)->executed_shape(),
            (Shape{1, 896, 1}));
  EXPECT_EQ(make_branch_job(test_problem("branch", {1, 1, 1}), 2)->executed_shape(),
            (Shape{1, 128, 1}));
  for (const std::int64_t steps : {std::int64_t{64}, std::int64_t{1} << 23}) {
    auto job = make_branch_job(test_problem("branch", {1, steps, 1}), 1);
    ASSERT_TRUE(job->set_up(0));
    for (int i = 0; i < 3; ++i) job->execute(0);
    EXPECT_TRUE(job->check().passed);
  }
  const BranchBlock forgets_one = [](const std::uint64_t* bits, std::int64_t words) {
    return count_branches(bits, words) - 1;
  };
  auto job = make_branch_job(test_problem("branch", {1, 640, 1}), 1, forgets_one);
  ASSERT_TRUE(job->set_up(0));
  job->execute(0);
  EXPECT_FALSE(job->check().passed);
}

TEST(Branch, TakesThoseOfOnes) {
  const std::uint64_t bits[] = {0, ~std::uint64_t{0}, 0x8000000000000001, 5};
  EXPECT_EQ(count_branches(bits, 4), 68);
  EXPECT_EQ(count_branches(bits, 1), 0);
}

// Were it no branch, or one a predictor learns, both would take the same time.
TEST(Branch, RandomOnesTakeLongerThanThoseAlwaysTaken) {
  std::int64_t fastest[2] = {};
  for (const Operands operands : {Operands::random, Operands::constant}) {
    auto job = make_branch_job(test_problem("branch", {1, 1 << 16, 1}, DataType::f32, operands), 1);
    ASSERT_TRUE(job->set_up(0));
    std::int64_t& best = fastest[operands == Operands::constant ? 1 : 0];
    for (int i = 0; i < 200; ++i) {
      const std::int64_t start = monotonic_ns();
      job->execute(0);
      const std::int64_t took = monotonic_ns() - start;
      best = i == 0 ? took : std::min(best, took);
    }
  }
#if defined(__OPTIMIZE__) && defined(__x86_64__)
  EXPECT_GT(fastest[0], 2 * fastest[1]);
#endif
}

}  // namespace
}  // namespace roofbeam
