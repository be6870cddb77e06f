// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/operands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace roofbeam {
namespace {

std::vector<float> make_f32(Operand operand, std::uint64_t seed, std::int64_t count) {
  std::vector<float> data(static_cast<std::size_t>(count));
  fill_operand(operand, DataType::f32, Operands::random, seed, 0, count, data.data());
  return data;
}

TEST(Bf16, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(bf16_from_float(1.0f), 0x3F80);
  EXPECT_EQ(bf16_from_float(1.0f + 0x1p-8f), 0x3F80);             // a tie: down to even
  EXPECT_EQ(bf16_from_float(1.0f + 0x1p-8f + 0x1p-20f), 0x3F81);  // just above it
  EXPECT_EQ(bf16_from_float(1.0f + 3 * 0x1p-8f), 0x3F82);         // a tie: up to even
  EXPECT_EQ(bf16_from_float(-2.0f), 0xC000);
  EXPECT_EQ(bf16_from_float(std::numeric_limits<float>::max()), 0x7F80);  // to infinity
  EXPECT_TRUE(
      std::isnan(float_from_bf16(bf16_from_float(std::numeric_limits<float>::signaling_NaN()))));
}

TEST(Bf16, EveryValueComesBackAsItWas) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_bf16(half);
    if (!std::isnan(value)) {
      ASSERT_EQ(bf16_from_float(value), half) << bits;
    }
  }
}

TEST(Operands, RandomOnesAreNormalWithMeanZeroAndTheVarianceOfAnEvenSpread) {
  constexpr std::int64_t kCount = 1'000'000;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    double sum = 0, squares = 0;
    for (float value : make_f32(Operand::a, seed, kCount)) {
      ASSERT_GE(std::fabs(value), 0x1p-31f);
      ASSERT_LE(std::fabs(value), 1.0f);
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    EXPECT_NEAR(sum / kCount, 0.0, 5 * 0.577 / 1000);  // five standard errors
    EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * 0.298 / 1000);
  }
}

TEST(Operands, AnElementDependsOnItsIndexOperandAndSeedOnly) {
  const std::vector<float> whole = make_f32(Operand::a, 7, 101);
  for (std::int64_t first : {0, 1, 2, 33}) {
    for (std::int64_t count : {0, 1, 2, 3, 50}) {
      std::vector<float> part(static_cast<std::size_t>(count));
      fill_operand(Operand::a, DataType::f32, Operands::random, 7, first, count, part.data());
      EXPECT_EQ(part, std::vector<float>(whole.begin() + first, whole.begin() + first + count));
    }
  }
  EXPECT_NE(make_f32(Operand::b, 7, 101), whole);
  EXPECT_NE(make_f32(Operand::a, 8, 101), whole);
}

TEST(Operands, Bf16IsTheRoundedF32) {
  const std::vector<float> wide = make_f32(Operand::b, 3, 999);
  std::vector<std::uint16_t> narrow(wide.size());
  fill_operand(Operand::b, DataType::bf16, Operands::random, 3, 0, 999, narrow.data());
  for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(narrow[i], bf16_from_float(wide[i]));
}

TEST(Operands, ConstantOnesAreOnes) {
  std::vector<std::uint16_t> narrow(5);
  std::vector<float> wide(5);
  fill_operand(Operand::a, DataType::bf16, Operands::constant, 3, 0, 5, narrow.data());
  fill_operand(Operand::a, DataType::f32, Operands::constant, 3, 0, 5, wide.data());
  EXPECT_EQ(narrow, std::vector<std::uint16_t>(5, 0x3F80));
  EXPECT_EQ(wide, std::vector<float>(5, 1.0f));
}

