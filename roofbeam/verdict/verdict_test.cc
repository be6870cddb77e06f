// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/verdict.h"

#include <gtest/gtest.h>

#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

Estimate<Seconds> about(double value, double spread) {
  return {Seconds(value), Seconds(value * (1 - spread)), Seconds(value * (1 + spread)), 5,
          Method::median};
}

Operation product(double flops, double bytes) {
  Operation operation;
  operation.name = "work";
  operation.dtype = "f32";
  operation.flops = Flops(flops);
  operation.traffic = {{"dram", Bytes(bytes), Bytes(0)}};
  return operation;
}

Roof roof(double arithmetic, double bandwidth) {
  Roof made;
  made.arithmetic_ceiling = "compute.f32.fma.all";
  made.arithmetic = exactly(FlopRate(arithmetic), Method::best);
  made.memories = {{"dram", "bandwidth.dram.read.all", exactly(ByteRate(bandwidth), Method::best)}};
  return made;
}

TEST(Judge, NearTheRoofTheLongerChargeBinds) {
  const Verdict compute = judge(roofline(product(1000, 10), roof(100, 10)), about(11, 0.01));
  EXPECT_EQ(compute.bound_by, Cause::compute);
  EXPECT_EQ(compute.bound_level, "compute.f32.fma.all");
  EXPECT_NEAR(compute.headroom.value, 1.1, 1e-12);
  const Verdict bytes = judge(roofline(product(1000, 1000), roof(100, 10)), about(110, 0.01));
  EXPECT_EQ(bytes.bound_by, Cause::bandwidth);
  EXPECT_EQ(bytes.bound_level, "bandwidth.dram.read.all");
}

TEST(Judge, UnderHalfOfTheRoofNoneIsReached) {
  const Breakdown bound = roofline(product(1000, 10), roof(100, 10));
  EXPECT_EQ(judge(bound, about(19.9, 0.01)).bound_by, Cause::compute);
  EXPECT_EQ(judge(bound, about(20.1, 0.01)).bound_by, Cause::none_reached);
  EXPECT_EQ(judge(bound, about(20.1, 0.01)).bound_level, "");
}

TEST(Judge, ADisturbanceBelowHalfOfTheRoofMakesItUndecided) {
  const Breakdown bound = roofline(product(1000, 10), roof(100, 10));
  const Warnings disturbed = {{"neighbour", "other processes took 1 of 2 cores meanwhile"}};
  EXPECT_EQ(judge(bound, about(21, 0.01), disturbed).bound_by, Cause::cannot_tell);
  EXPECT_EQ(judge(bound, about(11, 0.01), disturbed).bound_by, Cause::compute);
}

TEST(Judge, AboveTheCeilingIsInvalidOnlyBeyondBothIntervals) {
  const Breakdown bound = roofline(product(1000, 10), roof(100, 10));
  EXPECT_EQ(judge(bound, about(9.95, 0.01)).standing, Standing::usable);
  EXPECT_EQ(judge(bound, about(9, 0.15)).standing, Standing::usable) << "its interval holds 10 s";
  const Verdict broken = judge(bound, about(9, 0.01));
  EXPECT_EQ(broken.standing, Standing::invalid);
  ASSERT_EQ(broken.warnings.size(), 1U);
  EXPECT_EQ(broken.warnings[0].code, "above_ceiling");
  EXPECT_EQ(broken.bound_by, Cause::cannot_tell)
      << "a ceiling known to be wrong holds nothing back";
}

TEST(Judge, FasterThanItsMemoryWasServedFromCacheAndIsNoError) {
  // Bytes would take 100 s, arithmetic 10 s; it took 12.
  const Verdict verdict = judge(roofline(product(1000, 1000), roof(100, 10)), about(12, 0.01));
  EXPECT_EQ(verdict.standing, Standing::usable);
  EXPECT_EQ(verdict.bound_by, Cause::compute);
  EXPECT_NEAR(verdict.headroom.value, 1.2, 1e-12);
  EXPECT_EQ(verdict.because.back(),
            "dram traffic alone would take 100 s at bandwidth.dram.read.all: some of it was served "
            "from a cache");
}

// Bytes take 100 s from DRAM, 10 s from a cache at 100 B/s. Of 91 s the part at DRAM was all but a
// tenth: 100 - 91 of 100 - 10.
TEST(Judge, BetweenTwoMemoriesTheOuterOneHoldsItBack) {
  Roof two = roof(1000, 10);
  two.memories.push_back({"l3", "bandwidth.l3.read.all", exactly(ByteRate(100), Method::best)});
  Operation work = product(1000, 1000);
  work.traffic.push_back({"l3", Bytes(1000), Bytes(0)});
  const Verdict verdict = judge(roofline(work, two), about(91, 0.01));
  EXPECT_EQ(verdict.bound_by, Cause::bandwidth);
  EXPECT_EQ(verdict.bound_level, "bandwidth.dram.read.all");
  EXPECT_NEAR(verdict.headroom.value, 1, 1e-12);
  EXPECT_EQ(verdict.because.back(),
            "there was time for only part of it there: about 10 % of it came from a cache");
  EXPECT_EQ(judge(roofline(work, two), about(11, 0.01)).bound_level, "bandwidth.l3.read.all");
}

