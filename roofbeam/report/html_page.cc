// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/html_parts.h"

namespace roofbeam {
namespace {

// --s0 to --s5 are the series' colours; each pair keeps a contrast of 3:1 to its background, and
// neighbours differ for readers who cannot tell red from green.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --quiet: #5b6470;
  --line: #d9dee4; --soft: #f4f6f8; --accent: #0b6bcb; --warn: #9a5b00; --warn-back: #fff6e0;
  --s0: #0b6bcb; --s1: #c2410c; --s2: #0f766e; --s3: #9333a8; --s4: #8a6d00; --s5: #475569; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171b; --text: #e4e8ec; --quiet: #9aa5b1; --line: #343b43; --soft: #1d2227;
    --accent: #6cb4ff; --warn: #f2c063; --warn-back: #2c2415;
    --s0: #6cb4ff; --s1: #ff9d66; --s2: #4fd1c0; --s3: #d896ea; --s4: #e3c34d; --s5: #a9b6c4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 58rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0 1.25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.25rem 0 .75rem; }
p, ul { margin: .75rem 0; max-width: 46rem; }
ul { padding-left: 1.4rem; }
li { margin: .3rem 0; }
.verdict { font-size: 1.1rem; font-weight: 600; padding: .75rem 1rem; background: var(--soft);
  border-left: .3rem solid var(--accent); border-radius: .25rem; max-width: none; }
.notice { padding: .5rem 1rem; color: var(--warn); background: var(--warn-back);
  border-left: .3rem solid var(--warn); border-radius: .25rem; max-width: none; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .93rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem 1.25rem .35rem 0; text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; vertical-align: bottom; border-bottom: 2px solid var(--line); }
td { border-bottom: 1px solid var(--line); }
.number { text-align: right; }
td.number, .short { white-space: nowrap; }
figure { margin: 1.75rem 0; }
figcaption { font-weight: 600; margin-bottom: .5rem; }
.plot { position: relative; height: 26rem; }
details { margin-top: .5rem; font-size: .93rem; }
summary { cursor: pointer; color: var(--quiet); }
@media (max-width: 40rem) { .plot { height: 21rem; } h1 { font-size: 1.4rem; } }
@media print { .plot { break-inside: avoid; } }
)css";

constexpr std::string_view kScript = R"js(
(function () {
  "use strict";
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
  const dashes = [[], [8, 5], [2, 4], [12, 4, 2, 4], [4, 8]];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function axis(described, text, line) {
    return {
      type: described.log ? "logarithmic" : "linear",
      min: described.min,
      max: described.max,
      title: { display: described.title !== "", text: described.title, color: text },
      border: { color: line },
      grid: { color: line },
      ticks: { color: text, maxRotation: 0,
               callback: (value, index) => described.ticks[index].label },
      afterBuildTicks: (scale) => {
        scale.ticks = described.ticks.map((tick) => ({ value: tick.value }));
      },
    };
  }

  function dataset(series, index, counts) {
    const ink = colour("--s" + index % 6);
    const shown = { label: series.name, data: series.points, borderColor: ink, backgroundColor: ink };
    if (series.line) {
      return Object.assign(shown, { showLine: true, borderWidth: 2.5, pointRadius: 0, tension: 0,
        pointHitRadius: 8, pointStyle: "line", borderDash: dashes[counts.lines++ % dashes.length],
        order: 1 });
    }
    return Object.assign(shown, { showLine: false, pointRadius: 6, pointHoverRadius: 8,
      borderWidth: 2, pointStyle: shapes[counts.points++ % shapes.length], order: 0 });
  }

  function draw(described, index) {
    const text = colour("--text");
    const line = colour("--line");
    const counts = { lines: 0, points: 0 };
    return new Chart(document.getElementById("chart-" + index), {
      type: "scatter",
      data: { datasets: described.series.map((series, i) => dataset(series, i, counts)) },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        scales: { x: axis(described.x, text, line), y: axis(described.y, text, line) },
        plugins: {
          legend: { position: "bottom",
                    labels: { usePointStyle: true, color: text, padding: 14,
                              sort: (a, b) => a.datasetIndex - b.datasetIndex } },
          tooltip: { callbacks: { label: (item) => item.raw.text } },
        },
      },
    });
  }

  let drawn = charts.map(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn.forEach((chart) => chart.destroy());
    drawn = charts.map(draw);
  });
  // The printed page has another width than the screen.
  addEventListener("beforeprint", () => drawn.forEach((chart) => chart.resize()));
})();
)js";

}  // namespace

std::string_view page_style() {
  return kStyle;
}

std::string_view page_script() {
  return kScript;
}

}  // namespace roofbeam
