// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/stream_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "roofbeam/backend/cpu/test_problem.h"

namespace roofbeam {
namespace {

struct Piece {
  StreamArrays arrays;
  std::int64_t elements = 0;
};
std::vector<Piece> pieces;  // what the block was called with

std::string_view running;  // the kernel

float written(const StreamArrays& arrays, std::int64_t i) {
  if (running == "vscale") return arrays.s * arrays.b[i];
  if (running == "vadd") return arrays.b[i] + arrays.c[i];
  return arrays.c == nullptr ? arrays.b[i] : arrays.b[i] + arrays.s * arrays.c[i];
}

// All kinds of access at once: sums b, where there is one; writes a, where there is one.
template <std::int64_t kLeftOut>
std::uint64_t block(const StreamArrays& arrays, std::int64_t elements) {
  pieces.push_back({arrays, elements});
  const std::int64_t done = elements - kLeftOut;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < done; ++i) {
    if (arrays.a == nullptr) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, arrays.b + i, sizeof bits);
      sum += i % 2 == 0 ? bits : std::uint64_t{bits} << 32;
    } else if (arrays.b == nullptr) {
      arrays.a[i] = arrays.s;
    } else {
      arrays.a[i] = written(arrays, i);
    }
  }
  return sum * static_cast<std::uint64_t>(arrays.passes);
}

Check check_after(std::string_view kernel, Shape shape, StreamBlock way, int executions) {
  pieces.clear();
  running = kernel;
  auto job = make_stream_job(way, test_problem(kernel, shape), 1);
  EXPECT_TRUE(job->set_up(0));
  for (int i = 0; i < executions; ++i) job->execute(0);
  return job->check();
}

constexpr std::string_view kKernels[] = {"read",  "write",    "write_nt", "copy",  "copy_nt",
                                         "triad", "triad_nt", "vadd",     "vscale"};

TEST(StreamJob, PassesOverPartsOfAnArrayAndOverSeveralTimesIt) {
  const std::vector<Shape> shapes = {
      {1024, 1024, 1}, {1024, 384, 1}, {1024, 2048, 1}, {1024, 2688, 1}, {128, 128 * 40, 1}};
  for (const std::string_view kernel : kKernels) {
    for (const Shape& shape : shapes) {
      for (const int executions : {1, 2, 3, 10}) {
        const Check check = check_after(kernel, shape, block<0>, executions);
        EXPECT_TRUE(check.passed) << kernel << " " << check.complaint;
      }
    }
  }
}

TEST(StreamJob, ABlockThatLeavesSomethingOutIsCaught) {
  for (const std::string_view kernel : kKernels) {
    EXPECT_FALSE(check_after(kernel, {1024, 1024, 1}, block<1>, 1).passed) << kernel;
    EXPECT_FALSE(check_after(kernel, {1024, 384, 1}, block<1>, 1).passed) << kernel;
    EXPECT_FALSE(check_after(kernel, {1024, 128, 1}, block<128>, 3).passed) << kernel;
  }
  // The second pass alone leaves it out: `a` holds what the first one wrote.
  const StreamBlock second_left_out = [](const StreamArrays& arrays, std::int64_t elements) {
    return pieces.empty() ? block<0>(arrays, elements) : block<1>(arrays, elements);
  };
  for (const std::string_view kernel : {"write", "triad"}) {
    EXPECT_FALSE(check_after(kernel, {1024, 2048, 1}, second_left_out, 1).passed) << kernel;
  }
  // A read is asked for all passes at once.
  const StreamBlock reads_once = [](const StreamArrays& arrays, std::int64_t elements) {
    StreamArrays once = arrays;
    once.passes = 1;
    return block<0>(once, elements);
  };
  EXPECT_TRUE(check_after("read", {1024, 2048, 1}, block<0>, 2).passed);
  EXPECT_FALSE(check_after("read", {1024, 2048, 1}, reads_once, 1).passed);
}

TEST(StreamJob, OneWrongElementOfTheLastExecutionIsCaughtWhereverItIs) {
  static std::int64_t wrong;
  const StreamBlock one_wrong = [](const StreamArrays& arrays, std::int64_t elements) {
    const std::uint64_t sum = block<0>(arrays, elements);
    arrays.a[wrong] += 0.25F;
    return sum;
  };
  for (wrong = 0; wrong < 384; wrong += 61) {
    const Check check = check_after("copy", {1024, 384, 1}, one_wrong, 1);
    EXPECT_EQ(check.complaint, "copy left 1 wrong values") << wrong;
  }
}

