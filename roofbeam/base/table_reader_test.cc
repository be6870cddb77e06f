// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/table_reader.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

std::string complaint(std::string_view text) {
  auto table = read_table(text, "t.csv");
  return table ? "read" : table.error().where + " | " + table.error().what;
}

TEST(TableReader, ReadsWhatSpreadsheetsWrite) {
  auto table = read_table(
      "\xEF\xBB\xBF# workers, in threads\r\nn,\"rate, per s\",note\r\n"
      "1,2.5,\"said \"\"so\"\"\r\ntwice\"\r\n\r\n# more\r\n2,,\r\n",
      "t.csv");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->columns(), (std::vector<std::string>{"n", "rate, per s", "note"}));
  const std::vector<TableRows::Row> expected = {{3, {"1", "2.5", "said \"so\"\r\ntwice"}},
                                                {7, {"2", "", ""}}};
  EXPECT_EQ(table->rows(), expected);
  EXPECT_EQ(*table->number(table->rows()[0], "rate, per s"), 2.5);
  EXPECT_EQ(*table->number(table->rows()[1], "rate, per s"), std::nullopt);
  EXPECT_EQ(*table->number(table->rows()[1], "not there"), std::nullopt);
}

TEST(TableReader, SaysWhichLineAndColumnIsWrong) {
  auto table = read_table("n,rate\n1,2\n2,fast\n", "t.csv");
  ASSERT_TRUE(table);
  const auto number = table->number(table->rows()[1], "rate");
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().what, "\"fast\" is no number");
  EXPECT_EQ(number.error().where, "t.csv:3: rate");

  EXPECT_EQ(complaint(""), "t.csv | no line of column names");
  EXPECT_EQ(complaint("a,a\n1,2\n"), "t.csv | two columns are called \"a\"");
  EXPECT_EQ(complaint("a,b\n1,2\n\n3\n"), "t.csv:4 | 1 cell under 2 columns");
  EXPECT_EQ(complaint("a,b\n1,2,3\n"), "t.csv:2 | 3 cells under 2 columns");
  EXPECT_EQ(complaint("a,b\n1,\"2\n3,4\n"), "t.csv:2 | a quote begins here that never ends");
  EXPECT_EQ(complaint("a,b\n1,2\"2\n"), "t.csv:2 | this is no row of a table");
  EXPECT_EQ(complaint(std::string(2000, ',')), "t.csv:1 | more than 1000 cells");
}

TEST(TableReader, EveryTruncationIsReadOrExplained) {
  const std::string text = "n,note\r\n1,\"a \"\"b\"\"\r\nc\"\r\n# x\r\n2,d\r\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto table = read_table(text.substr(0, length), "t.csv");
    if (!table) {
      EXPECT_FALSE(table.error().where.empty()) << length;
    }
  }
}

}  // namespace
}  // namespace roofbeam
