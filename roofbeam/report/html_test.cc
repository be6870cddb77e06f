// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "roofbeam/base/json.h"
#include "roofbeam/report/chart_js.h"
#include "roofbeam/report/document.h"
#include "roofbeam/report/html_parts.h"

namespace roofbeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kEvil = "</script><script>alert(1)</script> & \"x\" 'y' <!-- \x1b[31m\xff";
constexpr const char* kInert =
    "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; &#39;y&#39; &lt;!-- "
    "\uFFFD[31m\uFFFD";

std::string between(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t begin = page.find(from);
  if (begin == std::string::npos) return "(no " + from + ")";
  const std::size_t end = page.find(to, begin + from.size());
  return page.substr(begin + from.size(), end - begin - from.size());
}

std::string main_of(const Document& document) {
  return between(to_html(document), "<main>\n", "</main>");
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

Chart chart() {
  return {"Roof",
          "flop/byte",
          "rate",
          "FLOP/s",
          true,
          true,
          {{"roof", true, '*', {{1, 1e9}, {10, 1e10}}}, {"gemm", false, '#', {{0, 1}, {4, 2e9}}}}};
}

TEST(ChartJs, IsTheWholeLibrary) {
  const std::string_view script = chart_js();
  EXPECT_GT(script.size(), 100'000u);
  EXPECT_EQ(script.find('\0'), std::string_view::npos);
  EXPECT_NE(script.substr(0, 40).find("Chart.js v"), std::string_view::npos);
  // It stands between script tags, and must not end them.
  EXPECT_EQ(script.find("</script"), std::string_view::npos);
  EXPECT_EQ(script.find("<!--"), std::string_view::npos);
}

TEST(Html, WritesEachBlockAsElements) {
  Document document;
  document.title = "A <b> & more";
  document.blocks = {Heading{"Next"},
                     Paragraph{"Bound.\nBy memory.", true},
                     Paragraph{"12 µs", false},
                     Bullets{{"one", "two"}},
                     Bullets{},
                     Notice{"stolen"},
                     Table{{{"kernel"}, {"time", true}},
                           {{"copy", "12.4 ms"}, {"a remark that is too long for a line"}}}};
  EXPECT_EQ(main_of(document), R"(<h1>A &lt;b&gt; &amp; more</h1>
<h2>Next</h2>
<p class="verdict">Bound.<br>By memory.</p>
<p>12 µs</p>
<ul>
<li>one</li>
<li>two</li>
</ul>
<p class="notice" role="note">stolen</p>
<div class="wide"><table>
<thead><tr><th class="short">kernel</th><th class="number">time</th></tr></thead>
<tbody>
<tr><td class="short">copy</td><td class="number">12.4 ms</td></tr>
<tr><td>a remark that is too long for a line</td></tr>
</tbody>
</table></div>
)");
}

TEST(Html, IsAWholePageEvenOfNothing) {
  const std::string page = to_html({});
  EXPECT_EQ(
      page.rfind("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", 0), 0u);
  EXPECT_EQ(between(page, "<title>", "</title>"), "roofbeam");
  EXPECT_EQ(between(page, "<body>\n", "</html>"), "<main>\n</main>\n</body>\n");
}

TEST(Html, FetchesNothing) {
  const std::string page = to_html({"t", {chart()}});
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* part : {"<link", "<img", " src=", "@import", "url("}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

TEST(Html, CarriesTheLibraryOnlyWhereThereIsAChart) {
  EXPECT_EQ(to_html({"t", {Heading{"h"}}}).find("<script"), std::string::npos);
  EXPECT_EQ(count(to_html({"t", {chart(), chart()}}), "Chart.js v"), 1);
}

TEST(Html, DrawsAChartAsCanvasAndTable) {
  EXPECT_EQ(main_of({"", {chart()}}), R"(<figure>
<figcaption>Roof</figcaption>
<div class="plot"><canvas id="chart-0" role="img" aria-label="Roof"></canvas></div>
<noscript><p>The picture needs JavaScript; its points are below.</p></noscript>
<details><summary>The points as a table</summary>
<div class="wide"><table>
<thead><tr><th>series</th><th class="number">flop/byte</th><th class="number">rate</th></tr></thead>
<tbody>
<tr><td>roof</td><td class="number"><data value="1.0">1</data></td><td class="number"><data value="1000000000.0">1 GFLOP/s</data></td></tr>
<tr><td>roof</td><td class="number"><data value="10.0">10</data></td><td class="number"><data value="10000000000.0">10 GFLOP/s</data></td></tr>
<tr><td>gemm (has no place on these axes)</td><td class="number"><data value="0.0">0</data></td><td class="number"><data value="1.0">1 FLOP/s</data></td></tr>
<tr><td>gemm</td><td class="number"><data value="4.0">4</data></td><td class="number"><data value="2000000000.0">2 GFLOP/s</data></td></tr>
</tbody>
</table></div></details>
</figure>
)");
}

TEST(Html, GivesTheScriptRangesTicksAndTexts) {
  Chart one = chart();
  one.log_x = one.log_y = false;
  one.y_unit = "";
  one.series = {{"a", true, '*', {{0, 0}, {2, 1}}}, {"<b>", false, '*', {{1, kInfinity}, {1, 1}}}};
  EXPECT_EQ(charts_data({&one}), R"([
 {
  "x": {
   "log": false,
   "title": "flop/byte",
   "min": 0.0,
   "max": 2.1,
   "ticks": [
    {
     "value": 0.0,
     "label": "0"
    },
    {
     "value": 0.5,
     "label": "0.5"
    },
    {
     "value": 1.0,
     "label": "1.0"
    },
    {
     "value": 1.5,
     "label": "1.5"
    },
    {
     "value": 2.0,
     "label": "2.0"
    }
   ]
  },
  "y": {
   "log": false,
   "title": "rate",
   "min": 0.0,
   "max": 1.05,
   "ticks": [
    {
     "value": 0.0,
     "label": "0"
    },
    {
     "value": 0.2,
     "label": "0.2"
    },
    {
     "value": 0.4,
     "label": "0.4"
    },
    {
     "value": 0.6000000000000001,
     "label": "0.6"
    },
    {
     "value": 0.8,
     "label": "0.8"
    },
    {
     "value": 1.0,
     "label": "1.0"
    }
   ]
  },
  "series": [
   {
    "name": "a",
    "line": true,
    "points": [
     {
      "x": 0.0,
      "y": 0.0,
      "text": "a: 0 at flop/byte = 0"
     },
     {
      "x": 2.0,
      "y": 1.0,
      "text": "a: 1 at flop/byte = 2"
     }
    ]
   },
   {
    "name": "\u003cb>",
    "line": false,
    "points": [
     {
      "x": 1.0,
      "y": 1.0,
      "text": "\u003cb>: 1 at flop/byte = 1"
     }
    ]
   }
  ]
 }
])");
}

TEST(Html, NumbersOnlyTheChartsThatDraw) {
  Chart empty = chart();
  empty.series = {{"none", true, '*', {{-1, 1}}}};
  const std::string page = to_html({"", {empty, chart()}});
  EXPECT_EQ(count(page, "<p>No points to draw.</p>"), 1);
  EXPECT_EQ(count(page, "<canvas id=\"chart-0\""), 1);
  const auto data = parse_json(
      between(page, "<script type=\"application/json\" id=\"charts\">", "</script>"), "page");
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->items()->size(), 1u);
}

TEST(Html, MakesHostileTextInertEverywhere) {
  Document document;
  document.title = kEvil;
  document.blocks = {Heading{kEvil},
                     Paragraph{kEvil, true},
                     Bullets{{kEvil}},
                     Notice{kEvil},
                     Table{{{kEvil}}, {{kEvil}}},
                     Chart{kEvil,
                           kEvil,
                           kEvil,
                           kEvil,
                           false,
                           false,
                           {{kEvil, false, '<', {{1, 2}, {2, kInfinity}}}}}};
  const std::string page = to_html(document);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(count(page, "</script>"), 3);
  // The title twice, four blocks with one each and a table with two; then of the figure: caption,
  // label, two axes, and name and unit of two points.
  EXPECT_EQ(count(page, kInert), 16);
  const std::string data =
      between(page, "<script type=\"application/json\" id=\"charts\">", "</script>");
  EXPECT_EQ(data.find('<'), std::string::npos);
  const auto json = parse_json(data, "page");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(*json->items()->at(0).find("series")->items()->at(0).find("name")->text(),
            "</script><script>alert(1)</script> & \"x\" 'y' <!-- \uFFFD[31m\uFFFD");
}

TEST(Html, WritesOnlyFiniteNumbersIntoTheData) {
  Chart huge = chart();
  huge.series[0].points = {{1e-323, 1e308}, {1e308, 1e-323}, {kInfinity, 1}};
  for (const bool log : {false, true}) {
    huge.log_x = huge.log_y = log;
    EXPECT_EQ(charts_data({&huge}).find("null"), std::string::npos);
  }
}

}  // namespace
}  // namespace roofbeam
