// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

TEST(Show, ThreeDigitsAndAPrefix) {
  EXPECT_EQ(show(Seconds(0.0344)), "34.4 ms");
  EXPECT_EQ(show(Seconds(1)), "1 s");
  EXPECT_EQ(show(Seconds(2.5e-7)), "250 ns");
  EXPECT_EQ(show(Seconds(1.2345e-6)), "1.23 µs");
  EXPECT_EQ(show(FlopRate(5.19e11)), "519 GFLOP/s");
  EXPECT_EQ(show(ByteRate(51.2e9)), "51.2 GB/s");
  EXPECT_EQ(show_binary(Bytes(32.0 * 1024 * 1024)), "32 MiB");
}

TEST(Show, RoundsIntoTheNextPrefix) {
  EXPECT_EQ(show_si(999.4, "B"), "999 B");
  EXPECT_EQ(show_si(999.7, "B"), "1.00 kB");
  EXPECT_EQ(show_si(0, "s"), "0 s");
  EXPECT_EQ(show_si(-2.5e9, "B"), "-2.50 GB");
}

TEST(Show, CountsAreSingularForOne) {
  EXPECT_EQ(counted(1, "core", "cores"), "1 core");
  EXPECT_EQ(counted(0, "core", "cores"), "0 cores");
}

TEST(Show, RatiosAndPercent) {
  EXPECT_EQ(show_ratio(1.0), "1.00x");
  EXPECT_EQ(show_ratio(12.34), "12.3x");
  EXPECT_EQ(show_ratio(123.4), "123x");
  EXPECT_EQ(show_ratio(1.936), "1.94x");
  EXPECT_EQ(show_percent(0.971), "97 %");
  EXPECT_EQ(show_percent(0.0123), "1.2 %");
}

TEST(Parse, FractionsMayBePercentages) {
  EXPECT_EQ(*parse_fraction("0.95"), 0.95);
  EXPECT_EQ(*parse_fraction("95%"), 0.95);
  EXPECT_FALSE(parse_fraction("95 percent"));
  EXPECT_FALSE(parse_fraction(""));
  EXPECT_FALSE(parse_fraction("%"));
}

TEST(Parse, WholeNumbersTakeNothingBeforeOrBehind) {
  EXPECT_EQ(*parse_integer(" 12 "), 12);
  for (const char* bad : {"", "1.5", "0x10", "12k", "99999999999999999999", "--3", "1 2"}) {
    EXPECT_FALSE(parse_integer(bad)) << bad;
  }
}

TEST(Parse, RealNumbersAreFinite) {
  EXPECT_EQ(*parse_real("1e3"), 1000);
  for (const char* bad : {"nan", "inf", "1e999", "", "1,5"}) EXPECT_FALSE(parse_real(bad)) << bad;
}

TEST(Nearest, FindsMisspeltAndBegunNames) {
  const std::vector<std::string> known = {"onednn", "openblas", "naive", "blocked"};
  EXPECT_EQ(nearest("onedn", known), std::vector<std::string>{"onednn"});
  EXPECT_EQ(nearest("open", known), std::vector<std::string>{"openblas"});
  EXPECT_EQ(nearest("zzzzzz", known), std::vector<std::string>{});
  EXPECT_EQ(suggest("zzzzzz", {"a1", "b2"}), "known: a1, b2");
}

TEST(Format, ABadPatternIsSaidAndDoesNotThrow) {
  EXPECT_EQ(format("{} {}", 1).substr(0, 12), "[bad format ");
}

}  // namespace
}  // namespace roofbeam
