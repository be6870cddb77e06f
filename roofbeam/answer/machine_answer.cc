// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/machine_answer.h"

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {
namespace {

constexpr const char* kUnknown = "not known";

// A ridge that is there is above 0.
template <class Q>
void set_estimate(Json& json, const std::string& key, const std::optional<Estimate<Q>>& value) {
  json.set(key, value ? to_json(*value) : Json());
  if (!value) json.set(key + "_reason", "a ceiling it needs was not measured");
}

std::optional<Estimate<Intensity>> read_ridge(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return as<Intensity>(read_estimate(reader, key));
}

Json to_json(const Headline& headline) {
  Json json =
      Json::object({{"f32", headline.f32}, {"half", headline.half}, {"memory", headline.memory}});
  set_estimate(json, "ridge_flop_per_byte", headline.ridge);
  set_estimate(json, "half_ridge_flop_per_byte", headline.half_ridge);
  return json;
}

Headline headline_from(JsonReader& reader) {
  Headline headline;
  headline.f32 = reader.text("f32");
  headline.half = reader.text("half");
  headline.memory = reader.text("memory");
  headline.ridge = read_ridge(reader, "ridge_flop_per_byte");
  headline.half_ridge = read_ridge(reader, "half_ridge_flop_per_byte");
  return headline;
}

}  // namespace

Json to_json(const MachineAnswer::Beside& device) {
  Json json = Json::object({{"id", device.id},
                            {"name", device.name},
                            {"provenance", device.provenance},
                            {"at_base_clock", device.at_base_clock},
                            {"cores", device.cores}});
  set_amount(json, "f32_flop_per_s", device.f32, kUnknown);
  json.set("half_dtype", device.half_dtype);
  set_amount(json, "half_flop_per_s", device.half, kUnknown);
  set_amount(json, "bandwidth_bytes_per_s", device.bandwidth, kUnknown);
  set_amount(json, "memory_bytes", device.memory, kUnknown);
  set_amount(json, "ridge_flop_per_byte", device.ridge, kUnknown);
  set_amount(json, "weights_read_s", device.weights_read, kUnknown);
  json.set("source", device.source);
  return json;
}

MachineAnswer::Beside beside_from(JsonReader& reader) {
  MachineAnswer::Beside device;
  device.id = reader.text("id");
  device.name = reader.text("name");
  device.provenance = reader.text("provenance");
  if (device.provenance != "measured" && device.provenance != "datasheet") {
    reader.reject("provenance",
                  format("\"{}\" is neither measured nor datasheet", device.provenance));
  }
  device.at_base_clock = read_boolean(reader, "at_base_clock");
  device.cores = read_count(reader, "cores", 1);
  device.f32 = read_amount<FlopRate>(reader, "f32_flop_per_s");
  device.half_dtype = reader.text("half_dtype");
  device.half = read_amount<FlopRate>(reader, "half_flop_per_s");
  device.bandwidth = read_amount<ByteRate>(reader, "bandwidth_bytes_per_s");
  device.memory = read_amount<Bytes>(reader, "memory_bytes");
  device.ridge = read_amount<Intensity>(reader, "ridge_flop_per_byte");
  device.weights_read = read_amount<Seconds>(reader, "weights_read_s");
  device.source = reader.text("source");
  return device;
}

Json to_json(const MachineAnswer& answer) {
  Json json = to_json(answer.profile);
  Json headlines = Json::array();
  for (const Headline& headline : answer.headlines) headlines.push(to_json(headline));
  json.set("headlines", headlines);
  json.set("saved_at", answer.saved_at.empty() ? Json() : Json(answer.saved_at));
  if (answer.saved_at.empty()) json.set("saved_at_reason", answer.not_saved);
  if (!answer.beside.empty()) {
    Json beside = Json::array();
    for (const auto& device : answer.beside) beside.push(to_json(device));
    json.set("beside", beside);
  }
  add_state(json, answer.state);
  return json;
}

Result<MachineAnswer> machine_answer_from(const Json& json, const std::string& where) {
  auto profile = profile_from(json, where);
  if (!profile) return fail(profile.error());
  JsonReader reader(json, where);
  MachineAnswer answer;
  answer.profile = std::move(*profile);
  answer.headlines = read_list(reader, "headlines", headline_from);
  if (answer.headlines.size() != answer.profile.devices.size()) {
    reader.reject("headlines", "not one for each of \"devices\"");
  }
  answer.saved_at = reader.text_or("saved_at", "");
  if (reader.has("saved_at") && answer.saved_at.empty()) reader.reject("saved_at", "empty");
  if (answer.saved_at.empty()) answer.not_saved = reader.text("saved_at_reason");
  if (reader.has("beside")) {
    answer.beside = read_list(reader, "beside", beside_from);
    if (answer.beside.empty()) reader.reject("beside", "empty");
  }
  answer.state = answer_state_from(reader);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
