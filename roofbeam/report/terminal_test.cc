// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "roofbeam/report/document.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

constexpr TerminalStyle kAscii40{40, false, false};
constexpr TerminalStyle kUnicode40{40, false, true};
constexpr TerminalStyle kUnicode80{80, false, true};
constexpr TerminalStyle kAscii80{80, false, false};

Document words() {
  Document document;
  document.title = "Matrix product";
  document.blocks = {Paragraph{"Compute binds: the product runs at 91 % of the roof.", true},
                     Paragraph{"It took 12.4 µs.\nEach step did 3 × the work.", false},
                     Heading{"What to do"},
                     Bullets{{"Use the matrix units, which is 2x as fast here", "Stop"}},
                     Notice{"The neighbours took 3 % of the time meanwhile."},
                     Notice{"Quota: 4 cores."}};
  return document;
}

Document table() {
  Document document;
  document.blocks = {Table{{{"kernel"}, {"time", true}, {"bound by"}},
                           {{"copy", "12.4 µs", "bandwidth"}, {"gemm 4096", "1.40 s", "compute"}}}};
  return document;
}

TEST(Terminal, DrawsWordsInUnicodeAt40) {
  EXPECT_EQ(to_terminal(words(), kUnicode40), R"(Matrix product
══════════════

▌ Compute binds: the product runs at
▌ 91 % of the roof.

It took 12.4 µs.
Each step did 3 × the work.

── What to do ──────────────────────────

  • Use the matrix units, which is 2x as
    fast here
  • Stop

! The neighbours took 3 % of the time
  meanwhile.
! Quota: 4 cores.
)");
}

TEST(Terminal, DrawsWordsInAsciiAt80) {
  EXPECT_EQ(to_terminal(words(), kAscii80), R"(Matrix product
==============

| Compute binds: the product runs at 91 % of the roof.

It took 12.4 us.
Each step did 3 x the work.

-- What to do ------------------------------------------------------------------

  - Use the matrix units, which is 2x as fast here
  - Stop

! The neighbours took 3 % of the time meanwhile.
! Quota: 4 cores.
)");
}

TEST(Terminal, ColoursVerdictAndNotices) {
  Document document;
  document.blocks = {Paragraph{"Bound.", true}, Paragraph{"Plain.", false}, Notice{"Careful."}};
  EXPECT_EQ(to_terminal(document, {40, true, true}),
            "\x1b[1m▌ Bound.\x1b[0m\n\nPlain.\n\n\x1b[33m! Careful.\x1b[0m\n");
}

TEST(Terminal, DrawsNothingForNothing) {
  EXPECT_EQ(to_terminal({}, kUnicode80), "");
  EXPECT_EQ(to_terminal({"", {Bullets{}, Table{}}}, kUnicode80), "");
  EXPECT_EQ(to_terminal({"", {Notice{"a"}, Bullets{}, Notice{"b"}}}, kUnicode80), "! a\n! b\n");
}

TEST(Terminal, TreatsANarrowerWidthAs40) {
  EXPECT_EQ(to_terminal(words(), {3, false, true}), to_terminal(words(), kUnicode40));
}

TEST(Terminal, WrapsALongHeadingWithoutARule) {
  EXPECT_EQ(
      to_terminal({"", {Heading{"What holds this product back, and what it would buy"}}}, kAscii40),
      "-- What holds this product back, and\n   what it would buy\n");
}

TEST(TerminalTable, AlignsByDisplayWidth) {
  EXPECT_EQ(to_terminal(table(), kUnicode40), R"(kernel        time  bound by
─────────  ───────  ─────────
copy       12.4 µs  bandwidth
gemm 4096   1.40 s  compute
)");
}

TEST(TerminalTable, WrapsTheWidestTextFirst) {
  Document document;
  document.blocks = {
      Table{{{"do this"}, {"gain of it all", true}, {"because"}},
            {{"quit", "1.24x", "the memory is slower than the arithmetic needs it to be"}}}};
  EXPECT_EQ(to_terminal(document, kAscii40), R"(do this  gain of it all  because
-------  --------------  ---------------
quit              1.24x  the memory is
                         slower than the
                         arithmetic
                         needs it to be
)");
}

TEST(TerminalTable, WrapsTitlesOfNumbersAndThenBreaksWordsOfText) {
  Document document;
  document.blocks = {Table{{{"ceiling"}, {"measured now", true}, {"measured before", true}},
                           {{"bandwidth.dram.triad.all", "41.2 GB/s", "40.9 GB/s"}}}};
  EXPECT_EQ(to_terminal(document, kAscii40), R"(                     measured   measured
ceiling                   now     before
------------------  ---------  ---------
bandwidth.dram.     41.2 GB/s  40.9 GB/s
triad.all
)");
}

