// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/point.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

constexpr const char* kNoTime = "not measured";
constexpr const char* kNoFlops = "it has no flops that are counted";
constexpr const char* kNoBytes = "it moves no bytes";

template <class Q>
void set_estimate(Json& json, const std::string& key, const std::optional<Estimate<Q>>& estimate,
                  const std::string& reason) {
  if (estimate) {
    json.set(key, to_json(*estimate));
    return;
  }
  json.set(key, Json());
  json.set(key + "_reason", reason);
}

template <class Q>
std::optional<Estimate<Q>> read_optional(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return as<Q>(read_estimate(reader, key));
}

}  // namespace

std::optional<Estimate<FlopRate>> Point::rate() const {
  if (!time || flops <= Flops(0)) return std::nullopt;
  return divide(flops, *time);
}

std::optional<Estimate<ByteRate>> Point::byte_rate() const {
  if (!time || bytes() <= Bytes(0)) return std::nullopt;
  return divide(bytes(), *time);
}

std::optional<Estimate<double>> Point::share_of_roof() const {
  if (!verdict) return std::nullopt;
  const Estimate<double>& headroom = verdict->headroom;
  return Estimate<double>{1 / headroom.value, 1 / headroom.high, 1 / headroom.low, headroom.samples,
                          headroom.method};
}

std::optional<double> Point::error_ratio() const {
  if (!time || !predicted) return std::nullopt;
  return predicted->value / time->value - 1;
}

std::optional<bool> Point::covered() const {
  if (!time || !predicted) return std::nullopt;
  return predicted->low <= time->value && time->value <= predicted->high;
}

Json to_json(const Point& point) {
  const std::string no_time = point.no_time.empty() ? kNoTime : point.no_time;
  const std::string no_rate = point.flops > Flops(0) ? no_time : kNoFlops;
  Json json = Json::object({{"name", point.name},
                            {"dtype", point.dtype},
                            {"shape", point.shape},
                            {"memory", point.memory},
                            {"variant", point.variant},
                            {"workers", point.workers},
                            {"work_flop", point.flops.value()},
                            {"read_bytes", point.bytes_read.value()},
                            {"written_bytes", point.bytes_written.value()}});
  set_amount(json, "intensity_flop_per_byte", point.intensity, kNoBytes);
  set_estimate(json, "predicted_s", point.predicted, point.no_prediction);
  set_estimate(json, "time_s", point.time, no_time);
  set_estimate(json, "flop_per_s", point.rate(), no_rate);
  set_estimate(json, "bytes_per_s", point.byte_rate(),
               point.bytes() > Bytes(0) ? no_time : kNoBytes);
  set_amount(json, "roof_flop_per_s", point.roof, kNoFlops);
  set_estimate(json, "share_of_roof_ratio", point.share_of_roof(), no_time);
  json.set("bound_by", point.verdict ? Json(name(point.verdict->bound_by)) : Json());
  if (!point.verdict) json.set("bound_by_reason", no_time);
  if (point.verdict && !point.verdict->bound_level.empty()) {
    json.set("bound_level", point.verdict->bound_level);
  }
  set_or_reason(json, "error_ratio", point.error_ratio(),
                point.time ? point.no_prediction : no_time);
  json.set("repeat", point.repeat);
  if (!point.disturbed.empty()) json.set("disturbed", point.disturbed);
  if (!point.check.empty()) json.set("check", point.check);
  if (point.verdict) json.set("verdict", to_json(*point.verdict));
  return json;
}

