// SPDX-License-Identifier: Apache-2.0
// What a page is made of besides its text: its look, the script that draws, and the charts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/report/document.h"

namespace roofbeam {

std::string_view page_style();
// Draws what the element "charts" describes (html_chart.cc), and computes nothing: ranges, ticks
// and every text come ready.
std::string_view page_script();

// Text and quoted attribute values of HTML; line feeds become <br>.
std::string escape_html(std::string_view text);

// The figure of the chart numbered `index`: a canvas, and the points as a table for those who have
// no script or want the numbers.
std::string chart_figure(const Chart& chart, int index);
// The JSON inside the element "charts", without any '<'.
std::string charts_data(const std::vector<const Chart*>& charts);

}  // namespace roofbeam
