// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/point.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

Estimate<Seconds> between(double low, double value, double high) {
  return {Seconds(value), Seconds(low), Seconds(high), 5, Method::median};
}

// 100 flop and 50 bytes, predicted 2 s, measured `seconds`.
Point point(double seconds) {
  Point made;
  made.name = "work";
  made.dtype = "f32";
  made.memory = "dram";
  made.flops = Flops(100);
  made.bytes_read = Bytes(30);
  made.bytes_written = Bytes(20);
  made.intensity = Intensity(2);
  made.predicted = between(1.5, 2, 2.5);
  made.time = between(seconds * 0.9, seconds, seconds * 1.1);
  return made;
}

TEST(Point, RatesAreWhatWasDoneInTheTimeItTook) {
  const Point made = point(4);
  EXPECT_EQ(made.rate()->value, FlopRate(25));
  EXPECT_EQ(made.byte_rate()->value, ByteRate(12.5));
  EXPECT_EQ(*made.error_ratio(), -0.5) << "predicted half of what it took";
  EXPECT_FALSE(*made.covered());
  EXPECT_TRUE(*point(2.4).covered());
}

TEST(Point, WhatIsNotKnownIsAbsent) {
  Point made = point(4);
  made.flops = Flops(0);
  EXPECT_FALSE(made.rate());
  made.time.reset();
  EXPECT_FALSE(made.byte_rate());
  EXPECT_FALSE(made.error_ratio());
  EXPECT_FALSE(made.share_of_roof());
}

TEST(Point, TheSummaryLeavesRepeatsOutAndNamesTheWorst) {
  Point repeat = point(20);
  repeat.repeat = true;
  Point worst = point(8);
  worst.name = "slow";
  Point beside_others = point(20);
  beside_others.disturbed = "a neighbour";
  const auto summary = summary_of({point(2), point(2.5), worst, repeat, beside_others});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->compared, 3);
  EXPECT_EQ(summary->repeats, 1);
  EXPECT_EQ(summary->disturbed, 1);
  EXPECT_EQ(summary->covered, 2);
  EXPECT_NEAR(summary->median_error_ratio, 0.2, 1e-12);
  EXPECT_EQ(summary->worst_error_ratio, -0.75);
  EXPECT_EQ(summary->worst, "slow f32 dram");
  EXPECT_FALSE(summary_of({repeat}));
}

TEST(Point, ReadsBackEqual) {
  for (Point made : {point(4), Point{}}) {
    if (!made.predicted) made.no_prediction = "a chain";
    if (!made.time) made.no_time = "stopped before";
    const Json json = to_json(made);
    JsonReader reader(json, "f");
    const Point back = point_from(reader);
    EXPECT_EQ(reader.error(), nullptr);
    EXPECT_EQ(back, made);
  }
}

}  // namespace
}  // namespace roofbeam
