// SPDX-License-Identifier: Apache-2.0
// size: one format, written and read side by side.
#include "roofbeam/profile/machine_profile.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Ceiling& ceiling) {
  Json json = roofbeam::to_json(ceiling.burst);
  json.set("unit", ceiling.unit);
  json.set("sustained", ceiling.sustained ? roofbeam::to_json(*ceiling.sustained) : Json());
  if (ceiling.sustained) json.set("sustained_provenance", ceiling.sustained_provenance);
  if (ceiling.if_write_allocated) {
    json.set("if_write_allocated", roofbeam::to_json(*ceiling.if_write_allocated));
  }
  if (ceiling.cycle) {
    json.set("flop_per_cycle", roofbeam::to_json(ceiling.cycle->flop_per_cycle));
    json.set("clock_hz", roofbeam::to_json(ceiling.cycle->clock));
    json.set("cores", ceiling.cycle->cores);
  }
  json.set("variant", ceiling.variant);
  json.set("provenance", ceiling.provenance);
  json.set("standing", name(ceiling.standing));
  if (!ceiling.reason.empty()) json.set("standing_reason", ceiling.reason);
  json.set("conditions", roofbeam::to_json(ceiling.conditions));
  return json;
}

Json to_json(const DeviceProfile& device) {
  Json ceilings = Json::object();
  for (const auto& [key, ceiling] : device.ceilings) ceilings.set(key, to_json(ceiling));
  Json absent = Json::object();
  for (const auto& [key, why] : device.absent) absent.set(key, why);
  Json unsupported = Json::array();
  for (const std::string& key : device.unsupported) unsupported.push(key);
  Json sweep = Json::array();
  for (const SweepPoint& point : device.sweep) {
    sweep.push(Json::object(
        {{"footprint_bytes", point.footprint.value()}, {"bytes_per_s", point.rate.value()}}));
  }
  Json caches = Json::array();
  for (const CacheFacts& cache : device.caches) {
    caches.push(Json::object({{"memory", cache.memory},
                              {"each_bytes", cache.each.value()},
                              {"cores_each", cache.cores_each}}));
  }
  Json warnings = Json::array();
  for (const Warning& warning : device.warnings) {
    warnings.push(Json::object({{"code", warning.code}, {"text", warning.text}}));
  }
  return Json::object({{"id", device.id},
                       {"kind", device.kind},
                       {"name", device.name},
                       {"cores_usable", device.cores_usable},
                       {"limits", Json::object({{"affinity", device.affinity_cpus},
                                                {"cpuset", or_null(device.cpuset_cpus)},
                                                {"quota", or_null(device.quota_cpus)}})},
                       {"last_level_cache_bytes", device.last_level_cache.value()},
                       {"caches", caches},
                       {"ceilings", ceilings},
                       {"absent", absent},
                       {"unsupported", unsupported},
                       {"sweep", sweep},
                       {"warnings", warnings}});
}

// What no device lies beyond, in rates and in times: sums and products of them stay finite.
constexpr double kLeastCeiling = 1e-18;
constexpr double kMostCeiling = 1e18;
constexpr std::int64_t kMostCpus = 1'000'000;
constexpr double kMostBytes = 1e18;
constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kLongestText = std::size_t{64} << 10;  // a key that lists thousands of CPUs

int whole(JsonReader& reader, std::string_view key, std::int64_t least, std::int64_t most) {
  const std::int64_t value = reader.integer(key);
  if (value >= least && value <= most) return static_cast<int>(value);
  reader.reject(key, format("expected a whole number from {} to {}", least, most));
  return 0;
}

double amount(JsonReader& reader, std::string_view key, double least, double most) {
  const double value = reader.number(key);
  if (value >= least && value <= most) return value;
  reader.reject(key, format("expected a number from {} to {}", least, most));
  return 0;
}

std::optional<double> optional_amount(JsonReader& reader, std::string_view key, double least = 0) {
  if (!reader.has(key)) return std::nullopt;
  return amount(reader, key, least, static_cast<double>(kMostCpus));
}

