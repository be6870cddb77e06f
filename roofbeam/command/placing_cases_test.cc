// SPDX-License-Identifier: Apache-2.0
// Work placed by hand: the working stands beside each case, and its numbers were typed before the
// code they test was run. The machine they stand under is made up, of two cores:
//
//   GFLOP/s            both   one    GB/s        dram   l3    l2    l1   (of both; a core: half of
//   f32 multiply-add   1000   500    read         100  400  1000  2000    it, but 60, 30, 48 and 54
//   f32 add             500   250    write         50  200   500  1000    of dram)
//   f32 any            1500   750    copy 1:1      80  300   800  1600
//   bf16 dot           2000  1000    triad 2:1     90  330   900  1800
//   int8 dot           4000  2000
//   f64 multiply-add    500   250    caches end at 32 KB, 1 MB and 32 MB; latency.dram 100 ns
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "roofbeam/command/placing.h"

namespace roofbeam {
namespace {

Ceiling ceiling(double value, const char* unit) {
  Ceiling made;
  made.unit = unit;
  made.burst = {value, 0.99 * value, 1.01 * value, 5, Method::best};
  return made;
}

void put(DeviceProfile& profile, const std::string& stem, const char* unit, double all,
         double core) {
  profile.ceilings[stem + ".all"] = ceiling(all, unit);
  profile.ceilings[stem + ".core"] = ceiling(core, unit);
}

DeviceProfile machine() {
  DeviceProfile made;
  made.id = "cpu";
  made.kind = "cpu";
  made.name = "made up";
  made.cores_usable = 2;
  made.last_level_cache = Bytes(32e6);
  constexpr const char* kFlops = "flop_per_s";
  put(made, "compute.f32.fma", kFlops, 1000e9, 500e9);
  put(made, "compute.f32.add", kFlops, 500e9, 250e9);
  put(made, "compute.f32.any", kFlops, 1500e9, 750e9);
  put(made, "compute.bf16.dot", kFlops, 2000e9, 1000e9);
  put(made, "compute.int8.dot", kFlops, 4000e9, 2000e9);
  put(made, "compute.f64.fma", kFlops, 500e9, 250e9);
  struct Level {
    const char* name;
    double read, write, copy, triad;
  };
  for (const Level& level :
       {Level{"dram", 100, 50, 80, 90}, Level{"l3", 400, 200, 300, 330},
        Level{"l2", 1000, 500, 800, 900}, Level{"l1", 2000, 1000, 1600, 1800}}) {
    const std::string stem = std::string("bandwidth.") + level.name;
    const double core = stem == "bandwidth.dram" ? 0.6 : 0.5;
    put(made, stem + ".read", "bytes_per_s", level.read * 1e9, core * level.read * 1e9);
    put(made, stem + ".write", "bytes_per_s", level.write * 1e9, core * level.write * 1e9);
    put(made, stem + ".copy", "bytes_per_s", level.copy * 1e9, core * level.copy * 1e9);
    put(made, stem + ".triad", "bytes_per_s", level.triad * 1e9, core * level.triad * 1e9);
  }
  made.ceilings["latency.dram"] = ceiling(100e-9, "s");
  made.caches = {{"l1", Bytes(32e3), 1}, {"l2", Bytes(1e6), 1}, {"l3", Bytes(32e6), 2}};
  return made;
}

struct Work {
  const char* dtype = "f32";
  double flops = 0;
  double read = 0;
  double written = 0;
  double footprint = 0;  // 0: as much as it moves
  const char* arithmetic = "";
  int workers = 2;
};

Operation operation_of(const Work& work) {
  Operation made;
  made.name = "case";
  made.dtype = work.dtype;
  made.flops = Flops(work.flops);
  if (work.read + work.written > 0) {
    made.traffic = {{kMainMemory, Bytes(work.read), Bytes(work.written)}};
  }
  made.footprint = Bytes(work.footprint > 0 ? work.footprint : work.read + work.written);
  made.arithmetic = work.arithmetic;
  return made;
}

Placed placed_of(const Work& work, double seconds, const DeviceProfile& profile = machine()) {
  auto placed =
      place_operation(operation_of(work), exactly(Seconds(seconds)), profile, work.workers);
  EXPECT_TRUE(placed) << placed.error().what;
  return placed ? *placed : Placed{};
}

struct Expected {
  double bound_s;
  Cause bound_by;
  const char* level;  // empty where none binds; null where its name is not what the case is about
};

void expect(const Work& work, double seconds, const Expected& wanted) {
  const Placed placed = placed_of(work, seconds);
  ASSERT_TRUE(placed.point.verdict);
  const Verdict& verdict = *placed.point.verdict;
  EXPECT_NEAR(seconds / verdict.headroom.value, wanted.bound_s, 1e-6 * wanted.bound_s);
  EXPECT_EQ(verdict.bound_by, wanted.bound_by);
  if (wanted.level != nullptr) {
    EXPECT_EQ(verdict.bound_level, wanted.level);
  }
  EXPECT_EQ(verdict.standing, Standing::usable);
}

bool says(const Verdict& verdict, const std::string& words) {
  return std::any_of(verdict.because.begin(), verdict.because.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

// 10 GB ÷ 100 GB/s = 100 ms; 1 Gflop ÷ 1000 GFLOP/s = 1 ms. It took 125 ms.
TEST(PlacedByHand, Case01ReadingMainMemory) {
  expect({"f32", 1e9, 10e9}, 0.125, {0.100, Cause::bandwidth, "bandwidth.dram.read.all"});
}

// 1000 Gflop ÷ 1000 GFLOP/s = 1 s; 10 GB ÷ 100 GB/s = 0.1 s.
TEST(PlacedByHand, Case02MultiplyingAndAdding) {
  expect({"f32", 1e12, 10e9}, 1.25, {1.0, Cause::compute, "compute.f32.fma.all"});
}

// a = b + s·c: 16 GB read and 8 GB written are 2:1, so 24 GB ÷ 90 GB/s = 266.67 ms.
TEST(PlacedByHand, Case03TriadHasItsOwnCeiling) {
  expect({"f32", 4e9, 16e9, 8e9}, 0.3, {24.0 / 90, Cause::bandwidth, "bandwidth.dram.triad.all"});
}

// 8 GB read and 8 GB written are 1:1, so 16 GB ÷ 80 GB/s = 200 ms.
TEST(PlacedByHand, Case04CopyHasItsOwnCeiling) {
  expect({"f32", 0, 8e9, 8e9}, 0.25, {0.2, Cause::bandwidth, "bandwidth.dram.copy.all"});
}

// 5 GB ÷ 50 GB/s = 100 ms, and it took just that.
TEST(PlacedByHand, Case05WritingOnly) {
  expect({"f32", 0, 0, 5e9}, 0.1, {0.1, Cause::bandwidth, "bandwidth.dram.write.all"});
}

// 3:1 was not measured and lies between 2:1 and reading alone: of 9 GB read and 3 written, 6 and 3
// are a triad, 9 GB ÷ 90 GB/s, and 3 are read, ÷ 100 GB/s: 100 ms + 30 ms.
TEST(PlacedByHand, Case06AnotherMixIsOfTheTwoBesideIt) {
  expect({"f32", 0, 9e9, 3e9}, 0.2, {0.130, Cause::bandwidth, "bandwidth.dram.read+triad.all"});
}

// 1:3 lies between a copy and writing alone: 6 GB ÷ 80 GB/s + 6 GB ÷ 50 GB/s = 75 ms + 120 ms.
TEST(PlacedByHand, Case07AMixOfMostlyWriting) {
  expect({"f32", 0, 3e9, 9e9}, 0.25, {0.195, Cause::bandwidth, nullptr});
}

// No flops at all: 10 GB ÷ 100 GB/s, and it took 160 ms.
TEST(PlacedByHand, Case08BytesAlone) {
  expect({"f32", 0, 10e9}, 0.16, {0.1, Cause::bandwidth, "bandwidth.dram.read.all"});
  EXPECT_FALSE(placed_of({"f32", 0, 10e9}, 0.16).point.roof) << "no flops, no height";
}

// No bytes at all: 100 Gflop ÷ 1000 GFLOP/s, and it took 110 ms.
TEST(PlacedByHand, Case09FlopsAlone) {
  expect({"f32", 1e11}, 0.11, {0.1, Cause::compute, "compute.f32.fma.all"});
}

// 16 MB fit in the 32 MB: 40 GB in all ÷ 400 GB/s = 100 ms, and main memory is no bound.
TEST(PlacedByHand, Case10WhatFitsInTheThirdCache) {
  expect({"f32", 1e9, 40e9, 0, 16e6}, 0.125, {0.1, Cause::bandwidth, "bandwidth.l3.read.all"});
}

// 500 KB a core and 1 MB of cache each: 40 GB ÷ 1000 GB/s = 40 ms.
TEST(PlacedByHand, Case11WhatFitsInTheSecondCache) {
  expect({"f32", 1e9, 40e9, 0, 5e5}, 0.05, {0.04, Cause::bandwidth, "bandwidth.l2.read.all"});
}

// Main memory would take 100 ms, and it took 40: it came from the next cache, which takes 10 GB ÷
// 400 GB/s = 25 ms.
TEST(PlacedByHand, Case12FasterThanMainMemoryIsServedFromACache) {
  expect({"f32", 1e9, 10e9}, 0.04, {0.025, Cause::bandwidth, "bandwidth.l3.read.all"});
}

// Multiply-adds would take 1 s, and it took half of it: the promise is broken.
TEST(PlacedByHand, Case13AboveTheArithmeticItUsed) {
  const Placed placed = placed_of({"f32", 1e12, 0, 0, 0, "fma"}, 0.5);
  EXPECT_EQ(placed.point.verdict->standing, Standing::invalid);
  EXPECT_EQ(placed.point.verdict->bound_by, Cause::cannot_tell);
}

// Multiply-adds alone would take 1 s; with additions beside them 1000 ÷ 1500 = 666.67 ms.
TEST(PlacedByHand, Case14FasterThanMultiplyAddsUsedOthersToo) {
  expect({"f32", 1e12}, 0.8, {1.0 / 1.5, Cause::compute, "compute.f32.any.all"});
}

// Even those take 666.67 ms, and it took 500.
TEST(PlacedByHand, Case15AboveEveryArithmetic) {
  EXPECT_EQ(placed_of({"f32", 1e12}, 0.5).point.verdict->standing, Standing::invalid);
}

// Additions alone: 100 Gflop ÷ 500 GFLOP/s = 200 ms.
TEST(PlacedByHand, Case16AddingOnly) {
  expect({"f32", 1e11, 0, 0, 0, "add"}, 0.25, {0.2, Cause::compute, "compute.f32.add.all"});
}

// 1000 Gflop ÷ 2000 GFLOP/s = 500 ms; 4 GB ÷ 100 GB/s = 40 ms.
TEST(PlacedByHand, Case17Bf16) {
  expect({"bf16", 1e12, 4e9}, 0.625, {0.5, Cause::compute, "compute.bf16.dot.all"});
}

// 1000 Gop ÷ 4000 Gop/s = 250 ms.
TEST(PlacedByHand, Case18Int8) {
  expect({"int8", 1e12, 1e9}, 0.4, {0.25, Cause::compute, "compute.int8.dot.all"});
}

// One core reads 60 GB/s: 6 GB take 100 ms; its 10 Gflop ÷ 500 GFLOP/s take 20 ms.
TEST(PlacedByHand, Case19OneWorkerOfTwo) {
  expect({"f32", 1e10, 6e9, 0, 0, "", 1}, 0.11,
         {0.1, Cause::bandwidth, "bandwidth.dram.read.core"});
}

// The ridge is 1000 ÷ 100 = 10 flop/byte. 100 Gflop take 100 ms and 9.95 GB 99.5 ms, each within
// 1 %: arithmetic binds, and nobody can say that memory does not.
TEST(PlacedByHand, Case20AtTheRidgeBothAreNamed) {
  const Work work{"f32", 1e11, 9.95e9};
  expect(work, 0.11, {0.1, Cause::compute, "compute.f32.fma.all"});
  EXPECT_TRUE(says(*placed_of(work, 0.11).point.verdict, "bandwidth.dram.read.all"));
}

// The longest of its bounds is 100 ms, and it took 250: 40 %, less than half.
TEST(PlacedByHand, Case21UnderHalfOfEveryRoofNoneIsReached) {
  expect({"f32", 1e9, 10e9}, 0.25, {0.1, Cause::none_reached, ""});
}

// 100 Gflop ÷ 10 GB = 10 flop/byte: 10 · 100 GB/s = 1000 GFLOP/s. At 2 flop/byte the roof is 200
// GFLOP/s, and 20 Gflop in 125 ms are 160: 80 % of it.
TEST(PlacedByHand, Case22TheHeightOfTheRoofOverAnIntensity) {
  const Point point = placed_of({"f32", 20e9, 10e9}, 0.125).point;
  EXPECT_NEAR(point.intensity->value(), 2, 1e-12);
  EXPECT_NEAR(point.roof->value(), 200e9, 1);
  EXPECT_NEAR(point.rate()->value.value(), 160e9, 1);
  EXPECT_NEAR(point.share_of_roof()->value, 0.8, 1e-6);
}

// Where only 900 GFLOP/s last, 1000 Gflop are expected to take 1.111 s; the bound stays 1 s.
TEST(PlacedByHand, Case23PredictionsAreOfWhatLasts) {
  DeviceProfile profile = machine();
  profile.ceilings["compute.f32.fma.all"].sustained = exactly(900e9);
  const Point point = placed_of({"f32", 1e12}, 1.25, profile).point;
  EXPECT_NEAR(point.predicted->value.value(), 1 / 0.9, 1e-6);
  EXPECT_NEAR(1.25 / point.verdict->headroom.value, 1.0, 1e-6);
}

// A million loads that wait for one another: 1e6 · 100 ns = 100 ms, beside 1 GB ÷ 60 GB/s.
TEST(PlacedByHand, Case24LoadsThatWaitArePredictedByTheirLatency) {
  Operation operation = operation_of({"f32", 0, 1e9, 0, 0, "", 1});
  operation.waiting_loads = 1e6;
  const auto placed = place_operation(operation, std::nullopt, machine(), 1);
  ASSERT_TRUE(placed) << placed.error().what;
  EXPECT_NEAR(placed->point.predicted->value.value(), 0.1, 1e-6);
}

TEST(PlacedByHand, Case25ATimeOfNothingStandsUnderNoCeiling) {
  const auto placed = place_operation(operation_of({}), exactly(Seconds(1)), machine(), 2);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, ErrorCode::cannot_tell);
}

}  // namespace
}  // namespace roofbeam
