// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Estimate<double> around(double value) {
  return {value, value * 0.99, value * 1.01, 5, Method::median};
}

Difference row(const char* name, double a, double b) {
  return {name, "flop_per_s", around(a), around(b), around(b) / around(a), a != b, ""};
}

CompareAnswer answer_of(std::vector<Difference> rows, int compared) {
  CompareAnswer answer;
  answer.a = {"a.json", "machine", "One"};
  answer.b = {"b.json", "machine", "Two"};
  answer.rows = std::move(rows);
  answer.compared = compared;
  for (const Difference& one : answer.rows) {
    if (one.differs) ++answer.differing;
  }
  return answer;
}

std::string first(const CompareAnswer& answer) {
  const Document page = document(answer);
  return std::get<Paragraph>(page.blocks.at(0)).text;
}

std::string shown(const CompareAnswer& answer) {
  TerminalStyle style;
  style.width = 200;
  style.unicode = false;
  return to_terminal(document(answer), style);
}

TEST(CompareReport, SumsUpWhatAgrees) {
  EXPECT_EQ(first(answer_of({}, 31)), "All 31 figures agree within their intervals.");
  EXPECT_EQ(first(answer_of({}, 1)), "The one figure both have agrees within its intervals.");
  EXPECT_EQ(first(answer_of({row("x", 1, 0.5), row("y", 1, 2)}, 31)),
            "B is slower in 1 and faster in 1 of 31 figures; 29 figures agree within their "
            "intervals.");
  EXPECT_EQ(first(answer_of({row("x", 1, 0.5)}, 1)), "B is slower in 1 of 1 figure.");
}

TEST(CompareReport, ShowsTheGainWithItsInterval) {
  const Document page = document(answer_of({row("x", 100e9, 50e9)}, 1));
  EXPECT_EQ(std::get<Table>(page.blocks.at(2)).rows,
            (std::vector<std::vector<std::string>>{
                {"x", "100 GFLOP/s", "50 GFLOP/s", "0.50x", "0.49 to 0.51"}}));
}

TEST(CompareReport, MarksWhatDiffersAmongAll) {
  const Document page = document(answer_of({row("x", 1e9, 2e9), row("y", 1e9, 1e9)}, 2));
  const Table& table = std::get<Table>(page.blocks.at(2));
  EXPECT_EQ(table.rows.at(0).back(), "differs");
  EXPECT_EQ(table.rows.at(1).back(), "");
}

TEST(CompareReport, SaysWhatOnlyOneOfThemHasAndWhy) {
  CompareAnswer answer = answer_of({}, 1);
  answer.only_a = {{"p", "no unit"}, {"q", ""}, {"r", "no unit"}};
  answer.only_b = {{"s", ""}};
  const std::string page = shown(answer);
  EXPECT_NE(page.find("Only in A: p, r (B says: no unit)."), std::string::npos) << page;
  EXPECT_NE(page.find("Only in A: q."), std::string::npos) << page;
  EXPECT_NE(page.find("Only in B: s."), std::string::npos) << page;
  answer.b.kind = "datasheet";
  EXPECT_EQ(shown(answer).find("Only in A"), std::string::npos);
}

TEST(CompareReport, SaysWhetherTheThresholdIsMet) {
  CompareAnswer answer = answer_of({}, 1);
  answer.threshold = Threshold{0.9, false, "x", {0.5, 0.4, 0.6, 5, Method::predicted}};
  EXPECT_NE(shown(answer).find("B does not keep 0.90x of A: x has 0.60x at most."),
            std::string::npos);
  answer.threshold->met = true;
  EXPECT_NE(shown(answer).find("B keeps 0.90x of every figure of A; the least is x with 0.40x"),
            std::string::npos);
}

}  // namespace
}  // namespace roofbeam