// A text that people are shown.
std::string words(JsonReader& reader, std::string_view key, std::string text,
                  std::size_t most = kLongestName) {
  if (text.size() > most) reader.reject(key, format("longer than {} bytes", most));
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool shown = (byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t';
    if (!shown) reader.reject(key, "holds a control character");
  }
  return text;
}
std::string words(JsonReader& reader, std::string_view key) {
  return words(reader, key, reader.text(key));
}

std::string one_of(JsonReader& reader, std::string_view key, std::string text,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), text) != known.end()) return text;
  reader.reject(key, format("\"{}\" is none of {}", text, join(known, ", ")));
  return "";
}

// Of a ceiling: above 0, and within what a machine can have.
Estimate<double> estimate_in(JsonReader& reader) {
  Estimate<double> estimate;
  estimate.low = amount(reader, "low", kLeastCeiling, kMostCeiling);
  estimate.value = amount(reader, "value", kLeastCeiling, kMostCeiling);
  estimate.high = amount(reader, "high", kLeastCeiling, kMostCeiling);
  if (estimate.value < estimate.low) reader.reject("value", "lower than \"low\"");
  if (estimate.high < estimate.value) reader.reject("high", "lower than \"value\"");
  estimate.samples = whole(reader, "samples", 0, std::numeric_limits<int>::max());
  const std::string method = reader.text("method");
  if (auto known = method_from(method)) {
    estimate.method = *known;
  } else {
    reader.reject("method", format("\"{}\" is no method", method));
  }
  return estimate;
}

Result<Conditions> conditions_from(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  Conditions conditions;
  for (const Json& cpu : reader.items("cpus")) {
    const std::int64_t* number = cpu.integer();
    if (number == nullptr || *number < 0 || *number > kMostCpus) {
      reader.reject("cpus", "expected CPU numbers");
      break;
    }
    conditions.cpus.push_back(static_cast<int>(*number));
  }
  if (reader.has("taken")) {
    std::int64_t index = 0;
    for (const Json& item : reader.items("taken")) {
      JsonReader taken(item, format("{}[{}]", reader.path_of("taken"), index++));
      conditions.taken.push_back(
          {whole(taken, "cpu", 0, kMostCpus), amount(taken, "share_ratio", 0, 1)});
      if (taken.error() != nullptr) return fail(*taken.error());
    }
  }
  conditions.neighbour_cpus = optional_amount(reader, "neighbour_cpus");
  // Clocks of two kinds: a share may come out a little above 1.
  conditions.steal_share = optional_amount(reader, "share_steal_ratio");
  conditions.throttled_share = optional_amount(reader, "share_throttled_ratio");
  conditions.clock_ratio = optional_amount(reader, "clock_ratio");
  if (reader.error() != nullptr) return fail(*reader.error());
  return conditions;
}

// The unit that the first part of a ceiling's name asks for.
std::vector<std::string> units_of(const std::string& ceiling) {
  if (ceiling.starts_with("compute.")) return {"flop_per_s"};
  if (ceiling.starts_with("bandwidth.")) return {"bytes_per_s"};
  if (ceiling.starts_with("latency.") || ceiling.starts_with("overhead.")) return {"s"};
  return {"flop_per_s", "bytes_per_s", "s"};
}

// An estimate that may be left out.
Result<std::optional<Estimate<double>>> part_of(JsonReader& parent, std::string_view key) {
  if (!parent.has(key)) return std::optional<Estimate<double>>();
  JsonReader reader(parent.value(key), parent.path_of(key));
  const Estimate<double> estimate = estimate_in(reader);
  if (reader.error() != nullptr) return fail(*reader.error());
  return std::optional<Estimate<double>>(estimate);
}

Result<std::optional<Cycle>> cycle_from(JsonReader& parent) {
  auto flops = part_of(parent, "flop_per_cycle");
  if (!flops) return fail(flops.error());
  auto clock = part_of(parent, "clock_hz");
  if (!clock) return fail(clock.error());
  if (!*flops || !*clock) return std::optional<Cycle>();
  const int cores = whole(parent, "cores", 1, kMostCpus);
  return std::optional<Cycle>(Cycle{**flops, as<Hertz>(**clock), cores});
}

