// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/text_width.h"

#include <gtest/gtest.h>

#include <random>

namespace roofbeam {
namespace {

using Lines = std::vector<std::string>;

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("12 µs × 3 ─┤⣀"), 13);
  EXPECT_EQ(display_width("屋根"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("🙂"), 2);
}

TEST(Decode, TakesOneByteOfWhatIsNoUtf8) {
  for (const char* damaged : {"\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                              "\xE2\x28\xA1", "\x80", "\xF0\x80\x80\x80", "\xE0\x80\x80"}) {
    EXPECT_EQ(decode(damaged, 0).value, char32_t{0xFFFD}) << damaged;
    EXPECT_EQ(decode(damaged, 0).bytes, 1u) << damaged;
  }
}

TEST(Decode, ReadsWhatAppendWrites) {
  for (char32_t value : {0x24u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    append(text, value);
    EXPECT_EQ(decode(text, 0).value, value);
    EXPECT_EQ(decode(text, 0).bytes, text.size());
  }
}

TEST(Clean, MakesWhatSteersATerminalInert) {
  EXPECT_EQ(clean("a\x1b[31mb\x07\x7f"), "a\uFFFD[31mb\uFFFD\uFFFD");
  EXPECT_EQ(clean("a\xc2\x9b"
                  "31m"),
            "a\uFFFD31m");
  EXPECT_EQ(clean("abc\u202Edef\u2066"), "abc\uFFFDdef\uFFFD");
  EXPECT_EQ(clean(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(clean("a\tb\r\nc\rd"), "a b\nc\uFFFDd");
  EXPECT_EQ(clean("\xff ok"), "\uFFFD ok");
}

TEST(Clean, SpellsSignsOutInAscii) {
  EXPECT_EQ(clean("12 µs × 3 → ≥ 2… “x” 屋 e\u0301 \x1b", false),
            "12 us x 3 -> >= 2... \"x\" ? e ?");
}

TEST(CleanLine, HasNoLineFeeds) {
  EXPECT_EQ(clean_line("a\nb\r\nc"), "a b c");
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one  two   three ", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("µµµ ××× ─", 7), (Lines{"µµµ ×××", "─"}));
  EXPECT_EQ(wrap("", 10), Lines{""});
  EXPECT_EQ(wrap("a\n\nb", 10), (Lines{"a", "", "b"}));
}

TEST(Wrap, KeepsANumberWithItsUnit) {
  EXPECT_EQ(wrap("runs at 91 % of it", 10), (Lines{"runs at", "91 % of it"}));
  EXPECT_EQ(wrap("took 12.4 ms", 9), (Lines{"took", "12.4 ms"}));
  EXPECT_EQ(wrap("12.4 milliseconds", 6), (Lines{"12.4", "millis", "econds"}));
}

TEST(Wrap, BreaksLongWordsBehindAPunctuation) {
  EXPECT_EQ(wrap("see bandwidth.dram.read.all", 16), (Lines{"see", "bandwidth.dram.", "read.all"}));
  EXPECT_EQ(wrap("abcdefghij", 4), (Lines{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap("屋根屋根", 5), (Lines{"屋根", "屋根"}));
}

TEST(Wrap, LosesNoWordAndExceedsNoWidth) {
  std::mt19937 random(1);
  const Lines pieces = {"a", "µ", "屋", " ", "  ", "-", "word", "x/y", "\u0301", "\n"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned n = random() % 40; n > 0; --n) text += pieces[random() % pieces.size()];
    const int width = 2 + static_cast<int>(random() % 30);
    std::string joined;
    for (const std::string& line : wrap(text, width)) {
      EXPECT_LE(display_width(line), width) << text;
      joined += line;
    }
    const auto without_blanks = [](std::string s) {
      std::erase_if(s, [](char c) { return c == ' ' || c == '\n'; });
      return s;
    };
    EXPECT_EQ(without_blanks(joined), without_blanks(text));
  }
}

TEST(LongestWord, LooksBetweenBlanksAndLineFeeds) {
  EXPECT_EQ(longest_word("ab µµµ\ncdefg h"), 5);
  EXPECT_EQ(longest_word(""), 0);
}

TEST(Pad, FillsUpToTheWidth) {
  EXPECT_EQ(pad("µs", 4), "µs  ");
  EXPECT_EQ(pad("µs", 4, true), "  µs");
  EXPECT_EQ(pad("long", 2), "long");
}

}  // namespace
}  // namespace roofbeam
