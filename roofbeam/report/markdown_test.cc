// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "roofbeam/report/document.h"

namespace roofbeam {
namespace {

TEST(Markdown, WritesEachBlock) {
  Document document;
  document.title = "Roofline of cpu_0";
  document.blocks = {
      Paragraph{"Compute binds.", true},
      Paragraph{"First line.\n  Second line.", false},
      Chart{"left out", "x", "y", "", false, false, {{"s", true, '*', {{1, 1}}}}},
      Heading{"Next"},
      Bullets{{"one", "two"}},
      Notice{"3 % stolen"},
      Table{{{"kernel"}, {"time", true}}, {{"copy", "12 µs"}, {"gemm 4096", "1 s"}}}};
  EXPECT_EQ(to_markdown(document), R"(# Roofline of cpu_0

**Compute binds.**

First line.<br>Second line.

## Next

- one
- two

> **Note:** 3 % stolen

| kernel    |  time |
| --------- | ----: |
| copy      | 12 µs |
| gemm 4096 |   1 s |
)");
}

TEST(Markdown, WritesNothingForNothing) {
  EXPECT_EQ(to_markdown({}), "");
  EXPECT_EQ(to_markdown({"", {Paragraph{}, Bullets{}, Table{}}}), "");
}

TEST(Markdown, EscapesWhatWouldBecomeMarkup) {
  EXPECT_EQ(
      to_markdown({"", {Paragraph{"<script> & [a](b) *x* _y_ snake_case `c` a|b ~ $5 \\", false}}}),
      "\\<script\\> \\& \\[a\\](b) \\*x\\* \\_y\\_ snake_case \\`c\\` a\\|b \\~ \\$5 \\\\\n");
}

TEST(Markdown, EscapesWhatOpensABlockOnlyWhereALineBegins) {
  for (const auto& [text, escaped] :
       std::vector<std::pair<std::string, std::string>>{{"# a # b", "\\# a # b\n"},
                                                        {"- a - b", "\\- a - b\n"},
                                                        {"+1", "\\+1\n"},
                                                        {"1. one", "1\\. one\n"},
                                                        {"12) one", "12\\) one\n"},
                                                        {"1.24x as fast", "1.24x as fast\n"},
                                                        {"  # a\n# b", "\\# a<br>\\# b\n"},
                                                        {"===", "\\===\n"}}) {
    EXPECT_EQ(to_markdown({"", {Paragraph{text, false}}}), escaped);
  }
}

TEST(Markdown, KeepsARowOnOneLineAndShortRowsWhole) {
  EXPECT_EQ(to_markdown({"", {Table{{{"a"}, {"b|c", true}}, {{"1\n2"}, {"x", "y", "z"}}}}}),
            "| a      | b\\|c |     |\n"
            "| ------ | ---: | --- |\n"
            "| 1<br>2 |      |     |\n"
            "| x      |    y | z   |\n");
}

TEST(Markdown, LetsNoControlThrough) {
  EXPECT_EQ(to_markdown({"a\nb", {Notice{"\x1b[31m\xff"}}}),
            "# a b\n\n> **Note:** \uFFFD\\[31m\uFFFD\n");
}

}  // namespace
}  // namespace roofbeam
