// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/headline.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

Ceiling ceiling(const char* unit, double value) {
  Ceiling made;
  made.unit = unit;
  made.burst = {value, value * 0.8, value * 1.25, 5, Method::best};
  return made;
}

DeviceProfile device() {
  DeviceProfile made;
  made.ceilings["compute.f32.fma.all"] = ceiling("flop_per_s", 500);
  made.ceilings["compute.f16.fma.all"] = ceiling("flop_per_s", 900);
  made.ceilings["compute.bf16.dot.all"] = ceiling("flop_per_s", 1000);
  made.ceilings["bandwidth.dram.read.all"] = ceiling("bytes_per_s", 50);
  return made;
}

TEST(Headline, TakesTheFastestSixteenBitCeilingAndTheRidgesOfBoth) {
  const Headline headline = headline_of(device());
  EXPECT_EQ(headline.f32, "compute.f32.fma.all");
  EXPECT_EQ(headline.half, "compute.bf16.dot.all");
  EXPECT_EQ(headline.memory, "bandwidth.dram.read.all");
  EXPECT_EQ(headline.ridge,
            (Estimate<Intensity>{Intensity(10), Intensity(400 / 62.5), Intensity(625 / 40.0), 5}));
  EXPECT_EQ(headline.half_ridge->value, Intensity(20));
}

TEST(Headline, LeavesOutWhatIsNotThereOrWrong) {
  DeviceProfile made = device();
  made.ceilings["compute.bf16.dot.all"].standing = Standing::invalid;
  EXPECT_EQ(headline_of(made).half, "compute.f16.fma.all");
  made.ceilings.erase("bandwidth.dram.read.all");
  const Headline headline = headline_of(made);
  EXPECT_EQ(headline.memory, "");
  EXPECT_EQ(headline.ridge, std::nullopt);
  EXPECT_EQ(headline.half_ridge, std::nullopt);
  EXPECT_EQ(headline_of(DeviceProfile()), Headline());
}

}  // namespace
}  // namespace roofbeam