// Faster than a memory that nothing evades is above a ceiling; within 3 % it is the band of one.
TEST(Judge, AMemoryThatNothingEvadesIsACeiling) {
  const Breakdown bound = roofline(product(1000, 1000), roof(1000, 10));
  const std::string dram = "bandwidth.dram.read.all";
  EXPECT_EQ(judge(bound, about(90, 0.01), {}, dram).standing, Standing::invalid);
  EXPECT_EQ(judge(bound, about(98, 0.01), {}, dram).standing, Standing::usable);
  EXPECT_EQ(judge(bound, about(90, 0.01)).standing, Standing::usable);
}

TEST(Judge, CeilingsThatCannotBeToldApartAreNamed) {
  Roof wide = roof(100, 10);
  wide.arithmetic = {FlopRate(100), FlopRate(90), FlopRate(110), 5, Method::best};
  const Verdict verdict = judge(roofline(product(1000, 95), wide), about(11, 0.01));
  EXPECT_EQ(verdict.bound_by, Cause::compute);
  bool named = false;
  for (const std::string& reason : verdict.because) {
    named |= reason ==
             "bandwidth.dram.read.all cannot be told from compute.f32.fma.all: their "
             "intervals overlap";
  }
  EXPECT_TRUE(named);
}

TEST(Remedies, TheGainIsTheModelsAnswerToTheEdit) {
  // Arithmetic 10 s, bytes 8 s: twice the arithmetic leaves the bytes, 10/8; twice the bandwidth
  // leaves the arithmetic.
  const auto remedies = roofline_remedies(product(1000, 80), roof(100, 10));
  ASSERT_EQ(remedies.size(), 2U);
  EXPECT_EQ(remedies[0].action, "twice the arithmetic rate (twice compute.f32.fma.all)");
  EXPECT_DOUBLE_EQ(remedies[0].gain.value, 1.25);
  EXPECT_DOUBLE_EQ(remedies[1].gain.value, 1.0);
}

TEST(Remedies, TheGainMovesWithTheInput) {
  EXPECT_DOUBLE_EQ(roofline_remedies(product(1000, 10), roof(100, 10))[0].gain.value, 2);
  EXPECT_DOUBLE_EQ(roofline_remedies(product(1000, 90), roof(100, 10))[0].gain.value, 10.0 / 9);
  // Bytes bind: the larger gain, and so the first remedy, is the bandwidth's.
  const auto bytes = roofline_remedies(product(1000, 160), roof(100, 10));
  EXPECT_EQ(bytes[0].action, "twice the memory bandwidth (twice bandwidth.dram.read.all)");
  EXPECT_DOUBLE_EQ(bytes[0].gain.value, 1.6);
}

TEST(Remedies, AnotherTypeTakesItsOwnBytesAndItsOwnRoof) {
  Operation half = product(1000, 5);
  half.dtype = "bf16";
  Roof dot = roof(250, 10);
  dot.arithmetic_ceiling = "compute.bf16.dot.all";
  const Remedy remedy = other_type_remedy(product(1000, 10), roof(100, 10), half, dot);
  EXPECT_DOUBLE_EQ(remedy.gain.value, 2.5);
  EXPECT_EQ(remedy.action, "compute in bf16 instead of f32");
}

TEST(Remedies, LiftingAQuotaGainsTheTimeItTook) {
  const Breakdown bound = sum_of(
      "run", {roofline(product(1000, 10), roof(100, 10)),
              charge("stopped by the CPU quota", Cause::quota, "limits.quota", about(5, 0))});
  EXPECT_DOUBLE_EQ(without_cause_remedy("lift the quota", bound, Cause::quota).gain.value, 1.5);
  EXPECT_EQ(judge(bound, about(15, 0.01)).bound_by, Cause::compute);
  EXPECT_NEAR(judge(bound, about(15, 0.01)).headroom.value, 1, 1e-12);
}

TEST(Remedies, AMeasuredGainIsTheRatioOfTheTimes) {
  const Remedy remedy = measured_remedy("use x", about(6, 0.1), about(2, 0.1));
  EXPECT_DOUBLE_EQ(remedy.gain.value, 3);
  EXPECT_LT(remedy.gain.low, 3);
  EXPECT_GT(remedy.gain.high, 3);
}

}  // namespace
}  // namespace roofbeam