template <std::int64_t kLeftOut>
std::uint64_t adds_up(const StreamArrays& arrays, std::int64_t elements) {
  double sum = 0;
  for (std::int64_t i = 0; i < elements - kLeftOut; ++i) {
    const double b = arrays.b[i];
    sum += arrays.c != nullptr ? b * arrays.c[i] : b < 0 ? b + 4 : b;
  }
  sum *= static_cast<double>(arrays.passes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  return bits;
}

TEST(StreamJob, ASumThatLeavesSomethingOutIsCaught) {
  const std::vector<Shape> shapes = {
      {1024, 1024, 1}, {1024, 384, 1}, {1024, 2688, 1}, {128, 128 * 40, 1}};
  for (const std::string_view kernel : {"vdot", "branchy"}) {
    for (const Shape& shape : shapes) {
      for (const int executions : {1, 2, 5}) {
        const Check check = check_after(kernel, shape, adds_up<0>, executions);
        EXPECT_TRUE(check.passed) << kernel << " " << check.error;
        EXPECT_FALSE(check_after(kernel, shape, adds_up<1>, executions).passed) << kernel;
      }
    }
  }
}

TEST(StreamJob, ConstantOperandsOfBranchesAreAllPositive) {
  static bool negative;
  const StreamBlock looks = [](const StreamArrays& arrays, std::int64_t elements) {
    for (std::int64_t i = 0; i < elements; ++i) negative = negative || arrays.b[i] < 0;
    return std::uint64_t{0};
  };
  for (const Operands operands : {Operands::random, Operands::constant}) {
    negative = false;
    const Problem each = test_problem("branchy", {1024, 1024, 1}, DataType::f32, operands);
    auto job = make_stream_job(looks, each, 1);
    ASSERT_TRUE(job->set_up(0));
    job->execute(0);
    EXPECT_EQ(negative, operands == Operands::random);
    EXPECT_EQ(each.work().wrong_guesses, negative ? 512 : 0);
  }
}

TEST(StreamJob, GoesOnWhereItEndedAndRoundTheEnd) {
  check_after("read", {1024, 384, 1}, block<0>, 4);
  const float* start = pieces[0].arrays.b;
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  for (const Piece& piece : pieces) seen.emplace_back(piece.arrays.b - start, piece.elements);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {
      {0, 384}, {384, 384}, {768, 256}, {0, 128}, {128, 384}};
  EXPECT_EQ(seen, expected);
}

TEST(StreamJob, SaysWhatItReallyPassesOver) {
  const auto executed = [](Shape shape, int workers) {
    return make_stream_job(block<0>, test_problem("copy", shape), workers)->executed_shape();
  };
  EXPECT_EQ(executed({1024, 4096, 1}, 2), (Shape{1024, 4096, 1}));
  EXPECT_EQ(executed({1000, 1500, 1}, 1), (Shape{896, 1408, 1}));
  EXPECT_EQ(executed({1000, 1500, 1}, 3), (Shape{3 * 256, 3 * 384, 1}));
  EXPECT_EQ(executed({1, 1, 1}, 2), (Shape{256, 256, 1})) << "at least a grain each";
}

TEST(StreamJob, ArraysShareNoStartOfACacheSetAndHoldNormalNumbers) {
  pieces.clear();
  auto job = make_stream_job(block<0>, test_problem("triad", {1 << 16, 1 << 16, 1}), 1);
  ASSERT_TRUE(job->set_up(0));
  job->execute(0);
  const StreamArrays& arrays = pieces[0].arrays;
  const auto in_page = [](const float* array) {
    return reinterpret_cast<std::uintptr_t>(array) % 4096;
  };
  EXPECT_EQ(in_page(arrays.b), 0U);
  EXPECT_EQ(in_page(arrays.c), 1344U);
  EXPECT_EQ(in_page(arrays.a), 2688U);
  int negative = 0;
  for (std::int64_t i = 0; i < 1 << 16; ++i) {
    for (const float value : {arrays.b[i], arrays.c[i]}) {
      ASSERT_GE(std::fabs(value), 0.5F);
      ASSERT_LT(std::fabs(value), 2.0F);
      negative += value < 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(negative, 1 << 16, 2000) << "half of both";
}

}  // namespace
}  // namespace roofbeam
