// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/machine_profile.h"

#include <algorithm>
#include <cstdint>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::optional<double> optional_number(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key);
}

Json to_json(const Ceiling& ceiling) {
  Json json = roofbeam::to_json(ceiling.burst);
  json.set("unit", ceiling.unit);
  json.set("sustained", ceiling.sustained ? roofbeam::to_json(*ceiling.sustained) : Json());
  if (ceiling.sustained) json.set("sustained_provenance", ceiling.sustained_provenance);
  json.set("variant", ceiling.variant);
  json.set("provenance", ceiling.provenance);
  json.set("standing", name(ceiling.standing));
  if (!ceiling.reason.empty()) json.set("standing_reason", ceiling.reason);
  json.set("conditions", roofbeam::to_json(ceiling.conditions));
  return json;
}

Conditions conditions_from(JsonReader& parent) {
  Conditions conditions;
  if (!parent.has("conditions")) return conditions;
  JsonReader reader(parent.value("conditions"), parent.path_of("conditions"));
  for (const Json& cpu : reader.items("cpus")) {
    const std::int64_t* number = cpu.integer();
    if (number == nullptr || *number < 0 || *number > 1'000'000) {
      reader.reject("cpus", "expected CPU numbers");
      break;
    }
    conditions.cpus.push_back(static_cast<int>(*number));
  }
  conditions.neighbour_cpus = optional_number(reader, "neighbour_cpus");
  conditions.steal_share = optional_number(reader, "share_steal_ratio");
  conditions.throttled_share = optional_number(reader, "share_throttled_ratio");
  conditions.clock_ratio = optional_number(reader, "clock_ratio");
  if (reader.error() != nullptr) parent.reject("conditions", reader.error()->what);
  return conditions;
}

Ceiling ceiling_from(JsonReader& devices, const std::string& key) {
  Ceiling ceiling;
  ceiling.burst = estimate_from(devices, key);
  if (devices.error() != nullptr) return ceiling;
  JsonReader reader(devices.value(key), devices.path_of(key));
  ceiling.unit = reader.text("unit");
  if (reader.has("sustained")) ceiling.sustained = estimate_from(reader, "sustained");
  ceiling.sustained_provenance = reader.text_or("sustained_provenance", "measured");
  ceiling.variant = reader.text_or("variant", "");
  ceiling.provenance = reader.text_or("provenance", "measured");
  const std::string standing = reader.text_or("standing", "usable");
  if (auto known = standing_from(standing)) {
    ceiling.standing = *known;
  } else {
    reader.reject("standing", format("\"{}\" is no standing", standing));
  }
  ceiling.reason = reader.text_or("standing_reason", "");
  ceiling.conditions = conditions_from(reader);
  if (!(ceiling.burst.low > 0)) reader.reject("low", "a ceiling must be above 0");
  if (reader.error() != nullptr) devices.reject(key, reader.error()->what);
  return ceiling;
}

Json to_json(const DeviceProfile& device) {
  Json ceilings = Json::object();
  for (const auto& [key, ceiling] : device.ceilings) ceilings.set(key, to_json(ceiling));
  Json absent = Json::object();
  for (const auto& [key, why] : device.absent) absent.set(key, why);
  return Json::object({{"id", device.id},
                       {"kind", device.kind},
                       {"name", device.name},
                       {"cores_usable", device.cores_usable},
                       {"limits", Json::object({{"affinity", device.affinity_cpus},
                                                {"cpuset", or_null(device.cpuset_cpus)},
                                                {"quota", or_null(device.quota_cpus)}})},
                       {"last_level_cache_bytes", device.last_level_cache.value()},
                       {"ceilings", ceilings},
                       {"absent", absent}});
}

DeviceProfile device_from(JsonReader& reader) {
  DeviceProfile device;
  device.id = reader.text("id");
  device.kind = reader.text("kind");
  device.name = reader.text("name");
  device.cores_usable = static_cast<int>(reader.integer("cores_usable"));
  JsonReader limits(reader.value("limits"), reader.path_of("limits"));
  device.affinity_cpus = static_cast<int>(limits.integer("affinity"));
  if (limits.has("cpuset")) device.cpuset_cpus = static_cast<int>(limits.integer("cpuset"));
  device.quota_cpus = optional_number(limits, "quota");
  if (limits.error() != nullptr) reader.reject("limits", limits.error()->what);
  device.last_level_cache = Bytes(reader.number_or("last_level_cache_bytes", 0));
  if (reader.has("absent")) {
    JsonReader reasons(reader.value("absent"), reader.path_of("absent"));
    for (const auto& [key, why] : reader.members("absent")) device.absent[key] = reasons.text(key);
    if (reasons.error() != nullptr) reader.reject("absent", reasons.error()->what);
  }
  const Json& ceilings = reader.value("ceilings");
  JsonReader table(ceilings, reader.path_of("ceilings"));
  if (table.error() != nullptr) reader.reject("ceilings", "expected an object");
  for (const auto& [key, member] : reader.members("ceilings")) {
    device.ceilings[key] = ceiling_from(table, key);
    if (table.error() != nullptr) reader.reject("ceilings", table.error()->what + " at " + key);
  }
  return device;
}

}  // namespace

const DeviceProfile* MachineProfile::find(const std::string& device_id) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceProfile& d) { return d.id == device_id; });
  return found == devices.end() ? nullptr : &*found;
}

Json to_json(const Conditions& conditions) {
  Json cpus = Json::array();
  for (int cpu : conditions.cpus) cpus.push(cpu);
  return Json::object({{"cpus", cpus},
                       {"neighbour_cpus", or_null(conditions.neighbour_cpus)},
                       {"share_steal_ratio", or_null(conditions.steal_share)},
                       {"share_throttled_ratio", or_null(conditions.throttled_share)},
                       {"clock_ratio", or_null(conditions.clock_ratio)}});
}

Json to_json(const MachineProfile& profile) {
  Json devices = Json::array();
  for (const DeviceProfile& device : profile.devices) devices.push(to_json(device));
  return Json::object({{"schema", "roofbeam.machine/1"},
                       {"roofbeam", profile.version},
                       {"key", profile.key},
                       {"measured_at", profile.measured_at},
                       {"devices", devices}});
}

Result<MachineProfile> profile_from(const Json& json, const std::string& where) {
  if (auto schema = check_schema(json, "machine", 1, where); !schema) return fail(schema.error());
  JsonReader reader(json, where);
  MachineProfile profile;
  profile.version = reader.text("roofbeam");
  profile.key = reader.text_or("key", "");
  profile.measured_at = reader.integer_or("measured_at", 0);
  std::int64_t index = 0;
  for (const Json& item : reader.items("devices")) {
    JsonReader row(item, format("{}[{}]", reader.path_of("devices"), index++));
    profile.devices.push_back(device_from(row));
    if (row.error() != nullptr) return fail(*row.error());
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  return profile;
}

}  // namespace roofbeam
