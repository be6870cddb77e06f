// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "roofbeam/report/document.h"

namespace roofbeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Chart roofline() {
  return {"The roof",
          "arithmetic intensity (flop/byte)",
          "rate",
          "FLOP/s",
          true,
          true,
          {{"40 GB/s, then 1 TFLOP/s", true, '*', {{0.1, 4e9}, {25, 1e12}, {400, 1e12}}},
           {"L2", true, '*', {{0.1, 4e10}, {2.5, 1e12}}},
           {"triad", false, 'o', {{0.125, 4.6e9}}},
           {"gemm", false, '#', {{200, 4e11}}}}};
}

std::string draw(const Chart& chart, int width, bool unicode, bool color = false) {
  return to_terminal({"", {chart}}, {width, color, unicode});
}

TEST(TerminalChart, DrawsARooflineInUnicodeAt80) {
  EXPECT_EQ(draw(roofline(), 80, true), R"(The roof
rate (FLOP/s)
  1 T ┤                             ⡀                 ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
      │                          ⡀⠐⠉               ⡠⠔⠉
      │                      ⢀⡀⠐⠉               ⡠⠔⠉
      │                   ⢀⡀⠐⠁              ⢀⡠⠒⠉                      #
      │                ⢀⡀⠐⠁              ⢀⡠⠒⠁
      │             ⢀⠄⠈⠁              ⢀⡠⠒⠁
100 G ┤          ⢀⠄⠈⠁              ⢀⡠⠒⠁
      │       ⣀⠄⠈⠁              ⢀⡠⠒⠁
      │    ⣀⠄⠈               ⢀⠤⠊⠁
      │   ⠈               ⢀⠤⠊⠁
      │                ⢀⠤⠊⠁
      │             ⢀⠤⠊⠁
 10 G ┤          ⣀⠤⠊⠁
      │       ⣀⠔⠊
      │    ⣀o⠊
      │   ⠈
      └───┬─────────────────┬──────────────────┬─────────────────┬──────────────
         0.1                1                  10               100
                           arithmetic intensity (flop/byte)
       ⠒⠒⠒⠒⠒ 40 GB/s, then 1 TFLOP/s   ⠒⠒ ⠒⠒ L2   o triad   # gemm
)");
}

TEST(TerminalChart, DrawsARooflineInAsciiAt80) {
  EXPECT_EQ(draw(roofline(), 80, false), R"(The roof
rate (FLOP/s)
  1 T +                                               -----------------------
      |                           -'               .-'
      |                        -'               .-'
      |                   . -'               .-'                      #
      |                . '                .-'
      |             . '                .-'
100 G +          . '                .-'
      |       . '               ..-'
      |    . '               .-'
      |   '               .-'
      |                .-'
      |             .-'
 10 G +          .-'
      |       .-'
      |    .o'
      |   '
      +---+-----------------+------------------+-----------------+--------------
         0.1                1                  10               100
                           arithmetic intensity (flop/byte)
       ----- 40 GB/s, then 1 TFLOP/s   -- -- L2   o triad   # gemm
)");
}

TEST(TerminalChart, DrawsARooflineInUnicodeAt40) {
  EXPECT_EQ(draw(roofline(), 40, true), R"(The roof
rate (FLOP/s)
  1 T ┤             ⡀       ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
      │            ⠜      ⢀⠜
      │          ⡠⠂      ⢠⠊
      │         ⡀⠁      ⡔⠁         #
      │        ⠎      ⢀⠎
      │      ⡰       ⡠⠃
100 G ┤    ⢀⠈       ⡔⠁
      │   ⠠⠊      ⢀⠎
      │  ⡔       ⡰⠁
      │ ⠈      ⢀⠜
      │       ⢠⠊
      │      ⡰⠁
 10 G ┤    ⢀⠜
      │   ⡠⠃
      │  o⠁
      │ ⠈
      └─┬────────┬───────┬───────┬──────
       0.1       1       10     100
       arithmetic intensity (flop/byte)
       ⠒⠒⠒⠒⠒ 40 GB/s, then 1 TFLOP/s
       ⠒⠒ ⠒⠒ L2   o triad   # gemm
)");
}

