// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "roofbeam/backend/cpu/chain_values.h"
#include "roofbeam/backend/cpu/test_problem.h"

namespace roofbeam {
namespace {

constexpr int kLanes = 4;
constexpr int kChains = 3;
constexpr std::int64_t kFewSteps = 100;  // more than flops are counted in

// A multiply-add chain in plain floats, and what can be wrong with one.
enum class Fault { none, first_half_only, half_the_steps, wrong_constant, nothing, one_nan };

template <Fault kFault>
void fma_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  const auto* r = static_cast<const float*>(constants);
  const auto* from = static_cast<const float*>(initial);
  auto* to = static_cast<float*>(result);
  if (kFault == Fault::half_the_steps) steps /= 2;
  if (kFault == Fault::nothing) steps = 0;
  for (int i = 0; i < kChains * kLanes; ++i) {
    const float* own = r + i % kLanes;
    float x = from[i];
    for (std::int64_t step = 0; step < steps; ++step) {
      x = std::fma(x, own[0], own[kLanes]);
      if (kFault == Fault::first_half_only) continue;
      x = std::fma(x, own[2 * kLanes], own[(kFault == Fault::wrong_constant ? 1 : 3) * kLanes]);
    }
    to[i] = x;
  }
  if (kFault == Fault::one_nan && steps > kFewSteps) to[5] = NAN;
}

ChainKernel fma_kernel(ChainBlock block) {
  return {block, ChainForm::fma, kChains, kChains, kLanes, kChains * kLanes * 4};
}

Check check_of(const ChainKernel& kernel, const Problem& problem) {
  auto job = make_chain_job(kernel, problem, 1);
  EXPECT_TRUE(job->set_up(0));
  job->execute(0);
  return job->check();
}

TEST(ChainJob, AWrongChainIsCaughtAndARightOnePasses) {
  const Problem problem = test_problem("fma", {1, 48 * 1000, 1});
  EXPECT_TRUE(check_of(fma_kernel(fma_block<Fault::none>), problem).passed);
  EXPECT_EQ(check_of(fma_kernel(fma_block<Fault::first_half_only>), problem).complaint,
            "the arithmetic probe does 144 of 288 flops");
  EXPECT_EQ(check_of(fma_kernel(fma_block<Fault::half_the_steps>), problem).complaint,
            "the arithmetic probe does 144 of 288 flops");
  EXPECT_EQ(check_of(fma_kernel(fma_block<Fault::nothing>), problem).complaint,
            "the arithmetic probe does 0 of 288 flops");
  EXPECT_EQ(check_of(fma_kernel(fma_block<Fault::wrong_constant>), problem).complaint,
            "the arithmetic probe computed a wrong value");
  EXPECT_EQ(check_of(fma_kernel(fma_block<Fault::one_nan>), problem).complaint,
            "the arithmetic probe computed a wrong value");
}

TEST(ChainJob, FlopsAreRoundedDownToPairsOfStepsOfEveryWorker) {
  const ChainKernel kernel = fma_kernel(fma_block<Fault::none>);  // 48 flops a step
  const auto executed = [&kernel](std::int64_t flops, int workers) {
    return make_chain_job(kernel, test_problem("fma", {1, flops, 1}), workers)->executed_shape();
  };
  EXPECT_EQ(executed(96 * 7, 1), (Shape{1, 96 * 7, 1}));
  EXPECT_EQ(executed(96 * 7 + 95, 1), (Shape{1, 96 * 7, 1}));
  EXPECT_EQ(executed(96 * 7, 2), (Shape{1, 96 * 3 * 2, 1}));
  EXPECT_EQ(executed(1, 3), (Shape{1, 96 * 3, 1})) << "at least one pair";
}

// f16, far more steps than between two starts: values must neither run away nor become denormal.
void half_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  const auto* r = static_cast<const std::uint16_t*>(constants);
  const auto* from = static_cast<const std::uint16_t*>(initial);
  auto* to = static_cast<std::uint16_t*>(result);
  for (int i = 0; i < kChains * kLanes; ++i) {
    double row[4];
    for (int k = 0; k < 4; ++k) row[k] = double_from_f16(r[k * kLanes + i % kLanes]);
    double x = double_from_f16(from[i]);
    for (std::int64_t step = 0; step < steps; ++step) {
      x = double_from_f16(f16_from_double(x * row[0] + row[1]));
      x = double_from_f16(f16_from_double(x * row[2] + row[3]));
    }
    to[i] = f16_from_double(x);
  }
}

TEST(ChainJob, HalvesStayWhereTheyBegan) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Problem problem = test_problem("fma", {1, 48 * 5000, 1}, DataType::f16);
    problem.seed = seed;
    const Check check = check_of(fma_kernel(half_block), problem);
    EXPECT_TRUE(check.passed) << check.complaint << " " << check.error;
  }
}

// Four unsigned bytes times four signed ones, added to 32 bits.
template <bool kWrong>
void dot_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  const auto* bytes = static_cast<const std::uint8_t*>(constants);
  const auto* from = static_cast<const std::int32_t*>(initial);
  auto* to = static_cast<std::int32_t*>(result);
  for (int i = 0; i < kChains * kLanes; ++i) {
    const std::uint8_t* r = bytes + 4 * (i % kLanes);
    std::int32_t sum[2] = {0, 0};
    for (int half = 0; half < 2; ++half) {
      for (int part = 0; part < 4; ++part) {
        sum[half] += r[part] * static_cast<std::int8_t>(r[4 * kLanes * (half + 1) + part]);
      }
    }
    to[i] = from[i];
    for (std::int64_t step = 0; step < steps; ++step) to[i] += sum[0] + sum[1];
    if (kWrong && i == 7 && steps > kFewSteps) ++to[i];
  }
}

TEST(ChainJob, IntegersMustComeBackExactly) {
  const Problem problem = test_problem("dot", {1, 192 * 1000, 1}, DataType::int8);
  const auto kernel = [](ChainBlock block) {
    return ChainKernel{block, ChainForm::dot, kChains, 0, kLanes, kChains * kLanes * 2 * 8};
  };
  const Check right = check_of(kernel(dot_block<false>), problem);
  EXPECT_TRUE(right.passed) << right.complaint;
  EXPECT_FALSE(check_of(kernel(dot_block<true>), problem).passed);
}

TEST(ChainValues, HalvesRoundToTheNearestEvenAndBack) {
  EXPECT_EQ(f16_from_double(0), 0x0000);
  EXPECT_EQ(f16_from_double(1), 0x3c00);
  EXPECT_EQ(f16_from_double(-2), 0xc000);
  EXPECT_EQ(f16_from_double(65504), 0x7bff);
  EXPECT_EQ(f16_from_double(1 + 0x1p-11), 0x3c00) << "a tie, to even";
  EXPECT_EQ(f16_from_double(1 + 0x3p-11), 0x3c02) << "a tie, to even";
  EXPECT_EQ(f16_from_double(2 - 0x1p-12), 0x4000) << "the carry goes into the exponent";
  for (std::uint16_t bits = 0x0400; bits < 0x7c00; ++bits) {
    ASSERT_EQ(f16_from_double(double_from_f16(bits)), bits);
  }
  EXPECT_TRUE(std::isnan(double_from_f16(0x7e00)));
  EXPECT_EQ(double_from_f16(0x0001), 0x1p-24);
}

}  // namespace
}  // namespace roofbeam
