// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/workload/workload.h"

#include <cstdint>

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

Json to_json(const Operation& operation) {
  Json traffic = Json::array();
  for (const Traffic& t : operation.traffic) {
    traffic.push(Json::object({{"memory", t.memory},
                               {"read_bytes", t.read.value()},
                               {"written_bytes", t.written.value()}}));
  }
  return Json::object({{"name", operation.name},
                       {"dtype", operation.dtype},
                       {"work_flop", operation.flops.value()},
                       {"traffic", traffic},
                       {"footprint_bytes", operation.footprint.value()},
                       {"count", operation.count},
                       {"launches", operation.launches},
                       {"arithmetic", operation.arithmetic},
                       {"waiting_loads", operation.waiting_loads},
                       {"wrong_guesses", operation.wrong_guesses},
                       {"stays_put", operation.stays_put}});
}

// The amounts of work are counts: a negative one is a mistake in the file.
double amount(JsonReader& reader, std::string_view key) {
  const double value = reader.number(key);
  if (value < 0) reader.reject(key, "cannot be negative");
  return value;
}

double amount_or_none(JsonReader& reader, std::string_view key) {
  return reader.has(key) ? amount(reader, key) : 0;
}

Operation operation_from(JsonReader& reader) {
  Operation operation{reader.text("name"),
                      reader.text_or("dtype", "f32"),
                      Flops(amount(reader, "work_flop")),
                      {},
                      Bytes(0),
                      reader.integer_or("count", 1),
                      reader.integer_or("launches", 0)};
  for (const Json& item : reader.items("traffic")) {
    JsonReader row(item, reader.path_of("traffic"));
    operation.traffic.push_back({row.text("memory"), Bytes(amount(row, "read_bytes")),
                                 Bytes(amount(row, "written_bytes"))});
    if (row.error() != nullptr) reader.reject("traffic", row.error()->what);
  }
  operation.footprint = Bytes(amount_or_none(reader, "footprint_bytes"));
  operation.arithmetic = reader.text_or("arithmetic", "");
  operation.waiting_loads = amount_or_none(reader, "waiting_loads");
  operation.wrong_guesses = amount_or_none(reader, "wrong_guesses");
  if (reader.has("stays_put")) operation.stays_put = read_boolean(reader, "stays_put");
  return operation;
}

std::vector<Seconds> times_from(JsonReader& reader) {
  std::vector<Seconds> times;
  if (!reader.has("times_s")) return times;
  for (const Json& item : reader.items("times_s")) {
    const double* real = item.real();
    const std::int64_t* whole = item.integer();
    const double time = real != nullptr ? *real : whole != nullptr ? double(*whole) : 0;
    if (!(time > 0)) reader.reject("times_s", "expected numbers above 0");
    times.emplace_back(time);
  }
  return times;
}

}  // namespace

Bytes Operation::bytes(const std::string& memory) const {
  Bytes sum(0);
  for (const Traffic& t : traffic) {
    if (t.memory == memory) sum += t.total();
  }
  return sum;
}

Json to_json(const Workload& workload) {
  Json operations = Json::array();
  for (const Operation& operation : workload.operations) operations.push(to_json(operation));
  Json waits = Json::array();
  for (const Wait& wait : workload.waits) {
    waits.push(Json::object({{"cause", name(wait.cause)}, {"time_s", to_json(wait.time)}}));
  }
  Json json = Json::object({{"schema", "roofbeam.workload/1"},
                            {"name", workload.name},
                            {"operations", operations},
                            {"waits", waits}});
  json.set("observed_s", workload.observed ? to_json(*workload.observed) : Json());
  if (!workload.times.empty()) {
    Json times = Json::array();
    for (Seconds time : workload.times) times.push(time.value());
    json.set("times_s", times);
  }
  return json;
}

Result<Workload> workload_from(const Json& json, const std::string& where) {
  if (auto schema = check_schema(json, "workload", 1, where); !schema) return fail(schema.error());
  JsonReader reader(json, where);
  Workload workload;
  workload.name = reader.text("name");
  for (const Json& item : reader.items("operations")) {
    JsonReader row(item, reader.path_of("operations"));
    workload.operations.push_back(operation_from(row));
    if (row.error() != nullptr) return fail(*row.error());
  }
  for (const Json& item : reader.items("waits")) {
    JsonReader row(item, reader.path_of("waits"));
    const std::string cause = row.text("cause");
    const auto known = cause_from(cause);
    if (!known) row.reject("cause", format("\"{}\" is no cause", cause));
    workload.waits.push_back(
        {known.value_or(Cause::other), as<Seconds>(estimate_from(row, "time_s"))});
    if (row.error() != nullptr) return fail(*row.error());
  }
  if (reader.has("observed_s"))
    workload.observed = as<Seconds>(estimate_from(reader, "observed_s"));
  workload.times = times_from(reader);
  if (reader.error() != nullptr) return fail(*reader.error());
  return workload;
}

}  // namespace roofbeam
