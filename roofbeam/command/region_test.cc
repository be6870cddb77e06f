// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/region.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/profile/store.h"

namespace roofbeam {
namespace {

const std::string kSource = ROOFBEAM_SOURCE_DIR;
const std::string kQuiet = "fake:" + kSource + "/tests/fakes/quiet.json";

// That machine: a core does 120 GFLOP/s and 25 GB/s, two do 240 GFLOP/s and 45 GB/s; 32 MiB of
// cache. Its own noise hides up to about 1 % of its ceilings.
constexpr double kNear = 0.015;

DeviceOptions on(const std::string& device, int threads) {
  DeviceOptions options;
  options.device = device;
  options.threads = threads;
  return options;
}

Region region_of(double flops, double bytes, double seconds) {
  Region region;
  region.flops = Flops(flops);
  region.bytes = Bytes(bytes);
  region.times.assign(kLeastTimes, Seconds(seconds));
  return region;
}

std::vector<std::string> codes_of(const Verdict& verdict) {
  std::vector<std::string> codes;
  for (const Warning& warning : verdict.warnings) codes.push_back(warning.code);
  return codes;
}

bool says(const Verdict& verdict, const std::string& words) {
  for (const std::string& reason : verdict.because) {
    if (reason.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Region, WorkOfManyBytesIsBoundByBandwidth) {
  // 1 GB at 25 GB/s takes 40 ms; it took 50.
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.05), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_by, Cause::bandwidth);
  EXPECT_EQ(verdict->bound_level, "bandwidth.dram.read.core");
  EXPECT_NEAR(verdict->headroom.value, 1.25, 1.25 * kNear);
  EXPECT_EQ(verdict->because,
            std::vector<std::string>(
                {"it took 50 ms, and the ceilings allow 40.1 ms: 80 % of what is possible",
                 "arithmetic takes at least 834 µs at compute.f32.fma.core",
                 "dram traffic takes at least 40.1 ms at bandwidth.dram.read.core",
                 "0.1 flop/byte lies left of the ridge at 4.80 flop/byte: memory bandwidth is what "
                 "counts"}));
  ASSERT_EQ(verdict->remedies.size(), 2U);
  EXPECT_EQ(verdict->remedies[0].action,
            "twice the memory bandwidth (twice bandwidth.dram.read.core)");
  EXPECT_DOUBLE_EQ(verdict->remedies[0].gain.value, 2);
  EXPECT_DOUBLE_EQ(verdict->remedies[1].gain.value, 1);
  EXPECT_EQ(verdict->standing, Standing::usable);
  EXPECT_EQ(codes_of(*verdict), std::vector<std::string>());
}

TEST(Region, TheSameBytesWithMoreArithmeticAreBoundByIt) {
  // 6 Gflop at 120 GFLOP/s take 50 ms.
  const auto verdict = judge_region(region_of(6e9, 1e9, 0.1), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_by, Cause::compute);
  EXPECT_EQ(verdict->bound_level, "compute.f32.fma.core");
  EXPECT_NEAR(verdict->headroom.value, 2, 2 * kNear);
}

TEST(Region, OnTwoThreadsItStandsUnderTheCeilingsOfAllCores) {
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.025), on(kQuiet, 0));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_level, "bandwidth.dram.read.all");
  EXPECT_NEAR(verdict->headroom.value, 0.025 * 45, 0.025 * 45 * kNear);
}

TEST(Region, UnderHalfOfEveryCeilingNoneIsReached) {
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.1), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_by, Cause::none_reached);
  EXPECT_TRUE(verdict->remedies.empty());
}

