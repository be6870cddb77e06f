// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/kernel_remarks.h"

#include <algorithm>
#include <optional>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

const Point* find(const std::vector<Point>& points, const std::string& name,
                  const std::string& dtype, const std::string& memory) {
  for (const Point& point : points) {
    const bool here = memory.empty() || point.memory == memory;
    if (point.name == name && point.dtype == dtype && here && point.time) return &point;
  }
  return nullptr;
}

// The points of most flops for their bytes and of least, of those whose time ceilings hold.
std::optional<std::string> slope_and_flat(const std::vector<Point>& points) {
  std::vector<std::string> slope;
  std::vector<std::string> flat;
  for (const Point& point : points) {
    if (!point.verdict || point.memory != "dram") continue;
    auto& side = point.verdict->bound_by == Cause::compute ? flat : slope;
    const bool counts =
        point.verdict->bound_by == Cause::compute || point.verdict->bound_by == Cause::bandwidth;
    const std::string label = format("{} {}", point.name, point.dtype);
    if (counts && std::find(side.begin(), side.end(), label) == side.end()) side.push_back(label);
  }
  if (slope.empty()) return std::nullopt;
  return format("on the slope, where only faster memory would help: {}{}", join(slope, ", "),
                flat.empty() ? ""
                             : "; under the flat roof, where only faster arithmetic would: " +
                                   join(flat, ", "));
}

// One matrix read, with more and more vectors: the lesson of batching.
std::optional<std::string> batching(const std::vector<Point>& points) {
  const Point* one = find(points, "matrix x vector", "f32", "dram");
  const Point* more = find(points, "matrix x 32", "f32", "dram");
  if (one == nullptr || more == nullptr) return std::nullopt;
  const double work = (more->flops / more->bytes()) / (one->flops / one->bytes());
  const double rate = more->rate()->value / one->rate()->value;
  return format(
      "batching: 32 vectors at once do {} times the arithmetic for each byte of the matrix, and "
      "{} times as much of it in a second: {} instead of {}",
      show_number(work), show_number(rate), show(more->rate()->value), show(one->rate()->value));
}

// Smaller weights: the same bytes in a second are more weights.
std::optional<std::string> smaller_types(const std::vector<Point>& points) {
  const Point* wide = find(points, "matrix x vector", "f32", "dram");
  const Point* small = find(points, "matrix x vector", "int8", "dram");
  if (wide == nullptr || small == nullptr) return std::nullopt;
  return format(
      "matrix x vector reads every weight once and does 2 flop with it: {} flop/byte with 4-byte "
      "weights, {} with 1-byte ones (the textbooks' \"about 2\"), whose products come {} times as "
      "fast here",
      show_number(wide->intensity->value()), show_number(small->intensity->value()),
      show_number(small->rate()->value / wide->rate()->value));
}

// The least that work on arrays can do for what it moves.
std::optional<std::string> elementwise(const std::vector<Point>& points) {
  const Point* add = find(points, "add", "f32", "");
  if (add == nullptr) return std::nullopt;
  return format(
      "add does 1 flop for 12 bytes, two read and one written: {} flop/byte (the textbooks' "
      "\"about "
      "0.1\"), the least of all",
      show_number(add->intensity->value()));
}

std::optional<std::string> waiting(const std::vector<Point>& points) {
  std::vector<std::string> none;
  for (const Point& point : points) {
    if (point.verdict && point.verdict->bound_by == Cause::none_reached) {
      const std::string label = point.name;
      if (std::find(none.begin(), none.end(), label) == none.end()) none.push_back(label);
    }
  }
  if (none.empty()) return std::nullopt;
  return format(
      "under no ceiling at all: {}: it waits for itself (latency, dependency, guesses), "
      "and neither faster memory nor faster arithmetic would help",
      join(none, ", "));
}

}  // namespace

std::vector<std::string> remarks_on(const std::vector<Point>& points) {
  std::vector<std::string> remarks;
  for (auto* lesson : {slope_and_flat, elementwise, batching, smaller_types, waiting}) {
    if (auto sentence = lesson(points)) remarks.push_back(std::move(*sentence));
  }
  return remarks;
}

}  // namespace roofbeam