TEST(F16, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(f16_from_float(1.0F), 0x3C00);
  EXPECT_EQ(f16_from_float(1.0F + 0x1p-11F), 0x3C00);             // a tie: down to even
  EXPECT_EQ(f16_from_float(1.0F + 0x1p-11F + 0x1p-20F), 0x3C01);  // just above it
  EXPECT_EQ(f16_from_float(1.0F + 3 * 0x1p-11F), 0x3C02);         // a tie: up to even
  EXPECT_EQ(f16_from_float(-2.0F), 0xC000);
  EXPECT_EQ(f16_from_float(65504.0F), 0x7BFF);  // the largest
  EXPECT_EQ(f16_from_float(65519.0F), 0x7BFF);
  EXPECT_EQ(f16_from_float(65520.0F), 0x7C00);  // to infinity
  EXPECT_EQ(f16_from_float(0x1p-24F), 0x0001);  // the smallest
  EXPECT_EQ(f16_from_float(-0x1p-25F), 0x8000);
  EXPECT_EQ(f16_from_float(0x1.8p-24F), 0x0002);
  EXPECT_EQ(f16_from_float(0x1.FFFp-15F), 0x0400);  // rounds up into the normal ones
  EXPECT_TRUE(std::isnan(float_from_f16(f16_from_float(std::nanf("")))));
}

TEST(F16, EveryValueComesBackAsItWas) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_f16(half);
    if (!std::isnan(value)) {
      ASSERT_EQ(f16_from_float(value), half) << bits;
    }
  }
}

template <class T>
std::vector<T> filled(Operand operand, DataType type, Operands operands, std::int64_t first,
                      std::int64_t count) {
  std::vector<T> data(static_cast<std::size_t>(count));
  fill_operand(operand, type, operands, 7, first, count, data.data());
  return data;
}

template <class T>
void expect_parts_of_one(Operand operand, DataType type) {
  const auto whole = filled<T>(operand, type, Operands::random, 0, 101);
  for (std::int64_t first : {0, 1, 7, 8, 33}) {
    for (std::int64_t count : {0, 1, 3, 9, 50}) {
      EXPECT_EQ(filled<T>(operand, type, Operands::random, first, count),
                std::vector<T>(whole.begin() + first, whole.begin() + first + count));
    }
  }
  EXPECT_EQ(filled<T>(operand, type, Operands::random, 0, 0).size(), 0U);
}

TEST(Operands, InEveryTypeAnElementDependsOnItsIndexOnly) {
  expect_parts_of_one<double>(Operand::a, DataType::f64);
  expect_parts_of_one<std::uint16_t>(Operand::a, DataType::f16);
  expect_parts_of_one<std::uint8_t>(Operand::a, DataType::int8);
  expect_parts_of_one<std::int8_t>(Operand::b, DataType::int8);
}

TEST(Operands, RandomOnesOfEveryTypeAreNormalAndSpreadEvenly) {
  constexpr std::int64_t kCount = 100'000;
  double sum = 0, whole = 0, weights = 0;
  for (double value : filled<double>(Operand::a, DataType::f64, Operands::random, 0, kCount)) {
    ASSERT_NE(value, 0);
    ASSERT_LE(std::fabs(value), 1);
    sum += value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * 0.577 / 316);
  for (auto bits : filled<std::uint16_t>(Operand::a, DataType::f16, Operands::random, 0, kCount)) {
    ASSERT_GE(std::fabs(float_from_f16(bits)), 0x1p-14F);
  }
  for (auto value : filled<std::uint8_t>(Operand::a, DataType::int8, Operands::random, 0, kCount))
    whole += value;
  for (auto value : filled<std::int8_t>(Operand::b, DataType::int8, Operands::random, 0, kCount))
    weights += value;
  EXPECT_NEAR(whole / kCount, 127.5, 5 * 73.9 / 316);
  EXPECT_NEAR(weights / kCount, -0.5, 5 * 36.9 / 316);
}

TEST(Operands, ConstantOnesAreOnesInEveryType) {
  EXPECT_EQ(filled<double>(Operand::a, DataType::f64, Operands::constant, 0, 3),
            std::vector<double>(3, 1.0));
  EXPECT_EQ(filled<std::uint16_t>(Operand::a, DataType::f16, Operands::constant, 0, 3),
            std::vector<std::uint16_t>(3, 0x3C00));
  EXPECT_EQ(filled<std::uint8_t>(Operand::a, DataType::int8, Operands::constant, 0, 3),
            std::vector<std::uint8_t>(3, 1));
  EXPECT_EQ(filled<std::int8_t>(Operand::b, DataType::int8, Operands::constant, 0, 3),
            std::vector<std::int8_t>(3, 1));
}

}  // namespace
}  // namespace roofbeam
