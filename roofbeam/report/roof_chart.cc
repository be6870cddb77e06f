// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

// How far the picture reaches beyond the outermost ridges.
constexpr double kMargin = 6;
constexpr double kBeside = 1.5;  // and beyond the outermost points
constexpr double kFar = 1e300;

struct Level {
  std::string name;
  double rate = 0;
};

// Outermost first; the first of each make the roof that people know, and come first.
constexpr std::array kMemories = {"device", "dram", "device_cache", "l3", "l2", "shared", "l1"};
constexpr std::array kArithmetic = {"f32.fma",     "f32.any",  "tf32.matrix", "bf16.dot",
                                    "bf16.matrix", "int8.dot", "int8.matrix", "fp8.matrix"};

template <std::size_t N>
std::vector<Level> levels_of(const DeviceProfile& device, const std::array<const char*, N>& names,
                             const char* pattern) {
  std::vector<Level> levels;
  for (const char* name : names) {
    const Ceiling* ceiling = usable_ceiling(device, format(pattern, name));
    if (ceiling != nullptr) levels.push_back({name, ceiling->burst.value});
  }
  return levels;
}

double highest(const std::vector<Level>& levels) {
  double most = 0;
  for (const Level& level : levels) most = std::max(most, level.rate);
  return most;
}

double lowest(const std::vector<Level>& levels) {
  double least = levels.front().rate;
  for (const Level& level : levels) least = std::min(least, level.rate);
  return least;
}

// The first slope and the first line make the roof that people know, and come first.
// It reaches from below `least` to beyond `most`, intensities that are to be seen under it.
Chart chart_of(const std::vector<Level>& memories, const std::vector<Level>& flats,
               const std::string& title, double least = kFar, double most = 0) {
  Chart chart;
  chart.title = title;
  chart.x_label = "arithmetic intensity (flop/byte)";
  chart.y_label = "rate";
  chart.y_unit = "FLOP/s";
  chart.log_x = true;
  chart.log_y = true;
  if (memories.empty() || flats.empty()) return chart;
  const double left = std::min(lowest(flats) / highest(memories) / kMargin, least / kBeside);
  const double right = std::max(highest(flats) / lowest(memories) * kMargin, most * kBeside);
  std::vector<Chart::Series> lines;
  for (const Level& memory : memories) {
    const double corner = highest(flats) / memory.rate;
    lines.push_back({format("{} {}", memory.name, show(ByteRate(memory.rate))),
                     true,
                     '*',
                     {{left, left * memory.rate}, {corner, highest(flats)}}});
  }
  for (const Level& flat : flats) {
    const double corner = flat.rate / highest(memories);
    const Chart::Series line = {format("{} {}", flat.name, show(FlopRate(flat.rate))),
                                true,
                                '*',
                                {{corner, flat.rate}, {right, flat.rate}}};
    lines.insert(&flat == &flats.front() ? lines.begin() + 1 : lines.end(), line);
  }
  chart.series = std::move(lines);
  return chart;
}

// compute.bf16.dot.all: "bf16 dot".
std::string short_name(const std::string& ceiling, std::size_t first, std::size_t count) {
  const std::vector<std::string> parts = split(ceiling, '.');
  std::vector<std::string> kept;
  for (std::size_t i = first; i < first + count && i < parts.size(); ++i) kept.push_back(parts[i]);
  return kept.empty() ? ceiling : join(kept, " ");
}

}  // namespace

Chart roof_chart(const DeviceProfile& device) {
  std::vector<Level> flats = levels_of(device, kArithmetic, "compute.{}.all");
  for (Level& flat : flats) std::replace(flat.name.begin(), flat.name.end(), '.', ' ');
  return chart_of(
      levels_of(device, kMemories, "bandwidth.{}.read.all"), flats,
      format("The roof of {}: a slope for each memory, a line for each arithmetic", device.id));
}

Chart roof_chart(const DrawnRoof& roof, const std::string& title,
                 const std::vector<double>& intensities) {
  std::vector<Level> memories;
  for (const DrawnRoof::Line& line : roof.slopes) {
    memories.push_back({short_name(line.name, 1, 1), line.rate});
  }
  std::vector<Level> flats;
  for (const DrawnRoof::Line& line : roof.flats) {
    flats.push_back({short_name(line.name, 1, 2), line.rate});
  }
  double least = kFar;
  double most = 0;
  for (const double intensity : intensities) {
    least = std::min(least, intensity);
    most = std::max(most, intensity);
  }
  return chart_of(memories, flats, title, least, most);
}

Chart sweep_chart(const DeviceProfile& device) {
  Chart chart;
  chart.title = format("What one core of {} reads from arrays of growing size", device.id);
  chart.x_label = "array (bytes)";
  chart.y_label = "rate";
  chart.y_unit = "B/s";
  chart.log_x = true;
  chart.log_y = true;
  if (device.sweep.empty()) return chart;
  Chart::Series points{"read", true, '*', {}};
  for (const SweepPoint& point : device.sweep) {
    points.points.emplace_back(point.footprint.value(), point.rate.value());
  }
  chart.series.push_back(std::move(points));
  return chart;
}

}  // namespace roofbeam
