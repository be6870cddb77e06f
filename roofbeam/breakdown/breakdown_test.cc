// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/breakdown/breakdown.h"

#include <gtest/gtest.h>

#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

Estimate<Seconds> about(double value, double low, double high) {
  return {Seconds(value), Seconds(low), Seconds(high), 5, Method::best};
}
Breakdown leaf(const char* ceiling, double value, double low, double high) {
  return charge(ceiling, Cause::compute, ceiling, about(value, low, high));
}
Breakdown leaf(const char* ceiling, double value) {
  return leaf(ceiling, value, value, value);
}

TEST(Total, SumsAddAndMaximaTakeTheLargestEndByEnd) {
  const Breakdown tree = sum_of(
      "all", {leaf("a", 1, 0.5, 2), max_of("both", {leaf("b", 3, 2, 4), leaf("c", 2, 1, 9)})});
  EXPECT_EQ(total(tree).value, Seconds(4));
  EXPECT_EQ(total(tree).low, Seconds(2.5));
  EXPECT_EQ(total(tree).high, Seconds(11));
}

TEST(Held, ASumHandsItsTimeOnAndAMaxAllOfItToTheLargest) {
  const Breakdown tree =
      sum_of("decode", {leaf("kv", 1), max_of("weights", {leaf("bytes", 3), leaf("flops", 1)})});
  EXPECT_EQ(held_by(tree),
            (std::vector<Held>{{"bytes", "bytes", Cause::compute, Seconds(3), 0.75, false},
                               {"kv", "kv", Cause::compute, Seconds(1), 0.25, false}}));
}

TEST(Held, ChargesOfOneCeilingAdd) {
  const Breakdown tree = sum_of("s", {leaf("a", 2), leaf("b", 3), leaf("a", 2)});
  EXPECT_EQ(held_by(tree).front(), (Held{"a", "a", Cause::compute, Seconds(4), 4.0 / 7, false}));
}

TEST(Held, AnOverlappingChildOfAMaxIsAContender) {
  const Breakdown tree = max_of("m", {leaf("a", 3, 2.5, 3.5), leaf("b", 2, 1, 2.6), leaf("c", 1)});
  const auto held = held_by(tree);
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].ceiling, "a");
  EXPECT_EQ(held[1], (Held{"b", "b", Cause::compute, Seconds(2), 0, true}));
}

TEST(Gain, SubstitutesShowThemselves) {
  // Two things at the same time, equally long: lifting one alone buys nothing, both together
  // double.
  const Breakdown before = max_of("m", {leaf("a", 2), leaf("b", 2)});
  EXPECT_EQ(gain(before, max_of("m", {leaf("a", 1), leaf("b", 2)})).value, 1);
  EXPECT_EQ(gain(before, max_of("m", {leaf("a", 1), leaf("b", 1)})).value, 2);
}

TEST(Gain, OneCeilingStandsEquallyHighInBothTrees) {
  // Halving a charge halves the time whatever its true length: no width.
  EXPECT_EQ(gain(leaf("a", 2, 1, 3), leaf("a", 1, 0.5, 1.5)),
            (Estimate<double>{2, 2, 2, 5, Method::predicted}));
}

TEST(Gain, TheIntervalCoversEveryCorner) {
  const Breakdown before = max_of("m", {leaf("a", 2, 1, 4), leaf("b", 1, 0.5, 1)});
  const Breakdown after = max_of("m", {leaf("a", 1, 0.5, 2), leaf("b", 1, 0.5, 1)});
  // Corners: a low, b high: 1/1; a high: 4/2; a low, b low: 1/0.5.
  EXPECT_EQ(gain(before, after), (Estimate<double>{2, 1, 2, 5, Method::predicted}));
}

TEST(Gain, ManyCeilingsMoveTogether) {
  std::vector<Breakdown> parts;
  for (int i = 0; i <= kMostCorners; ++i) {
    parts.push_back(leaf(std::string(1, static_cast<char>('a' + i)).c_str(), 2, 1, 3));
  }
  const Breakdown tree = sum_of("s", parts);
  EXPECT_EQ(gain(tree, tree), (Estimate<double>{1, 1, 1, 5, Method::predicted}));
}

TEST(Breakdown, ReadsBackEqual) {
  const Breakdown tree =
      sum_of("all", {leaf("a", 1, 0.5, 2), max_of("both", {leaf("b", 3, 2, 4), leaf("c", 2)})});
  const auto back = breakdown_from(to_json(tree), "f");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, tree);
}

TEST(Breakdown, RefusesUnknownKindsCausesAndEmptyNodes) {
  for (const char* text :
       {R"({"kind":"product","name":"x","parts":[]})", R"({"kind":"sum","name":"x","parts":[]})",
        R"({"kind":"charge","name":"x","cause":"luck","ceiling":"c","time_s":null})", "[]", "{}"}) {
    EXPECT_FALSE(breakdown_from(*parse_json(text, "f"), "f")) << text;
  }
}

}  // namespace
}  // namespace roofbeam
