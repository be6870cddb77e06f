// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/model/scaling.h"

namespace roofbeam {
namespace {

// The values every textbook prints, to one decimal.
TEST(Amdahl, PublishedTable) {
  const double expected[3][3] = {{1.3, 1.8, 2.0}, {1.8, 4.7, 9.9}, {2.0, 7.5, 91.0}};
  const double shares[3] = {0.5, 0.9, 0.99};
  const double workers[3] = {2, 8, 1000};
  for (int p = 0; p < 3; ++p) {
    for (int n = 0; n < 3; ++n) {
      EXPECT_EQ(format("{:.1f}", amdahl_speedup(shares[p], workers[n])),
                format("{:.1f}", expected[p][n]));
    }
  }
}

TEST(Amdahl, TheLimitIsOneOverTheSerialShare) {
  EXPECT_NEAR(*amdahl_limit(0.95), 20, 1e-12);
  EXPECT_EQ(*amdahl_limit(0), 1);
  EXPECT_FALSE(amdahl_limit(1));
  for (double p : {0.1, 0.5, 0.95, 0.999}) {
    EXPECT_LT(amdahl_speedup(p, 1e9), *amdahl_limit(p)) << p;
    EXPECT_NEAR(amdahl_speedup(p, 1e9) / *amdahl_limit(p), 1, 1e-5) << p;
  }
}

TEST(Amdahl, AgreesWithTheClosedForm) {
  for (double p : {0.0, 0.3, 0.95, 1.0}) {
    for (double n : {1.0, 2.0, 7.0, 1000.0}) {
      EXPECT_DOUBLE_EQ(amdahl_speedup(p, n), 1 / ((1 - p) + p / n));
    }
  }
}

TEST(Gustafson, GrowsWithoutLimit) {
  // Gustafson 1988: 0.4 % serial on 1024 processors gives 1020.
  EXPECT_NEAR(gustafson_speedup(0.996, 1024), 1019.9, 0.1);
  EXPECT_EQ(gustafson_speedup(1, 64), 64);
}

Operation product(double flops, double bytes) {
  Operation operation;
  operation.name = "work";
  operation.dtype = "f32";
  operation.flops = Flops(flops);
  operation.traffic = {{"dram", Bytes(bytes), Bytes(0)}};
  return operation;
}

// 100 flop/s and 10 byte/s: the ridge lies at 10 flop/byte.
Roof roof() {
  Roof roof;
  roof.arithmetic_ceiling = "compute.f32.fma.all";
  roof.arithmetic = exactly(FlopRate(100), Method::best);
  roof.memories = {{"dram", "bandwidth.dram.read.all", exactly(ByteRate(10), Method::best)}};
  return roof;
}

TEST(Roofline, LeftOfTheRidgeBytesBindRightOfItArithmetic) {
  EXPECT_EQ(held_by(roofline(product(1000, 200), roof())).front().ceiling,
            "bandwidth.dram.read.all");
  EXPECT_EQ(total(roofline(product(1000, 200), roof())).value, Seconds(20));
  EXPECT_EQ(held_by(roofline(product(1000, 50), roof())).front().ceiling, "compute.f32.fma.all");
  EXPECT_EQ(total(roofline(product(1000, 50), roof())).value, Seconds(10));
}

TEST(Roofline, TheRidgeIsWhereBothBind) {
  EXPECT_EQ(ridge(roof(), roof().memories[0]), Intensity(10));
  EXPECT_EQ(height(roof(), roof().memories[0], Intensity(1)), FlopRate(10));
  EXPECT_EQ(height(roof(), roof().memories[0], Intensity(1000)), FlopRate(100));
}

TEST(Roofline, TheHeightIsWhatTheTimesSay) {
  for (double bytes : {1.0, 99.0, 100.0, 101.0, 5000.0}) {
    const Operation work = product(1000, bytes);
    const double rate = 1000 / total(roofline(work, roof())).value.value();
    EXPECT_DOUBLE_EQ(rate, height(roof(), roof().memories[0], *intensity(work, "dram")).value());
  }
}

TEST(Roofline, AnOperationThatMovesNothingHasNoIntensity) {
  EXPECT_FALSE(intensity(product(1000, 0), "dram"));
  EXPECT_FALSE(intensity(product(1000, 10), "l2"));
}

}  // namespace
}  // namespace roofbeam