TEST(Region, WhatFitsInTheCacheIsNotBoundByDram) {
  Region region = region_of(6e9, 1e9, 0.06);
  region.footprint = Bytes(1e6);  // swept over a thousand times
  const auto verdict = judge_region(region, on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(ceilings_in(verdict->breakdown).count("bandwidth.dram.read.core"), 0U);
  EXPECT_TRUE(says(*verdict, "so DRAM is no bound here"));
  // 1 GB at the level 2 cache's 255 GB/s takes 3.9 ms.
  region.flops = Flops(0);
  region.times.assign(kLeastTimes, Seconds(0.005));
  const auto bytes_alone = judge_region(region, on(kQuiet, 1));
  ASSERT_TRUE(bytes_alone) << bytes_alone.error().what;
  EXPECT_EQ(bytes_alone->bound_level, "bandwidth.l2.read.core");
}

// 1 GB in 5 ms are 200 GB/s: more than the level 3 cache gives a core, less than the level 2 cache.
TEST(Region, BytesThatCameFasterThanDramWereCached) {
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.005), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_level, "bandwidth.l2.read.core");
  EXPECT_TRUE(says(*verdict, "some of it was served from a cache"));
  EXPECT_EQ(verdict->remedies.size(), 2U);
}

// 1 GB in 1 ms are twice what the innermost cache gives.
TEST(Region, BytesThatCameFasterThanFromTheInnermostCacheAreAboveACeiling) {
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.001), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->standing, Standing::invalid);
  EXPECT_EQ(verdict->bound_by, Cause::cannot_tell);
  EXPECT_EQ(codes_of(*verdict), std::vector<std::string>({"above_ceiling"}));
}

// 1 GB at 25 GB/s would take 40 ms, at the level 3 cache's 120 GB/s 8.3 ms: in 36 ms about an
// eighth of it came from there, and DRAM holds it back all the same.
TEST(Region, ALittleFasterThanDramIsHeldBackByIt) {
  const auto verdict = judge_region(region_of(1e8, 1e9, 0.036), on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_by, Cause::bandwidth);
  EXPECT_EQ(verdict->bound_level, "bandwidth.dram.read.core");
  EXPECT_NEAR(verdict->headroom.value, 1, 1e-9);
  EXPECT_TRUE(says(*verdict, "about 13 % of it came from a cache"));
}

TEST(Region, TimesThatScatterWidenTheIntervalAndTheirMedianCounts) {
  Region region = region_of(1e8, 1e9, 0.05);
  region.times = {Seconds(0.05), Seconds(0.049), Seconds(0.052), Seconds(0.051), Seconds(0.048)};
  const auto verdict = judge_region(region, on(kQuiet, 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_NEAR(verdict->headroom.value, 1.25, 1.25 * kNear);
  // Their logarithms' deviation is 3.16 %: K(5) = 2.010 of it to each side
  // (docs/methods/intervals).
  EXPECT_NEAR(verdict->headroom.high / verdict->headroom.low, std::exp(2 * 0.0635), 0.02);
  EXPECT_EQ(verdict->headroom.samples, 5);
}

// Keeps what it was told.
class Listener : public ProgressSink {
 public:
  void step(const std::string&, int, int) override {}
  void note(const std::string& line) override { notes.push_back(line); }
  std::vector<std::string> notes;
};

TEST(Region, FasterThanItsArithmeticIsMeasuredAgainAndThenInvalid) {
  Listener listener;
  const auto verdict =
      judge_region(region_of(6e9, 1e6, 0.01), on(kQuiet, 1), {StopToken(), listener});
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(listener.notes, std::vector<std::string>(
                                {"region is faster than the ceiling on record: probing again"}));
  EXPECT_EQ(verdict->standing, Standing::invalid);
  EXPECT_EQ(codes_of(*verdict), std::vector<std::string>({"above_ceiling"}));
}

// The low profile says 40 GFLOP/s for a core, plus or minus 1 %, and was measured elsewhere.
TEST(Region, CeilingsOfAProfileAreTakenAsTheyAre) {
  auto profile = load_profile(kSource + "/tests/profiles/low_compute.json");
  ASSERT_TRUE(profile);
  DeviceOptions options = on(kQuiet, 1);
  options.profile = kSource + "/tests/profiles/low_compute.json";
  const auto unknown = judge_region(region_of(6e9, 1e6, 0.2), options);
  ASSERT_FALSE(unknown) << "it holds the device under another name";
  EXPECT_EQ(unknown.error().where, options.profile);

  profile->devices[0].id = kQuiet;
  const auto path = save_profile(testing::TempDir() + "/region_profile", *profile);
  ASSERT_TRUE(path) << path.error().what;
  options.profile = *path;
  const auto verdict = judge_region(region_of(6e9, 1e6, 0.2), options);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->bound_level, "compute.f32.fma.core");
  EXPECT_DOUBLE_EQ(verdict->headroom.value, 0.2 / (6e9 / 40e9));
  EXPECT_DOUBLE_EQ(verdict->headroom.low, 0.2 / (6e9 / 39.6e9));
  EXPECT_EQ(codes_of(*verdict), std::vector<std::string>({"profile_of_another_machine"}));
  // Faster than that profile allows: it is a given one, so nothing is measured in its place.
  Listener listener;
  const auto faster = judge_region(region_of(6e9, 1e6, 0.1), options, {StopToken(), listener});
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->standing, Standing::invalid);
  EXPECT_TRUE(listener.notes.empty());
}

