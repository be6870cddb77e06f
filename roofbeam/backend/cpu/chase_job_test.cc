// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chase_job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

std::uint64_t sum_words(const StreamArrays& arrays, std::int64_t elements) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(arrays.b);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < elements / 2; ++i) sum += words[i];
  return sum;
}

TEST(Chase, OneCycleGoesThroughAllLinesAndNotInOrder) {
  for (const std::int64_t count : {1, 2, 3, 1000}) {
    std::vector<ChaseLine> lines(static_cast<std::size_t>(count));
    link_lines(lines.data(), count, 5);
    std::set<const ChaseLine*> seen;
    std::int64_t in_order = 0;
    const ChaseLine* at = lines.data();
    do {
      seen.insert(at);
      in_order += at->next == at + 1 ? 1 : 0;
      at = at->next;
    } while (at != lines.data() && seen.size() <= lines.size());
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), count);
    EXPECT_LT(in_order, 10 + count / 100);
  }
}

TEST(Chase, ExecutesTheLoadsAskedForAndGoesOnWhereItEnded) {
  static std::vector<std::pair<const ChaseLine*, std::int64_t>> calls;
  calls.clear();
  const ChaseBlock noting = [](const ChaseLine* from, std::int64_t steps) {
    calls.emplace_back(from, steps);
    return chase(from, steps);
  };
  auto job = make_chase_job(test_problem("chase", {100, 30, 1}), 1, {}, noting);
  ASSERT_TRUE(job);
  EXPECT_EQ((*job)->executed_shape(), (Shape{100, 30, 1}));
  ASSERT_TRUE((*job)->set_up(0));
  ASSERT_EQ(calls.size(), 1U) << "walked once, so that the caches hold it";
  EXPECT_EQ(calls.front().second, 100);
  calls.clear();
  for (int i = 0; i < 10; ++i) {
    (*job)->execute(0);
    EXPECT_TRUE((*job)->check().passed);
  }
  for (std::size_t i = 1; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].first, chase(calls[i - 1].first, 30));
    EXPECT_EQ(calls[i].second, 30);
  }
  EXPECT_EQ(chase(calls.back().first, 30), calls.front().first) << "300 loads: three times round";
}

TEST(Chase, AWrongWalkIsCaught) {
  const auto passes = [](ChaseBlock block) {
    auto job = make_chase_job(test_problem("chase", {1000, 50, 1}), 1, {}, block);
    EXPECT_TRUE((*job)->set_up(0));
    (*job)->execute(0);
    return (*job)->check();
  };
  EXPECT_TRUE(passes(chase).passed);
  EXPECT_FALSE(passes([](const ChaseLine* from, std::int64_t steps) {
                 return chase(from, steps - 1);
               }).passed);
  EXPECT_FALSE(passes([](const ChaseLine* from, std::int64_t) { return from; }).passed);
  // Another link as if the chain had been cut short: what it leads to is right, and it is no cycle
  // through memory.
  const Check cut = passes([](const ChaseLine* from, std::int64_t steps) {
    const_cast<ChaseLine*>(from->next)->next = from;
    return chase(from, steps);
  });
  EXPECT_EQ(cut.complaint, "a chain of 1000 lines ends after 2");
}

TEST(ChaseLoaded, OthersReadUntilTheFirstIsDoneOrStopped) {
  static std::atomic<std::int64_t> reads;
  const StreamBlock reader = [](const StreamArrays& arrays, std::int64_t elements) {
    reads.fetch_add(1);
    return sum_words(arrays, elements);
  };
  auto job =
      make_chase_job(test_problem("chase_loaded", {1 << 14, 1 << 12, 1}), 2, {reader, 1 << 20});
  ASSERT_TRUE(job);
  auto team = Team::start({{0, 1}});
  ASSERT_TRUE(team);
  ASSERT_TRUE((*team)->set_up(**job));
  reads = 0;
  const auto spans = (*team)->run(**job, 20, {});
  ASSERT_TRUE(spans);
  ASSERT_EQ(spans->workers.size(), 1U);
  EXPECT_EQ(spans->workers[0].size(), 20U);
  EXPECT_GE(reads, 1) << "before the first load";
  EXPECT_TRUE((*job)->check().passed);

  std::atomic<bool> flag{false};
  std::thread stopper([&flag] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flag = true;
  });
  const std::int64_t start = monotonic_ns();
  const auto stopped = (*team)->run(**job, 10'000'000, StopToken(flag));
  const std::int64_t took = monotonic_ns() - start;
  stopper.join();
  ASSERT_TRUE(stopped);
  EXPECT_LT(stopped->workers[0].size(), 10'000'000U);
  EXPECT_LT(took, 2'000'000'000);
}

TEST(ChaseLoaded, OneWorkerCannotLoadItself) {
  const auto job =
      make_chase_job(test_problem("chase_loaded", {64, 64, 1}), 1, {sum_words, 1 << 20});
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().what, "a load on memory needs a second core to make it");
}

}  // namespace
}  // namespace roofbeam
