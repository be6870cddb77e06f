// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace roofbeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string labels(const Axis& axis, int most, bool prefix) {
  std::string text;
  for (const Tick& tick : axis.ticks(most, prefix)) text += (text.empty() ? "" : "|") + tick.label;
  return text;
}

TEST(Axis, WritesDecadesWithPrefixes) {
  const Axis axis = Axis::covering({2.6e9, 9.8e11}, true);
  EXPECT_EQ(labels(axis, 6, true), "10 G|100 G|1 T");
}

TEST(Axis, WritesPlainDigitsWhereTheyAreShort) {
  EXPECT_EQ(labels(Axis::covering({0.0625, 2e4}, true), 9, false), "0.1|1|10|100|1000|10 k");
}

TEST(Axis, AddsTwosAndFivesToFewDecades) {
  EXPECT_EQ(labels(Axis::covering({1, 30}, true), 9, false), "1|2|5|10|20");
  EXPECT_EQ(labels(Axis::covering({2e-6, 1e-5}, true), 9, true), "2 µ|5 µ|10 µ");
}

TEST(Axis, SkipsDecadesWhereThereAreMany) {
  EXPECT_EQ(labels(Axis::covering({1e-6, 1e12}, true), 6, true), "1 µ|1|1 M|1 T");
  EXPECT_EQ(labels(Axis::covering({1e-300, 1e300}, true), 3, true), "1e-207|1|1e+207");
}

TEST(Axis, TakesLinearTicksInsideOneDecade) {
  EXPECT_EQ(labels(Axis::covering({2.1, 2.2}, true), 5, false), "2.0|2.2|2.4");
}

TEST(Axis, StartsAtZeroWhereThatCostsLittle) {
  EXPECT_EQ(labels(Axis::covering({1, 9.1}, false), 6, false), "0|2|4|6|8");
  EXPECT_EQ(Axis::covering({1, 9.1}, false).low(), 0);
  EXPECT_EQ(labels(Axis::covering({100, 104}, false), 6, false), "100|101|102|103|104");
  EXPECT_EQ(labels(Axis::covering({-3, 5}, false), 6, false), "-2|0|2|4");
}

TEST(Axis, GivesAllLabelsOfALinearAxisOnePrefix) {
  EXPECT_EQ(labels(Axis::covering({2e9, 3.1e12}, false), 6, true),
            "0|0.5 T|1.0 T|1.5 T|2.0 T|2.5 T|3.0 T");
  EXPECT_EQ(labels(Axis::covering({1e-4, 3e-4}, false), 6, true),
            "0|50 µ|100 µ|150 µ|200 µ|250 µ|300 µ");
}

TEST(Axis, HasAWidthAroundOneValueOrNone) {
  for (const bool log : {false, true}) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {7.0}, {7.0, 7.0}, {1e-320}, {1e300}, {5e-324, 1e-323}}) {
      const Axis axis = Axis::covering(values, log);
      EXPECT_LT(axis.low(), axis.high());
      EXPECT_GE(axis.ticks(6, true).size(), 1u);
    }
  }
  EXPECT_EQ(Axis::covering({7.0}, false).fraction(7.0), 0.5);
  EXPECT_EQ(Axis::covering({0.0}, false).low(), -1);
}

TEST(Axis, HoldsEveryValueAndItsTicksStayInside) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    const bool log = round % 2 == 0;
    std::vector<double> values;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      const double exponent = static_cast<double>(random() % 610) - 305;
      const double sign = !log && random() % 2 == 0 ? -1 : 1;
      values.push_back(sign * std::pow(10.0, exponent) * (1 + static_cast<double>(random() % 9)));
    }
    const Axis axis = Axis::covering(values, log);
    for (double value : values) {
      EXPECT_LE(axis.low(), value * (value > 0 ? 1 + 1e-9 : 1 - 1e-9));
      EXPECT_GE(axis.high(), value * (value > 0 ? 1 - 1e-9 : 1 + 1e-9));
      EXPECT_GE(axis.fraction(value), 0);
      EXPECT_LE(axis.fraction(value), 1);
    }
    const auto ticks = axis.ticks(6, true);
    EXPECT_LE(ticks.size(), 14u);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      EXPECT_LT(ticks[i - 1].value, ticks[i].value);
      EXPECT_NE(ticks[i - 1].label, ticks[i].label);
    }
  }
}

TEST(Drawable, AsksForPlacesTheAxesHave) {
  Chart chart;
  chart.log_x = true;
  EXPECT_TRUE(drawable(chart, {1, -1}));
  EXPECT_FALSE(drawable(chart, {0, 1}));
  EXPECT_FALSE(drawable(chart, {1, kInfinity}));
  EXPECT_FALSE(drawable(chart, {std::nan(""), 1}));
}

TEST(DrawsLine, NeedsTwoPlaces) {
  const Chart chart;
  EXPECT_TRUE(draws_line(chart, {"", true, '*', {{1, 1}, {1, 1}, {2, 1}}}));
  EXPECT_FALSE(draws_line(chart, {"", false, '*', {{1, 1}, {2, 1}}}));
  EXPECT_FALSE(draws_line(chart, {"", true, '*', {{1, 1}, {1, 1}}}));
  EXPECT_FALSE(draws_line(chart, {"", true, '*', {{1, 1}, {2, kInfinity}}}));
}

TEST(YTitle, NamesTheUnitOnce) {
  Chart chart;
  chart.y_unit = "FLOP/s";
  EXPECT_EQ(y_title(chart), "FLOP/s");
  chart.y_label = "rate";
  EXPECT_EQ(y_title(chart), "rate (FLOP/s)");
  chart.y_label = "rate in FLOP/s";
  EXPECT_EQ(y_title(chart), "rate in FLOP/s");
}

TEST(ShowCoordinate, KeepsThreeDigits) {
  EXPECT_EQ(show_coordinate(8.9e11, "FLOP/s"), "890 GFLOP/s");
  EXPECT_EQ(show_coordinate(0.0625, ""), "0.0625");
  EXPECT_EQ(show_coordinate(4096, ""), "4096");
  EXPECT_EQ(show_coordinate(1e300, "B/s"), "1e+300 B/s");
  EXPECT_EQ(show_coordinate(0, ""), "0");
}

}  // namespace
}  // namespace roofbeam
