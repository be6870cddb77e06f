// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/windows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace roofbeam {
namespace {

TEST(Windows, TogetherIsFirstStartToLastEnd) {
  const Spans spans{
      Spans::Mode::together, {{{0, 100}, {200, 310}}, {{10, 120}, {190, 300}}}, {}, {}};
  const auto times = window_times(spans).all;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0], 120e-9);
  EXPECT_DOUBLE_EQ(times[1], 120e-9);
}

TEST(Windows, TogetherCountsOnlyRepeatsEveryWorkerFinished) {
  const Spans spans{Spans::Mode::together, {{{0, 100}, {200, 300}}, {{0, 100}}}, {}, {}};
  EXPECT_EQ(window_times(spans).all.size(), 1U);
}

TEST(Windows, ApartAddsTheSharesOfOverlappingSpans) {
  // Two equal workers half a span out of step: each window of the first holds one span of each, so
  // one execution takes one span.
  Spans spans{Spans::Mode::apart, {{}, {}}, {}, {}};
  for (int i = 0; i < 6; ++i) {
    spans.workers[0].push_back({i * 100, i * 100 + 100});
    spans.workers[1].push_back({i * 100 - 50, i * 100 + 50});
  }
  const auto times = window_times(spans).all;
  ASSERT_EQ(times.size(), 5U) << "the last window is not covered by the other worker";
  for (double time : times) EXPECT_DOUBLE_EQ(time, 100e-9);
}

TEST(Windows, AWindowInWhichOneWorkerWasHeldUpIsSlow) {
  Spans spans{Spans::Mode::apart, {{}, {}}, {}, {}};
  for (int i = 0; i < 4; ++i) spans.workers[0].push_back({i * 100, i * 100 + 100});
  spans.workers[1] = {{0, 100}, {100, 300}, {300, 400}};
  const auto times = window_times(spans).all;
  ASSERT_EQ(times.size(), 4U);
  EXPECT_DOUBLE_EQ(times[0], 100e-9);
  EXPECT_DOUBLE_EQ(times[1], 100e-9 / 0.75);
  EXPECT_DOUBLE_EQ(times[2], 100e-9 / 0.75);
  EXPECT_DOUBLE_EQ(times[3], 100e-9);
}

TEST(Windows, ALateControllerCannotRaiseTheRate) {
  // The second worker ran alone before the first began: no window may count that work.
  const Spans spans{
      Spans::Mode::apart,
      {{{1000, 1100}, {1100, 1200}}, {{0, 100}, {100, 200}, {1000, 1100}, {1100, 1200}}},
      {},
      {}};
  const auto times = window_times(spans).all;
  ASSERT_FALSE(times.empty());
  for (double time : times) EXPECT_DOUBLE_EQ(time, 100e-9);
}

TEST(Windows, NoSpansGiveNoFigures) {
  EXPECT_TRUE(window_times({}).all.empty());
  EXPECT_TRUE(window_times({Spans::Mode::apart, {{}, {}}, {}, {}}).all.empty());
  EXPECT_EQ(sustained_time({Spans::Mode::apart, {{}, {}}, {}, {}}), 0);
}

TEST(Windows, AWindowThatOverlapsADisturbedSpanOfAnyWorkerIsNotQuiet) {
  Spans spans{Spans::Mode::apart, {{}, {}}, {}, {}};
  for (int i = 0; i < 4; ++i) spans.workers[0].push_back({i * 100, i * 100 + 100});
  spans.workers[1] = {{0, 100}, {100, 250, true}, {250, 400}};
  EXPECT_EQ(window_times(spans).all.size(), 4U);
  EXPECT_EQ(window_times(spans).quiet.size(), 2U) << "the first and the last";
  spans.workers[0][3].disturbed = true;
  EXPECT_EQ(window_times(spans).quiet.size(), 1U);
  const Spans met{Spans::Mode::together, {{{0, 9}, {9, 18}}, {{0, 9}, {9, 18, true}}}, {}, {}};
  EXPECT_EQ(window_times(met).quiet.size(), 1U);
}

TEST(Windows, AWorkerWithoutSpansOnlyDisturbsTheOthers) {
  const Spans spans{Spans::Mode::apart, {{{0, 100}, {100, 200}}, {}}, {}, {}};
  const auto times = window_times(spans).all;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0], 100e-9);
  EXPECT_DOUBLE_EQ(times[1], 100e-9);
  EXPECT_DOUBLE_EQ(sustained_time(spans), 100e-9);
}

TEST(Windows, ThoseThatTookNoTimeAreCounted) {
  const Spans spans{Spans::Mode::together, {{{0, 100}, {100, 100}, {100, 100}}}, {}, {}};
  EXPECT_EQ(window_times(spans).all.size(), 1U);
  EXPECT_EQ(window_times(spans).empty, 2);
}

TEST(ClockStep, IsWhatAllLengthsDifferBy) {
  Spans spans{Spans::Mode::together, {{}}, {}, {}};
  const std::vector<std::int64_t> lengths = {294, 336, 336, 294, 420, 378, 294, 378};
  std::int64_t now = 0;
  for (const std::int64_t length : lengths) {
    spans.workers[0].push_back({now, now + length});
    now += length;
  }
  EXPECT_DOUBLE_EQ(clock_step(spans), 42e-9);
  spans.workers[0].resize(7);
  EXPECT_EQ(clock_step(spans), 0) << "seven may share a divisor by chance";
  spans.workers[0].assign(20, {0, 300});
  EXPECT_EQ(clock_step(spans), 0) << "they are all alike";
  spans.workers[0].back() = {0, 1500};
  EXPECT_EQ(clock_step(spans), 0) << "no step is longer than a span";
}

TEST(Sustained, IncludesTheGaps) {
  const Spans spans{Spans::Mode::together, {{{0, 100}, {900, 1000}}}, {}, {}};
  EXPECT_DOUBLE_EQ(sustained_time(spans), 500e-9);
}

}  // namespace
}  // namespace roofbeam