namespace {

constexpr double kSame = 1e-9;  // two figures that were worked out from the same others

bool same(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

// What follows from the other fields is not kept, but it must not contradict them.
void expect(JsonReader& reader, std::string_view key, const std::optional<double>& worked_out) {
  const bool here = reader.has(key);
  const double value = here ? reader.number(key) : 0;
  const bool equal = here == worked_out.has_value() && (!here || same(value, *worked_out));
  if (!equal) reader.reject(key, "does not follow from the other fields");
}
template <class Q>
void expect(JsonReader& reader, std::string_view key,
            const std::optional<Estimate<Q>>& worked_out) {
  std::optional<Estimate<double>> value;
  if (reader.has(key)) value = read_estimate(reader, key);
  bool equal = value.has_value() == worked_out.has_value();
  if (equal && value) {
    Estimate<double> other;
    if constexpr (std::is_same_v<Q, double>) {
      other = *worked_out;
    } else {
      other = bare(*worked_out);
    }
    equal = same(value->value, other.value) && same(value->low, other.low) &&
            same(value->high, other.high) && value->samples == other.samples &&
            value->method == other.method;
  }
  if (!equal) reader.reject(key, "does not follow from the other fields");
}

void expect_verdict(JsonReader& reader, const Point& point) {
  if (!point.verdict && reader.has("bound_by")) reader.reject("bound_by", "there is no verdict");
  std::string bound_by;
  std::string level;
  if (point.verdict) {
    bound_by = name(point.verdict->bound_by);
    level = point.verdict->bound_level;
  }
  if (reader.text_or("bound_by", "") != bound_by) {
    reader.reject("bound_by", "not that of the verdict");
  }
  if (reader.text_or("bound_level", "") != level) {
    reader.reject("bound_level", "not that of the verdict");
  }
}

}  // namespace

Point point_from(JsonReader& reader) {
  Point point;
  point.name = reader.text("name");
  point.dtype = reader.text("dtype");
  point.shape = reader.text("shape");
  point.memory = reader.text("memory");
  point.variant = reader.text("variant");
  point.workers = read_count(reader, "workers", 1);
  point.flops = Flops(read_not_negative(reader, "work_flop"));
  point.bytes_read = Bytes(read_not_negative(reader, "read_bytes"));
  point.bytes_written = Bytes(read_not_negative(reader, "written_bytes"));
  point.intensity = read_amount<Intensity>(reader, "intensity_flop_per_byte");
  point.predicted = read_optional<Seconds>(reader, "predicted_s");
  if (!point.predicted) point.no_prediction = reader.text("predicted_s_reason");
  point.time = read_optional<Seconds>(reader, "time_s");
  if (!point.time) point.no_time = reader.text("time_s_reason");
  point.roof = read_amount<FlopRate>(reader, "roof_flop_per_s");
  point.repeat = read_boolean(reader, "repeat");
  point.disturbed = reader.text_or("disturbed", "");
  if (reader.has("disturbed") && point.disturbed.empty()) reader.reject("disturbed", "empty");
  point.check = reader.text_or("check", "");
  if (reader.has("check") && point.check.empty()) reader.reject("check", "empty");
  if (reader.has("verdict")) {
    point.verdict =
        read_part(reader, verdict_from(reader.value("verdict"), reader.path_of("verdict")));
  }
  expect(reader, "flop_per_s", point.rate());
  expect(reader, "bytes_per_s", point.byte_rate());
  expect(reader, "share_of_roof_ratio", point.share_of_roof());
  expect(reader, "error_ratio", point.error_ratio());
  expect_verdict(reader, point);
  return point;
}

namespace {

// What the ceilings say of a time that lies outside what they let expect.
std::string why(const Point& point) {
  if (!point.verdict || *point.covered()) return "";
  const Verdict& verdict = *point.verdict;
  const std::string share = show_percent(1 / verdict.headroom.value);
  if (point.predicted->value > point.time->value) {
    return "it was faster: what it stands on was held back when it was measured, and not now";
  }
  if (verdict.bound_by == Cause::none_reached) {
    return format("it reaches {} of its roof: it waits for something that no ceiling measures",
                  share);
  }
  if (verdict.bound_by == Cause::cannot_tell) {
    return format("it reaches {} of its roof, beside something else that ran", share);
  }
  return format("it reaches {} of {}: its code, or who shares that with it, takes the rest", share,
                verdict.bound_level);
}

}  // namespace

std::optional<PredictionSummary> summary_of(const std::vector<Point>& points) {
  PredictionSummary summary;
  std::vector<double> errors;
  for (const Point& point : points) {
    const auto error = point.error_ratio();
    if (!error) continue;
    if (point.repeat) {
      ++summary.repeats;
      continue;
    }
    if (!point.disturbed.empty()) {
      ++summary.disturbed;
      continue;
    }
    if (errors.empty() || std::abs(*error) > std::abs(summary.worst_error_ratio)) {
      summary.worst_error_ratio = *error;
      summary.worst = trim(format("{} {} {}", point.name, point.dtype, point.memory));
      summary.worst_why = why(point);
    }
    errors.push_back(std::abs(*error));
    if (*point.covered()) ++summary.covered;
  }
  if (errors.empty()) return std::nullopt;
  std::sort(errors.begin(), errors.end());
  const std::size_t half = errors.size() / 2;
  summary.compared = static_cast<int>(errors.size());
  summary.median_error_ratio =
      errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  return summary;
}

Json to_json(const PredictionSummary& summary) {
  return Json::object({{"compared", summary.compared},
                       {"repeats", summary.repeats},
                       {"disturbed", summary.disturbed},
                       {"covered", summary.covered},
                       {"median_error_ratio", summary.median_error_ratio},
                       {"worst_error_ratio", summary.worst_error_ratio},
                       {"worst", summary.worst},
                       {"worst_why", summary.worst_why}});
}

PredictionSummary summary_from(JsonReader& reader) {
  PredictionSummary summary;
  summary.compared = read_count(reader, "compared", 1);
  summary.repeats = read_count(reader, "repeats", 0);
  summary.disturbed = read_count(reader, "disturbed", 0);
  summary.covered = read_count(reader, "covered", 0);
  summary.median_error_ratio = read_not_negative(reader, "median_error_ratio");
  summary.worst_error_ratio = reader.number("worst_error_ratio");
  if (summary.worst_error_ratio < -1) reader.reject("worst_error_ratio", "must not be below -1");
  summary.worst = reader.text("worst");
  summary.worst_why = reader.text("worst_why");
  return summary;
}

namespace {

Json lines_json(const std::vector<DrawnRoof::Line>& lines, const char* unit) {
  Json list = Json::array();
  for (const DrawnRoof::Line& line : lines) {
    list.push(Json::object({{"name", line.name}, {unit, line.rate}}));
  }
  return list;
}

DrawnRoof::Line slope_from(JsonReader& reader) {
  return {reader.text("name"), read_not_negative(reader, "bytes_per_s")};
}
DrawnRoof::Line flat_from(JsonReader& reader) {
  return {reader.text("name"), read_not_negative(reader, "flop_per_s")};
}

}  // namespace

Json to_json(const DrawnRoof& roof) {
  return Json::object({{"slopes", lines_json(roof.slopes, "bytes_per_s")},
                       {"flats", lines_json(roof.flats, "flop_per_s")}});
}

DrawnRoof drawn_roof_from(JsonReader& reader) {
  return {read_list(reader, "slopes", slope_from), read_list(reader, "flats", flat_from)};
}

}  // namespace roofbeam
