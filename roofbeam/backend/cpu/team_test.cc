// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/team.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/backend/cpu/thread_time.h"
#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

void spin_ns(std::int64_t time) {
  const std::int64_t until = monotonic_ns() + time;
  while (monotonic_ns() < until) {
  }
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Works for a while and notes where.
class NotingJob : public Job {
 public:
  explicit NotingJob(int workers, std::int64_t work_ns = 10'000, int timed_workers = 1000)
      : set_up_cpu(workers, -1),
        run_cpu(workers, -1),
        executions(workers, 0),
        work_ns_(work_ns),
        timed_(timed_workers) {}

  Status set_up(int worker) override {
    set_up_cpu[static_cast<std::size_t>(worker)] = sched_getcpu();
    return {};
  }
  void execute(int worker) override {
    run_cpu[static_cast<std::size_t>(worker)] = sched_getcpu();
    ++executions[static_cast<std::size_t>(worker)];
    spin_ns(work_ns_);
  }
  Check check() override { return {}; }
  Spans::Mode mode() const override { return mode_; }
  Shape executed_shape() const override { return {}; }
  bool timed(int worker) const override { return worker < timed_; }
  bool wants_clock() const override { return true; }
  bool sleeps() const override { return sleeps_; }

  std::vector<int> set_up_cpu;
  std::vector<int> run_cpu;
  std::vector<std::int64_t> executions;
  Spans::Mode mode_ = Spans::Mode::apart;
  bool sleeps_ = false;

 private:
  std::int64_t work_ns_;
  int timed_;
};

TEST(Team, MemoryIsTouchedOnItsCpuAndWorkDoneOnTheWorkers) {
  const std::vector<int> cpus = cpus_here();
  for (const int work : cpus) {
    for (const int memory : cpus) {
      NotingJob job(1);
      auto team = Team::start({{work}, {memory}});
      ASSERT_TRUE(team);
      ASSERT_TRUE((*team)->set_up(job));
      ASSERT_TRUE((*team)->run(job, 3, {}));
      EXPECT_EQ(job.set_up_cpu, std::vector<int>{memory});
      EXPECT_EQ(job.run_cpu, std::vector<int>{work});
    }
  }
}

TEST(Team, AMemoryCpuThatIsNotOursIsAnError) {
  NotingJob job(1);
  auto team = Team::start({{cpus_here().front()}, {1000}});
  ASSERT_TRUE(team);
  const Status ready = (*team)->set_up(job);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().what, "memory cannot be placed from CPU 1000");
  EXPECT_EQ(job.set_up_cpu, std::vector<int>{-1});
  EXPECT_FALSE(Team::start({{0, 1}, {0}})) << "one memory CPU for two workers";
}

TEST(Team, DisturbedMeansOverTwoPercentAndOverTwentyMicroseconds) {
  EXPECT_FALSE(is_disturbed(300'000, 20'000));
  EXPECT_TRUE(is_disturbed(300'000, 20'001));
  EXPECT_FALSE(is_disturbed(10'000'000, 200'000));
  EXPECT_TRUE(is_disturbed(10'000'000, 200'001));
  EXPECT_FALSE(is_disturbed(300'000, -5));
}

TEST(Team, ANeighbourOnItsCpuIsSeenInSpansAndInTimeLost) {
  const int cpu = cpus_here().front();
  std::atomic<bool> done{false};
  std::thread neighbour([&done, cpu] {
    pin_to(cpu);
    while (!done.load(std::memory_order_relaxed)) {
    }
  });
  NotingJob job(1, 300'000);
  auto team = Team::start({{cpu}});
  ASSERT_TRUE(team);
  const auto spans = (*team)->run(job, 1000, {});
  done = true;
  neighbour.join();
  ASSERT_TRUE(spans);
  if (spans->lost_s.empty()) GTEST_SKIP() << "the CPU time of threads is coarse here";
  const std::vector<Span>& own = spans->workers[0];
  const double wall = 1e-9 * static_cast<double>(own.back().end_ns - own.front().start_ns);
  EXPECT_GT(spans->lost_s[0] / wall, 0.3);
  EXPECT_LT(spans->lost_s[0] / wall, 0.95);
  int disturbed = 0;
  for (const Span& span : own) {
    disturbed += span.disturbed ? 1 : 0;
    // A span of 0.3 ms of work that took a time slice more is one of those.
    EXPECT_TRUE(span.disturbed || span.end_ns - span.start_ns < 2'000'000);
  }
  EXPECT_GT(disturbed, 10);
  EXPECT_LT(disturbed, 1000) << "most fit between two time slices of the neighbour";
}

TEST(Team, WorkersThatSleepOnPurposeLoseNothing) {
  NotingJob job(1);
  job.sleeps_ = true;
  auto team = Team::start({{cpus_here().front()}});
  const auto spans = (*team)->run(job, 3, {});
  ASSERT_TRUE(spans);
  EXPECT_TRUE(spans->lost_s.empty());
  for (const Span& span : spans->workers[0]) EXPECT_FALSE(span.disturbed);
}

// Of three workers two are timed, whatever the CPUs.
TEST(Team, WorkersThatAreNotTimedWorkAsLongAsTheOthersAndLeaveNoSpans) {
  const int cpu = cpus_here().front();
  for (const Spans::Mode mode : {Spans::Mode::apart, Spans::Mode::together}) {
    NotingJob job(3, 10'000, 2);
    job.mode_ = mode;
    auto team = Team::start({{cpu, cpu, cpu}});
    ASSERT_TRUE(team);
    const auto spans = (*team)->run(job, 20, {});
    ASSERT_TRUE(spans);
    ASSERT_EQ(spans->workers.size(), 2U);
    EXPECT_EQ(spans->workers[0].size(), 20U);
    EXPECT_EQ(spans->workers[1].size(), 20U);
    EXPECT_EQ(job.executions[0], 20);
    EXPECT_EQ(job.executions[1], 20);
    EXPECT_GE(job.executions[2], 1) << "once before the others began";
    EXPECT_TRUE(spans->lost_s.size() == 2 || spans->lost_s.empty());
    EXPECT_TRUE(spans->clock_hz.size() == 2 || spans->clock_hz.empty());
  }
}

// The first worker is done once the other one has executed twice more.
class WaitingJob : public NotingJob {
 public:
  WaitingJob() : NotingJob(2, 0, 1) {}
  void execute(int worker) override {
    if (worker == 1) {
      if (others_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++others_;
      std::this_thread::yield();
      return;
    }
    begun_with = begun_with < 0 ? others_.load() : begun_with;
    const int until = others_ + 2;
    const std::int64_t deadline = monotonic_ns() + 10'000'000'000;
    while (others_ < until && monotonic_ns() < deadline) std::this_thread::yield();
    EXPECT_GE(others_, until);
  }
  int begun_with = -1;

 private:
  std::atomic<int> others_{0};
};

TEST(Team, WorkersThatAreNotTimedExecuteAgainAndAgain) {
  const std::vector<int> cpus = cpus_here();
  WaitingJob job;
  auto team = Team::start({{cpus.front(), cpus.back()}});
  ASSERT_TRUE(team);
  ASSERT_TRUE((*team)->run(job, 5, {}));
  EXPECT_GE(job.begun_with, 1);
}

TEST(Team, AStopEndsThoseThatAreNotTimedToo) {
  constexpr int kRepeats = 1'000'000;
  const std::vector<int> cpus = cpus_here();
  for (const Spans::Mode mode : {Spans::Mode::apart, Spans::Mode::together}) {
    NotingJob job(2, 10'000, 1);
    job.mode_ = mode;
    auto team = Team::start({{cpus.front(), cpus.back()}});
    ASSERT_TRUE(team);
    std::atomic<bool> flag{false};
    std::thread stopper([&flag] {
      spin_ns(5'000'000);
      flag = true;
    });
    const auto spans = (*team)->run(job, kRepeats, StopToken(flag));
    stopper.join();
    ASSERT_TRUE(spans);
    EXPECT_LT(spans->workers[0].size(), static_cast<std::size_t>(kRepeats));
  }
}

}  // namespace
}  // namespace roofbeam
