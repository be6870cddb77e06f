// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/gemv_job.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

// Plain loops, one for each type; what `Spoil` does to their results is to be seen.
enum class Spoil { nothing, a_product, a_row, a_vector };

template <class Element, class Result, Spoil kSpoil>
void plain(const GemvArrays& arrays) {
  const auto number = [](Element element) {
    if constexpr (sizeof(Element) == 2) return float_from_bf16(element);
    return static_cast<Result>(element);
  };
  for (std::int64_t v = 0; v < arrays.count - (kSpoil == Spoil::a_vector); ++v) {
    for (std::int64_t r = 0; r < arrays.rows - (kSpoil == Spoil::a_row); ++r) {
      const auto* w = static_cast<const Element*>(arrays.weights) + r * arrays.k;
      const auto* x = static_cast<const Element*>(arrays.vectors) + v * arrays.k;
      Result sum = 0;
      for (std::int64_t i = kSpoil == Spoil::a_product; i < arrays.k; ++i) {
        sum += number(w[i]) * number(x[i]);
      }
      static_cast<Result*>(arrays.results)[v * arrays.rows + r] = sum;
    }
  }
}

template <Spoil kSpoil>
GemvBlock plain_in(DataType dtype) {
  if (dtype == DataType::f32) return plain<float, float, kSpoil>;
  if (dtype == DataType::bf16) return plain<std::uint16_t, float, kSpoil>;
  return plain<std::int8_t, std::int32_t, kSpoil>;
}

Check check_after(GemvBlock block, DataType dtype, Shape shape) {
  auto job = make_gemv_job(block, test_problem("gemv", shape, dtype), 1);
  EXPECT_TRUE(job->set_up(0));
  job->execute(0);
  return job->check();
}

TEST(GemvJob, AProductThatLeavesSomethingOutIsCaught) {
  for (const DataType dtype : find_kernel("gemv")->types) {
    for (const Shape shape : {Shape{1, 1, 1}, Shape{3, 17, 100}, Shape{1, 2000, 4096}}) {
      EXPECT_TRUE(check_after(plain_in<Spoil::nothing>(dtype), dtype, shape).passed) << name(dtype);
      for (const GemvBlock spoilt :
           {plain_in<Spoil::a_product>(dtype), plain_in<Spoil::a_row>(dtype),
            plain_in<Spoil::a_vector>(dtype)}) {
        EXPECT_FALSE(check_after(spoilt, dtype, shape).passed) << name(dtype) << " " << shape.k;
      }
    }
  }
}

TEST(GemvJob, SharesRowsOutAndComputesAllOfItSoOften) {
  static int calls;
  static std::int64_t rows;
  calls = 0;
  const GemvBlock counts = [](const GemvArrays& arrays) {
    ++calls;
    rows = arrays.rows;
  };
  auto job = make_gemv_job(counts, test_problem("gemv", {2, 101, 8, 7}), 2);
  EXPECT_EQ(job->executed_shape(), (Shape{2, 100, 8, 7}));
  ASSERT_TRUE(job->set_up(1));
  job->execute(1);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(rows, 50);
}

}  // namespace
}  // namespace roofbeam
