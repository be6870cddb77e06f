// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "roofbeam/base/read_fields.h"
#include "roofbeam/hardware/known.h"

namespace roofbeam {
namespace {

constexpr const char* kNoFigure = "the data sheet does not say";

}  // namespace

Json to_json(const KnownDevice& device) {
  Json json = Json::object({{"id", device.id},
                            {"name", device.name},
                            {"vendor", device.vendor},
                            {"kind", device.kind},
                            {"year", device.year},
                            {"units", device.units},
                            {"unit_kind", device.unit_kind}});
  json.set("lanes_per_unit", device.lanes_per_unit ? Json(*device.lanes_per_unit) : Json());
  if (!device.lanes_per_unit) json.set("lanes_per_unit_reason", "the vendor counts units");
  json.set("cores", cores_as_people_count(device));
  set_amount(json, "clock_base_hz", device.clock_base, kNoFigure);
  set_amount(json, "clock_boost_hz", device.clock_boost, kNoFigure);
  Json rates = Json::object();
  for (const auto& [name, rate] : device.rates) rates.set(name, rate.value());
  json.set("rates_flop_per_s", rates);
  set_amount(json, "memory_bytes", device.memory, kNoFigure);
  json.set("memory_kind", device.memory_kind);
  set_amount(json, "bandwidth_bytes_per_s", device.bandwidth, kNoFigure);
  json.set("interconnect", device.interconnect);
  set_amount(json, "interconnect_both_ways_bytes_per_s", device.interconnect_both_ways, kNoFigure);
  json.set("host_link", device.host_link);
  set_amount(json, "host_link_one_way_bytes_per_s", device.host_link_one_way, kNoFigure);
  set_or_reason(json, "power_w", device.power_w, kNoFigure);
  json.set("source", device.source);
  json.set("verified", device.verified);
  json.set("confirmed", device.confirmed());
  json.set("notes", device.notes);
  return json;
}

KnownDevice known_device_from(JsonReader& reader) {
  KnownDevice device;
  device.id = reader.text("id");
  device.name = reader.text("name");
  device.vendor = reader.text("vendor");
  device.kind = reader.text("kind");
  device.year = read_count(reader, "year", 0);
  device.units = read_count(reader, "units", 1);
  device.unit_kind = reader.text("unit_kind");
  device.lanes_per_unit = read_count_or_null(reader, "lanes_per_unit", 1);
  device.clock_base = read_amount<Hertz>(reader, "clock_base_hz");
  device.clock_boost = read_amount<Hertz>(reader, "clock_boost_hz");
  JsonReader rates(reader.value("rates_flop_per_s"), reader.path_of("rates_flop_per_s"));
  for (const auto& [name, ignored] : reader.members("rates_flop_per_s")) {
    device.rates[name] = FlopRate(read_not_negative(rates, name));
  }
  if (const Error* error = rates.error()) keep_error(reader, *error);
  device.memory = read_amount<Bytes>(reader, "memory_bytes");
  device.memory_kind = reader.text("memory_kind");
  device.bandwidth = read_amount<ByteRate>(reader, "bandwidth_bytes_per_s");
  device.interconnect = reader.text("interconnect");
  device.interconnect_both_ways =
      read_amount<ByteRate>(reader, "interconnect_both_ways_bytes_per_s");
  device.host_link = reader.text("host_link");
  device.host_link_one_way = read_amount<ByteRate>(reader, "host_link_one_way_bytes_per_s");
  device.power_w = read_not_negative_or_null(reader, "power_w");
  device.source = reader.text("source");
  device.verified = reader.text("verified");
  device.notes = reader.text("notes");
  // What follows from the rest must follow from it.
  if (read_count(reader, "cores", 1) != cores_as_people_count(device)) {
    reader.reject("cores", "not units times lanes");
  }
  if (read_boolean(reader, "confirmed") != device.confirmed()) {
    reader.reject("confirmed", "not what \"verified\" says");
  }
  return device;
}

}  // namespace roofbeam
