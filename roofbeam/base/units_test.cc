// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/units.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "roofbeam/base/cause.h"

namespace roofbeam {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Bytes>, "mixing units must not compile");
static_assert(!std::is_convertible_v<double, Seconds>, "a bare number is no quantity");
static_assert(std::is_same_v<decltype(Flops(1) / Seconds(1)), FlopRate>);
static_assert(std::is_same_v<decltype(Flops(1) / Bytes(1)), Intensity>);
static_assert(std::is_same_v<decltype(Intensity(1) * ByteRate(1)), FlopRate>);
static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);

TEST(Units, DivideAndMultiplyAsUnitsDo) {
  EXPECT_EQ(Flops(6) / FlopRate(3), Seconds(2));
  EXPECT_EQ(Seconds(6) / Seconds(3), 2.0);
  EXPECT_LT(Bytes(1), Bytes(2));
}

TEST(Cause, EveryNameReadsBack) {
  for (Cause cause : all_causes()) EXPECT_EQ(cause_from(name(cause)), cause);
  EXPECT_EQ(all_causes().size(), 21U);
  EXPECT_FALSE(cause_from("memory"));
}

}  // namespace
}  // namespace roofbeam