TEST(TerminalTable, BecomesAListWhereNumbersDoNotFit) {
  Document document;
  Table wide;
  for (const char* title : {"kernel", "flop/byte", "predicted", "measured", "roof"}) {
    wide.columns.push_back({title, true});
  }
  wide.rows = {{"copy", "0.0833", "12.4 ms", "12.9 ms", "96 %"}, {"dot", "1", "2", "3", ""}};
  document.blocks = {wide};
  EXPECT_EQ(to_terminal(document, kUnicode40), R"(kernel: copy
flop/byte: 0.0833
predicted: 12.4 ms
measured: 12.9 ms
roof: 96 %

kernel: dot
flop/byte: 1
predicted: 2
measured: 3
roof:
)");
}

TEST(TerminalTable, KeepsCellsBeyondTheColumnsAndStandsWithoutRows) {
  Document document;
  document.blocks = {Table{{{"a"}}, {{"1", "2"}, {}}}, Table{{{"none", true}, {"x"}}, {}}};
  EXPECT_EQ(to_terminal(document, kAscii40), "a\n-  -\n1  2\n\n\nnone  x\n----  -\n");
}

TEST(Terminal, LetsNoEscapeCodeThrough) {
  const std::string evil =
      "a\x1b[2Jb\xc2\x9b"
      "31m\u202E\x07\xff";
  Document document;
  document.title = evil;
  document.blocks = {
      Heading{evil},
      Paragraph{evil, true},
      Bullets{{evil}},
      Notice{evil},
      Table{{{evil}}, {{evil}}},
      Chart{evil, evil, evil, evil, false, false, {{evil, false, '\x1b', {{1, 2}}}}}};
  for (const TerminalStyle& style : {kUnicode80, kAscii40}) {
    const std::string page = to_terminal(document, style);
    for (char c : page) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    for (const char* code : {"\xc2\x9b", "\u202E", "\xff"}) {
      EXPECT_EQ(page.find(code), std::string::npos);
    }
  }
}

// A document of anything, anywhere.
class RandomDocument {
 public:
  explicit RandomDocument(unsigned seed) : random_(seed) {}

  Document make() {
    Document document;
    document.title = text();
    for (unsigned n = below(6); n > 0; --n) document.blocks.push_back(block());
    return document;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string text() {
    static const std::vector<std::string> kPieces = {"a",        " ",    "1.24 TFLOP/s",
                                                     "µ",        "屋根", "bandwidth.dram.read.all",
                                                     "×",        "\n",   "  ",
                                                     "\x1b[31m", "\xff", "word",
                                                     "\t",       "96 %", "─",
                                                     "\u0301"};
    std::string result;
    for (unsigned n = below(25); n > 0; --n) result += kPieces[below(16)];
    return result;
  }
  double number() {
    static const std::vector<double> kNumbers = {
        0, 1, -1, 0.5, 1e9, 3e12, 1e-9, 7e11, 1e300, -1e308, 1e308, 0.0 / -1.0, 5e-324, 42};
    return kNumbers[below(14)];
  }
  Block block() {
    switch (below(6)) {
      case 0:
        return Heading{text()};
      case 1:
        return Paragraph{text(), below(2) == 0};
      case 2:
        return Bullets{{text(), text()}};
      case 3:
        return Notice{text()};
      case 4: {
        Table table;
        const unsigned columns = below(9);
        for (unsigned c = 0; c < columns; ++c) table.columns.push_back({text(), below(2) == 0});
        for (unsigned r = below(4); r > 0; --r) {
          table.rows.emplace_back();
          for (unsigned c = 0; c < columns; ++c) table.rows.back().push_back(text());
        }
        return table;
      }
      default: {
        Chart chart{text(),        text(),        text(), below(2) == 0 ? "B/s" : "",
                    below(2) == 0, below(2) == 0, {}};
        for (unsigned s = below(5); s > 0; --s) {
          chart.series.push_back({text(), below(2) == 0, static_cast<char>(below(256)), {}});
          for (unsigned p = below(5); p > 0; --p) {
            chart.series.back().points.emplace_back(number(), number());
          }
        }
        return chart;
      }
    }
  }

  std::mt19937 random_;
};

TEST(Terminal, NoLineOfAnyDocumentIsTooWide) {
  RandomDocument documents(3);
  for (int round = 0; round < 1500; ++round) {
    const Document document = documents.make();
    for (const int width : {40, 57, 80, 130}) {
      for (const bool unicode : {true, false}) {
        std::istringstream page(to_terminal(document, {width, false, unicode}));
        for (std::string line; std::getline(page, line);) {
          ASSERT_LE(display_width(line), width) << line;
          ASSERT_EQ(line.find('\x1b'), std::string::npos);
          ASSERT_EQ(line, clean(line, unicode));
        }
      }
    }
  }
}

TEST(Terminal, ColourChangesNothingButColour) {
  RandomDocument documents(4);
  for (int round = 0; round < 300; ++round) {
    const Document document = documents.make();
    std::string plain;
    const std::string coloured = to_terminal(document, {80, true, true});
    for (std::size_t at = 0; at < coloured.size(); ++at) {
      if (coloured[at] == '\x1b') {
        at = coloured.find('m', at);
      } else {
        plain += coloured[at];
      }
    }
    ASSERT_EQ(plain, to_terminal(document, kUnicode80));
  }
}

}  // namespace
}  // namespace roofbeam