Result<Ceiling> ceiling_from(const Json& json, const std::string& path, const std::string& key) {
  JsonReader reader(json, path);
  Ceiling ceiling;
  ceiling.burst = estimate_in(reader);
  ceiling.unit = one_of(reader, "unit", reader.text("unit"), units_of(key));
  auto sustained = part_of(reader, "sustained");
  if (!sustained) return fail(sustained.error());
  ceiling.sustained = *sustained;
  ceiling.sustained_provenance =
      one_of(reader, "sustained_provenance", reader.text_or("sustained_provenance", "measured"),
             {"measured", "inferred"});
  auto written = part_of(reader, "if_write_allocated");
  if (!written) return fail(written.error());
  ceiling.if_write_allocated = *written;
  auto cycle = cycle_from(reader);
  if (!cycle) return fail(cycle.error());
  ceiling.cycle = *cycle;
  ceiling.variant = words(reader, "variant", reader.text_or("variant", ""));
  ceiling.provenance = one_of(reader, "provenance", reader.text_or("provenance", "measured"),
                              {"measured", "inferred", "datasheet"});
  const std::string standing = reader.text_or("standing", "usable");
  if (auto known = standing_from(standing)) {
    ceiling.standing = *known;
  } else {
    reader.reject("standing", format("\"{}\" is no standing", standing));
  }
  ceiling.reason =
      words(reader, "standing_reason", reader.text_or("standing_reason", ""), kLongestText);
  if (reader.has("conditions")) {
    auto conditions = conditions_from(reader.value("conditions"), reader.path_of("conditions"));
    if (!conditions) return fail(conditions.error());
    ceiling.conditions = *conditions;
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  return ceiling;
}

Status read_limits(const Json& json, const std::string& path, DeviceProfile& device) {
  JsonReader reader(json, path);
  device.affinity_cpus = whole(reader, "affinity", 1, kMostCpus);
  if (reader.has("cpuset")) device.cpuset_cpus = whole(reader, "cpuset", 1, kMostCpus);
  device.quota_cpus = optional_amount(reader, "quota", 1e-6);
  return reader.status();
}

Status read_absent(const Json& json, const std::string& path, DeviceProfile& device) {
  JsonReader reader(json, path);
  if (json.members() == nullptr) return reader.status();
  for (const auto& [key, why] : *json.members())
    device.absent[key] = words(reader, key, reader.text(key), kLongestText);
  return reader.status();
}

Status read_sweep(JsonReader& device_reader, DeviceProfile& device) {
  if (!device_reader.has("sweep")) return {};
  std::int64_t index = 0;
  for (const Json& item : device_reader.items("sweep")) {
    JsonReader reader(item, format("{}[{}]", device_reader.path_of("sweep"), index++));
    const Bytes footprint(amount(reader, "footprint_bytes", 1, kMostBytes));
    const ByteRate rate(amount(reader, "bytes_per_s", kLeastCeiling, kMostCeiling));
    if (reader.error() != nullptr) return fail(*reader.error());
    device.sweep.push_back({footprint, rate});
  }
  return device_reader.status();
}

Status read_caches(JsonReader& device_reader, DeviceProfile& device) {
  if (!device_reader.has("caches")) return {};
  std::int64_t index = 0;
  for (const Json& item : device_reader.items("caches")) {
    JsonReader reader(item, format("{}[{}]", device_reader.path_of("caches"), index++));
    device.caches.push_back({words(reader, "memory"),
                             Bytes(amount(reader, "each_bytes", 1, kMostBytes)),
                             whole(reader, "cores_each", 1, kMostCpus)});
    if (reader.error() != nullptr) return fail(*reader.error());
  }
  return device_reader.status();
}

Status read_warnings(JsonReader& device_reader, DeviceProfile& device) {
  if (!device_reader.has("warnings")) return {};
  std::int64_t index = 0;
  for (const Json& item : device_reader.items("warnings")) {
    JsonReader reader(item, format("{}[{}]", device_reader.path_of("warnings"), index++));
    device.warnings.push_back(
        {words(reader, "code"), words(reader, "text", reader.text("text"), kLongestText)});
    if (reader.error() != nullptr) return fail(*reader.error());
  }
  return device_reader.status();
}

Status read_ceilings(const Json& json, const std::string& path, DeviceProfile& device) {
  JsonReader reader(json, path);
  if (json.members() == nullptr) return reader.status();
  for (const auto& [key, member] : *json.members()) {
    auto ceiling = ceiling_from(member, reader.path_of(key), key);
    if (!ceiling) return fail(ceiling.error());
    device.ceilings[key] = *ceiling;
  }
  return {};
}

Result<DeviceProfile> device_from(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  DeviceProfile device;
  device.id = words(reader, "id");
  if (device.id.empty()) reader.reject("id", "expected a name");
  device.kind = one_of(reader, "kind", reader.text("kind"), {"cpu", "gpu"});
  device.name = words(reader, "name");
  device.cores_usable = whole(reader, "cores_usable", 1, kMostCpus);
  if (reader.has("last_level_cache_bytes")) {
    device.last_level_cache = Bytes(amount(reader, "last_level_cache_bytes", 0, kMostBytes));
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  auto done = read_limits(reader.value("limits"), reader.path_of("limits"), device);
  if (done && reader.has("absent")) {
    done = read_absent(reader.value("absent"), reader.path_of("absent"), device);
  }
  if (done && reader.has("unsupported")) {
    for (const std::string& key : read_texts(reader, "unsupported")) {
      device.unsupported.insert(words(reader, "unsupported", key));
    }
    done = reader.status();
  }
  if (done) done = read_sweep(reader, device);
  if (done) done = read_caches(reader, device);
  if (done) done = read_warnings(reader, device);
  if (done) done = read_ceilings(reader.value("ceilings"), reader.path_of("ceilings"), device);
  if (!done) return fail(done.error());
  return device;
}

}  // namespace

Bytes CacheFacts::of(int workers) const {
  const int instances = (std::max(1, workers) + cores_each - 1) / cores_each;
  return each * instances;
}

const DeviceProfile* MachineProfile::find(const std::string& device_id) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceProfile& d) { return d.id == device_id; });
  return found == devices.end() ? nullptr : &*found;
}

