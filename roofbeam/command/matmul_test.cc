// SPDX-License-Identifier: Apache-2.0
// What matmul measures and what it says of several products.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "roofbeam/command/matmul_remarks.h"
#include "roofbeam/command/matmul_runs.h"

namespace roofbeam {
namespace {

TEST(Sweep, SizesArePowersOfTwoAndTheLargestItself) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sweep_sizes(512), (Sizes{64, 128, 256, 512}));
  EXPECT_EQ(sweep_sizes(500), (Sizes{64, 128, 256, 500}));
  EXPECT_EQ(sweep_sizes(65), (Sizes{64, 65}));
  EXPECT_EQ(sweep_sizes(64), (Sizes{64}));
  EXPECT_EQ(sweep_sizes(3), (Sizes{3}));
}

TEST(Sweep, ThreadsArePowersOfTwoAndAllThereAre) {
  EXPECT_EQ(sweep_threads(1), (std::vector<int>{1}));
  EXPECT_EQ(sweep_threads(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(sweep_threads(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(sweep_threads(8), (std::vector<int>{1, 2, 4, 8}));
}

MatmulPoint point(std::int64_t n, int threads, double low, double time, double high) {
  MatmulPoint made;
  made.m = made.n = made.k = made.rows = n;
  made.threads = threads;
  made.library = "lib";
  made.ceiling = "compute.f32.fma.all";
  made.time = {Seconds(time), Seconds(low), Seconds(high), 5, Method::median};
  const double flops = 2.0 * static_cast<double>(n * n * n);
  made.rate = divide(Flops(flops), made.time);
  made.share_of_ceiling = exactly(0.5);
  made.bound_by = Cause::compute;
  return made;
}

MatmulAnswer compared(std::vector<MatmulPoint> points, int judged) {
  MatmulAnswer answer;
  answer.points = std::move(points);
  answer.judged = judged;
  compare_points(answer);
  return answer;
}

TEST(Remarks, SpeedupsOfASweepAreAgainstOneThreadOfTheSameSize) {
  const MatmulAnswer answer =
      compared({point(64, 1, 1e-6, 1e-6, 1e-6), point(64, 2, 2e-6, 2e-6, 2e-6),
                point(128, 1, 7e-6, 8e-6, 9e-6), point(128, 2, 4e-6, 5e-6, 6e-6)},
               3);
  ASSERT_EQ(answer.speedups.size(), 2U);
  EXPECT_EQ(answer.speedups[0].from, 0);
  EXPECT_EQ(answer.speedups[0].to, 1);
  EXPECT_DOUBLE_EQ(answer.speedups[0].ratio.value, 0.5);
  EXPECT_EQ(answer.speedups[1].from, 2);
  EXPECT_EQ(answer.speedups[1].to, 3);
  EXPECT_DOUBLE_EQ(answer.speedups[1].ratio.value, 8.0 / 5);
  EXPECT_DOUBLE_EQ(answer.speedups[1].ratio.low, 7.0 / 6);
  EXPECT_DOUBLE_EQ(answer.speedups[1].ratio.high, 9.0 / 4);
  const auto& said = answer.remarks;
  ASSERT_EQ(said.size(), 5U);
  EXPECT_EQ(said[3],
            "2 threads compute n = 128 1.60x (1.17x to 2.25x) as fast as one, of 2.00x at "
            "most");
  EXPECT_EQ(said[4],
            "2 threads compute n = 64 0.50x (0.50x to 0.50x) as fast as one, of 2.00x "
            "at most: slower than one alone");
}

TEST(Remarks, ConstantOperandsAreFasterOnlyWhereTheIntervalSaysSo) {
  const auto said = [](double low, double time, double high) {
    MatmulPoint constant = point(512, 2, low, time, high);
    constant.constant = true;
    return compared({point(512, 2, 0.99, 1, 1.01), constant}, 0).remarks.at(0);
  };
  EXPECT_EQ(said(0.89, 0.9, 0.91),
            "constant operands run at 1.11x (1.09x to 1.13x) the speed of random ones: equal bits "
            "switch fewer transistors, which draws less power and lets the clock run higher; "
            "random operands are what counts");
  EXPECT_EQ(said(0.95, 0.98, 1.02),
            "constant operands run at 1.02x (0.97x to 1.06x) the speed of random ones: no "
            "difference that can be told from none, so power does not hold this product back");
  EXPECT_NE(said(1.2, 1.3, 1.4).find("something else disturbed"), std::string::npos);
}

TEST(Remarks, AWrongProductIsComparedWithNothing) {
  MatmulPoint wrong = point(64, 2, 1, 1, 1);
  wrong.library = "other";
  wrong.check_passed = false;
  const MatmulAnswer answer = compared({point(64, 2, 2, 2, 2), wrong}, 0);
  EXPECT_TRUE(answer.speedups.empty());
  EXPECT_TRUE(answer.remarks.empty());
}

TEST(Remarks, OnePointShowsNothing) {
  EXPECT_TRUE(compared({point(64, 2, 1, 1, 1)}, 0).remarks.empty());
}

}  // namespace
}  // namespace roofbeam
