// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/kernel_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace roofbeam {
namespace {

Work work_of(const char* kernel, Shape shape, DataType dtype = DataType::f32) {
  return find_kernel(kernel)->work(shape, dtype);
}

// Flops per byte, by hand in docs/methods/kernels.md.
double intensity(const char* kernel, Shape shape, DataType dtype = DataType::f32) {
  const Work work = work_of(kernel, shape, dtype);
  return work.flops / work.bytes() / (Flops(1) / Bytes(1));
}

TEST(KernelTable, IntensitiesAreThoseWorkedOutByHand) {
  constexpr Shape kArrays{1 << 20, 1 << 20, 1};
  EXPECT_DOUBLE_EQ(intensity("vadd", kArrays), 1.0 / 12);
  EXPECT_DOUBLE_EQ(intensity("vscale", kArrays), 1.0 / 8);
  EXPECT_DOUBLE_EQ(intensity("triad", kArrays), 1.0 / 6);
  EXPECT_DOUBLE_EQ(intensity("vdot", kArrays), 1.0 / 4);
  EXPECT_DOUBLE_EQ(intensity("branchy", kArrays), 1.0 / 4);
  EXPECT_DOUBLE_EQ(intensity("stencil", {1000, 1000, 1, 3}), 3.0 / 4);
  EXPECT_NEAR(intensity("layer_norm", {1000, 1000, 1, 3}), 1, 0.002);
  EXPECT_EQ(intensity("softmax", {1000, 1000, 1, 3}), 0);
  constexpr Shape kMatrix{1, 4096, 4096};
  EXPECT_NEAR(intensity("gemv", kMatrix, DataType::f32), 0.5, 0.001);
  EXPECT_NEAR(intensity("gemv", kMatrix, DataType::bf16), 1, 0.001);
  EXPECT_NEAR(intensity("gemv", kMatrix, DataType::int8), 2, 0.003);
}

TEST(KernelTable, OfAProductOfVectorsEveryByteIsCounted) {
  const Work once = work_of("gemv", {3, 100, 70, 1}, DataType::bf16);
  Work by_hand{Flops(2.0 * 3 * 100 * 70), Bytes(2.0 * (100 + 3) * 70), Bytes(4.0 * 3 * 100),
               Bytes(2.0 * 103 * 70 + 1200)};
  // 13 groups of 8 rows or fewer: the vectors come 12 times more.
  by_hand.read_again = Bytes(12.0 * 3 * 70 * 2);
  EXPECT_EQ(once, by_hand);
  const Work often = work_of("gemv", {3, 100, 70, 5}, DataType::bf16);
  EXPECT_EQ(often.flops, once.flops * 5);
  EXPECT_EQ(often.bytes(), once.bytes() * 5);
  EXPECT_EQ(often.footprint, once.footprint);
}

TEST(KernelTable, WaitsAndWrongGuessesAreCounted) {
  EXPECT_EQ(work_of("chase", {64, 1000, 1}).waiting_loads, 1000);
  EXPECT_EQ(work_of("chase", {64, 1000, 1}).flops, Flops(0));
  EXPECT_EQ(work_of("branchy", {64, 1000, 1}).wrong_guesses, 500);
}

TEST(KernelTable, NamesAreUniqueAndWhatMakesMoreOfItMakesNoLargerFootprint) {
  std::set<std::string_view> names;
  for (const KernelSpec& row : kernel_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_kernel(row.name), &row);
    if (row.name == "matmul") continue;
    Shape shape{64, 64, 64};
    const Bytes footprint = row.work(shape, row.types.front()).footprint;
    shape.*row.amount *= 2;
    EXPECT_EQ(row.work(shape, row.types.front()).footprint, footprint) << row.name;
  }
}

}  // namespace
}  // namespace roofbeam
