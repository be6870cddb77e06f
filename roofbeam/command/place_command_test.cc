// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/place_command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace roofbeam {
namespace {

// A run of ten seconds in which 0, 1, 2, … threads ran for so long.
ProcessRun run_of(const std::vector<double>& running, double cpu) {
  ProcessRun run;
  run.wall = Seconds(10);
  run.user = Seconds(cpu);
  run.looks = 1000;
  for (double time : running) run.running.emplace_back(time);
  run.read = Bytes(5e3);
  run.fetched = Bytes(0);
  run.stored = Bytes(0);
  return run;
}

Verdict verdict_of(const ProcessRun& run, int cores) {
  return *point_of_run(run, "work", cores).verdict;
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

TEST(PlaceCommand, OneThreadOfFourCoresIsSerial) {
  const Verdict verdict = verdict_of(run_of({0, 10}, 10), 4);
  EXPECT_EQ(verdict.bound_by, Cause::serial);
  EXPECT_DOUBLE_EQ(verdict.headroom.value, 4);  // 10 s, and 10 s of CPU time on four cores are 2.5
  ASSERT_EQ(verdict.remedies.size(), 1U);
  EXPECT_EQ(verdict.remedies[0].action, "split what one thread did over all 4 cores");
  EXPECT_DOUBLE_EQ(verdict.remedies[0].gain.value, 4);
}

// 6 s of one thread, and 4 s of two: of 14 s of work 8 are parallel. On four cores the parallel
// part takes 8 ÷ 4 = 2 s, so 6 + 2 of 10 s; all of it split takes 14 ÷ 4 = 3.5 s. Amdahl: 1 ÷
// (6/14 + 8/14/4) = 1.75.
TEST(PlaceCommand, AmdahlsLawTakesTheMeasuredShares) {
  const Verdict verdict = verdict_of(run_of({0, 6, 4}, 14), 4);
  EXPECT_EQ(verdict.bound_by, Cause::serial);
  ASSERT_EQ(verdict.remedies.size(), 2U);
  EXPECT_NEAR(verdict.remedies[0].gain.value, 10 / 3.5, 1e-12);
  EXPECT_NEAR(verdict.remedies[1].gain.value, 10.0 / 8, 1e-12);
  EXPECT_EQ(verdict.remedies[1].action, "use all 4 cores where several threads ran");
  EXPECT_EQ(verdict.remedies[0].excludes, std::vector<std::string>({verdict.remedies[1].action}));
  EXPECT_TRUE(says(verdict.because, "57 % of its work ran on several"));
  EXPECT_TRUE(says(verdict.because, "4 cores are then at most 1.75x as fast as one"));
}

TEST(PlaceCommand, OnOneCoreNothingIsSerial) {
  const Verdict verdict = verdict_of(run_of({0, 10}, 10), 1);
  EXPECT_EQ(verdict.bound_by, Cause::cannot_tell);
  EXPECT_DOUBLE_EQ(verdict.headroom.value, 1);
  EXPECT_TRUE(verdict.remedies.empty());
}

TEST(PlaceCommand, BusyCoresDoNotSayWithWhat) {
  const Verdict verdict = verdict_of(run_of({0, 0, 10}, 20), 2);
  EXPECT_EQ(verdict.bound_by, Cause::cannot_tell);
  EXPECT_TRUE(says(verdict.because, "only counts would tell"));
}

TEST(PlaceCommand, MoreThreadsThanCoresTakeTurns) {
  // Six threads on two cores for 5 s did 10 s of work, and one thread 5: 15 ÷ 2 = 7.5 s.
  const Verdict verdict = verdict_of(run_of({0, 5, 0, 0, 0, 0, 5}, 15), 2);
  EXPECT_NEAR(verdict.remedies[0].gain.value, 10 / 7.5, 1e-12);
}

TEST(PlaceCommand, WaitingForADeviceWhileReadingIsLoading) {
  ProcessRun run = run_of({8, 2}, 2);
  EXPECT_EQ(verdict_of(run, 2).bound_by, Cause::cannot_tell);
  run.on_disk = Seconds(5);
  EXPECT_EQ(verdict_of(run, 2).bound_by, Cause::cannot_tell) << "it read next to nothing";
  run.fetched = Bytes(1e9);
  const Verdict verdict = verdict_of(run, 2);
  EXPECT_EQ(verdict.bound_by, Cause::data_loading);
  EXPECT_TRUE(says(verdict.because, "in 50 % of the time it waited in the kernel for a device"));
  // Without the 8 s of waiting 2 are left.
  EXPECT_EQ(verdict.remedies[0].action, "have ready what it waits for when no thread runs");
  EXPECT_NEAR(verdict.remedies[0].gain.value, 5, 1e-12);
}

TEST(PlaceCommand, TheKernelsOwnAccountOfStorageCountsToo) {
  ProcessRun run = run_of({8, 2}, 2);
  run.storage_wait = Seconds(6);
  run.fetched = Bytes(1e9);
  EXPECT_EQ(verdict_of(run, 2).bound_by, Cause::data_loading);
}

TEST(PlaceCommand, AShortRunIsKnownByItsCpuTimeAlone) {
  ProcessRun run = run_of({}, 3);
  run.looks = 2;
  const Verdict verdict = verdict_of(run, 2);
  EXPECT_EQ(verdict.bound_by, Cause::cannot_tell);
  EXPECT_TRUE(says(verdict.because, "too short to look at its threads"));
  EXPECT_NEAR(verdict.headroom.value, 10 / 1.5, 1e-12);
}

TEST(PlaceCommand, APointOfARunHasATimeAndNoPrediction) {
  const Point point = point_of_run(run_of({0, 10}, 10), "work", 4);
  EXPECT_EQ(point.name, "work");
  EXPECT_EQ(point.workers, 4);
  EXPECT_EQ(point.time, exactly(Seconds(10)));
  EXPECT_FALSE(point.predicted);
  EXPECT_EQ(point.no_prediction, "nothing was counted of what it does");
}

TEST(PlaceCommand, MissesOfTheLastCacheAreBytesWhereTheyWereCounted) {
  ProcessRun run = run_of({0, 10}, 10);
  run.counters = {{"cycles", 1e9, ""}, {"llc misses", std::nullopt, "no"}};
  EXPECT_FALSE(operation_of_run(run, "work"));
  run.counters[1] = {"llc misses", 1e6, ""};
  run.peak_memory = Bytes(1e9);
  const auto operation = operation_of_run(run, "work");
  ASSERT_TRUE(operation);
  EXPECT_EQ(operation->traffic[0].read, Bytes(64e6));
  EXPECT_EQ(operation->footprint, Bytes(1e9));
}

TEST(PlaceCommand, WhatIsMissingIsSaidWithItsReason) {
  ProcessRun run = run_of({0, 10}, 10);
  run.fetched.reset();
  run.no_io = "why";
  run.no_storage_wait = "because";
  run.counters = {{"cycles", 2e9, ""}, {"instructions", std::nullopt, "forbidden"}};
  run.left_behind = 1;
  const std::vector<std::string> remarks = remarks_of_run(run);
  EXPECT_TRUE(says(remarks, "what it read is not known: why"));
  EXPECT_TRUE(says(remarks, "how long it waited for storage is not known: because"));
  EXPECT_TRUE(says(remarks, "counted in user mode: 2 Gcycles"));
  EXPECT_TRUE(says(remarks, "not counted: instructions: forbidden"));
  EXPECT_TRUE(says(remarks, "it left 1 process behind"));
}

}  // namespace
}  // namespace roofbeam