Json to_json(const Conditions& conditions) {
  Json cpus = Json::array();
  for (int cpu : conditions.cpus) cpus.push(cpu);
  Json taken = Json::array();
  for (const Conditions::Taken& one : conditions.taken) {
    taken.push(Json::object({{"cpu", one.cpu}, {"share_ratio", one.share}}));
  }
  return Json::object({{"cpus", cpus},
                       {"taken", taken},
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
  JsonReader reader(json, where);
  if (const std::string* schema = reader.value("schema").text()) {
    words(reader, "schema", *schema);  // errors quote it
    if (reader.error() != nullptr) return fail(*reader.error());
  }
  if (auto schema = check_schema(json, "machine", 1, where); !schema) return fail(schema.error());
  MachineProfile profile;
  profile.version = words(reader, "roofbeam");
  profile.key = words(reader, "key", reader.text_or("key", ""), kLongestText);
  profile.measured_at = reader.integer_or("measured_at", 0);
  if (profile.measured_at < 0 || profile.measured_at > kLastSecond) {
    reader.reject("measured_at", "expected seconds since 1970");
  }
  std::int64_t index = 0;
  for (const Json& item : reader.items("devices")) {
    const std::string path = format("{}[{}]", reader.path_of("devices"), index++);
    auto device = device_from(item, path);
    if (!device) return fail(device.error());
    if (profile.find(device->id) != nullptr) {
      return usage_error("there is another device of this name", path + ".id");
    }
    profile.devices.push_back(std::move(*device));
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  return profile;
}

}  // namespace roofbeam