Chart speedup() {
  return {"",
          "workers",
          "speedup",
          "",
          false,
          false,
          {{"ideal", true, '*', {{1, 1}, {8, 8}}},
           {"measured", false, 'o', {{1, 1}, {2, 1.9}, {4, 3.2}, {8, 4.1}}}}};
}

TEST(TerminalChart, DrawsLinearAxesInAscii) {
  EXPECT_EQ(draw(speedup(), 40, false), R"(speedup
8 +                                  .
  |                                -'
  |                             .-'
  |                           .-
6 +                         .'
  |                       -'
  |                    .-'
  |                  .-
4 +                .'                o
  |              -' o
  |           .-'
  |         .-
2 +       .'o
  |     -'
  |    o
0 +
  ++--------+-------+--------+-------+--
   0        2       4        6       8
                  workers
   ----- ideal   o measured
)");
}

TEST(TerminalChart, DrawsASinglePointInTheMiddle) {
  const Chart chart{"one", "size", "", "B/s", true, false, {{"x", true, 'x', {{1e6, 51.2e9}}}}};
  EXPECT_EQ(draw(chart, 40, true), R"(one
B/s
     │
     │
70 G ┤
     │
     │
60 G ┤
     │
     │
50 G ┤                 x
     │
     │
40 G ┤
     │
     │
30 G ┤
     │
     └───────┬─────────┬────────┬───────
           500 k      1 M      2 M
                     size
      x x
)");
}

TEST(TerminalChart, SaysWhereThereIsNothingToDraw) {
  EXPECT_EQ(draw({}, 40, true), "(no points to draw)\n");
  Chart chart;
  chart.title = "Roof";
  chart.log_x = true;
  chart.series = {{"a", false, '*', {{0, 1}, {kInfinity, 1}}}};
  EXPECT_EQ(draw(chart, 40, true), "Roof (no points to draw)\n");
}

TEST(TerminalChart, CountsThePointsThatHaveNoPlace) {
  Chart chart = speedup();
  chart.series[1].points.emplace_back(kInfinity, 1);
  chart.series.push_back({"gone", true, 'g', {{1, kInfinity}, {2, kInfinity}}});
  const std::string page = draw(chart, 60, false);
  EXPECT_NE(page.find("   g gone (no points)\n   3 points have no place on these axes\n"),
            std::string::npos)
      << page;
}

TEST(TerminalChart, MovesAMarkerAsideThatMeetsAnother) {
  Chart chart = speedup();
  chart.series = {{"a", false, 'a', {{1, 1}, {1, 1}, {9, 9}}},
                  {"b", false, 'b', {{1, 1}}},
                  {"c", false, 'c', {{9, 9}}}};
  const std::string page = draw(chart, 60, false);
  EXPECT_NE(page.find("ab"), std::string::npos) << page;
  EXPECT_NE(page.find("ac"), std::string::npos) << page;
}

TEST(TerminalChart, GivesEachSeriesItsColourInPlotAndLegend) {
  const std::string page = draw(roofline(), 80, true, true);
  EXPECT_NE(page.find("\x1b[1;34m#\x1b[0m\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\x1b[1;34m#\x1b[0m gemm\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\x1b[36m⠒⠒⠒⠒⠒\x1b[0m 40 GB/s"), std::string::npos) << page;
}

TEST(TerminalChart, SurvivesHugeRanges) {
  for (const bool log : {false, true}) {
    Chart chart = speedup();
    chart.log_x = chart.log_y = log;
    chart.series[0].points = {{1e-323, 1e308}, {1e308, 1e-323}, {-1e308, -1e308}};
    EXPECT_FALSE(draw(chart, 80, true).empty());
    EXPECT_FALSE(draw(chart, 40, false).empty());
  }
}

}  // namespace
}  // namespace roofbeam