TEST(Region, ATypeWithoutInstructionsStandsUnderF32AndSaysSo) {
  Region region = region_of(6e9, 1e6, 0.06);
  region.dtype = "bf16";
  const auto with = judge_region(region, on(kQuiet, 1));
  ASSERT_TRUE(with) << with.error().what;
  EXPECT_EQ(with->breakdown.parts[0].ceiling, "compute.bf16.dot.core");
  const auto without = judge_region(region, on("fake:" + kSource + "/tests/fakes/no_bf16.json", 1));
  ASSERT_TRUE(without) << without.error().what;
  EXPECT_EQ(without->breakdown.parts[0].ceiling, "compute.f32.fma.core");
  EXPECT_EQ(codes_of(*without), std::vector<std::string>({"fell_back"}));
}

TEST(Region, CeilingsThatWereDisturbedDegradeTheVerdict) {
  const auto verdict = judge_region(region_of(6e9, 1e6, 0.06),
                                    on("fake:" + kSource + "/tests/fakes/neighbour.json", 1));
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->standing, Standing::degraded);
  EXPECT_NE(codes_of(*verdict), std::vector<std::string>());
}

TEST(Region, WhatMakesNoSenseIsRefusedAndNamed) {
  const auto where = [](const Region& region) {
    const auto verdict = judge_region(region, on(kQuiet, 1));
    return verdict ? std::string("judged") : verdict.error().where;
  };
  EXPECT_EQ(where(region_of(1e8, 1e9, 0.05)), "judged");
  EXPECT_EQ(where(region_of(-1, 1e9, 0.05)), "flops");
  EXPECT_EQ(where(region_of(1e8, std::nan(""), 0.05)), "bytes");
  EXPECT_EQ(where(region_of(0, 0, 0.05)), "flops");
  EXPECT_EQ(where(region_of(1e8, 1e9, 0)), "times");
  Region region = region_of(1e8, 1e9, 0.05);
  region.times.pop_back();
  EXPECT_EQ(where(region), "times");
  region = region_of(1e8, 1e9, 0.05);
  region.footprint = Bytes(-1);
  EXPECT_EQ(where(region), "footprint");
  region = region_of(1e8, 1e9, 0.05);
  region.dtype = "fp8";
  EXPECT_EQ(where(region), "dtype");
  const auto threads = judge_region(region_of(1e8, 1e9, 0.05), on(kQuiet, 3));
  ASSERT_FALSE(threads);
  EXPECT_EQ(threads.error().where, "--threads");
}

TEST(Region, AStopBeforeTheCeilingsIsInterrupted) {
  const std::atomic<bool> stop = true;
  NoProgress quiet;
  const auto verdict =
      judge_region(region_of(1e8, 1e9, 0.05), on(kQuiet, 1), {StopToken(stop), quiet});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::interrupted);
}

TEST(Region, TimingGivesTheMeanOfOneExecutionForEveryRound) {
  int executions = 0;
  volatile double sink = 0;
  const auto times = time_region(
      [&] {
        ++executions;
        for (int i = 0; i < 1000; ++i) sink = sink + i;
      },
      7);
  ASSERT_EQ(times.size(), 7U);
  Seconds sum;
  for (Seconds time : times) {
    EXPECT_GT(time, Seconds(0));
    EXPECT_LT(time, Seconds(0.005));
    sum += time;
  }
  EXPECT_GT(sum / 7 * executions, Seconds(0.04)) << "a round is many executions, 10 ms of them";
}

}  // namespace
}  // namespace roofbeam
