// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/devices_answer.h"

#include <optional>
#include <string_view>

#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

Json list(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push(text);
  return json;
}

std::optional<double> hertz(const std::optional<Hertz>& clock) {
  return clock ? std::optional(clock->value()) : std::nullopt;
}

Json kinds_of(const DevicesAnswer::Entry& device) {
  Json kinds = Json::array();
  for (const auto& kind : device.kinds) {
    Json json = Json::object({{"kind", kind.kind}, {"cores", kind.cores}, {"usable", kind.usable}});
    set_or_reason(json, "clock_base_hz", hertz(kind.clock_base), "the system does not state it");
    set_or_reason(json, "clock_max_hz", hertz(kind.clock_max), "the system does not state it");
    kinds.push(json);
  }
  return kinds;
}

Json nodes_of(const DevicesAnswer::Entry& device) {
  Json nodes = Json::array();
  for (const auto& node : device.nodes) {
    nodes.push(Json::object({{"cores", node.cores}, {"memory_bytes", node.memory.value()}}));
  }
  return nodes;
}

Json caches_of(const DevicesAnswer::Entry& device) {
  Json caches = Json::array();
  for (const auto& cache : device.caches) {
    Json json = Json::object({{"level", cache.level},
                              {"size_bytes", cache.size.value()},
                              {"instances", cache.instances}});
    if (!cache.kind.empty()) json.set("kind", cache.kind);
    caches.push(json);
  }
  return caches;
}

Json to_json(const DevicesAnswer::Entry& device) {
  Json abilities = Json::array();
  for (const auto& ability : device.can) {
    abilities.push(Json::object(
        {{"kernel", ability.kernel}, {"dtype", ability.dtype}, {"ways", list(ability.ways)}}));
  }
  Json limits = Json::object({{"affinity", device.affinity_cpus}});
  std::optional<double> cpuset;
  if (device.cpuset_cpus) cpuset = *device.cpuset_cpus;
  set_or_reason(limits, "cpuset", cpuset, "no cpuset limits this process");
  set_or_reason(limits, "quota", device.quota_cpus, "no quota limits this process");
  Json json = roofbeam::to_json(device.facts);
  json.set("architecture", device.architecture);
  json.set("packages", device.packages);
  json.set("numa_nodes", device.numa_nodes);
  json.set("cores", device.cores);
  json.set("hardware_threads", device.hardware_threads);
  json.set("limits", limits);
  if (!device.kinds.empty()) json.set("core_kinds", kinds_of(device));
  if (!device.nodes.empty()) json.set("nodes", nodes_of(device));
  json.set("caches", caches_of(device));
  json.set("memory_bytes", device.memory.value());
  json.set("memory_available_bytes", device.memory_available.value());
  if (!device.memory_bound_by.empty()) json.set("memory_bound_by", device.memory_bound_by);
  std::optional<double> limit;
  if (device.memory_limit) limit = device.memory_limit->value();
  set_or_reason(json, "memory_limit_bytes", limit, "no memory limit was found");
  json.set("features", list(device.features));
  json.set("can", abilities);
  if (!device.notes.empty()) json.set("notes", list(device.notes));
  return json;
}

// A text that is left out where there is nothing to say.
std::string text_or_absent(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) return "";
  std::string text = reader.text(key);
  if (text.empty()) reader.reject(key, "empty");
  return text;
}

// A list that is left out where it is empty; `read` reads it.
template <class List>
List list_or_absent(JsonReader& reader, std::string_view key, List (*read)(JsonReader&)) {
  if (!reader.has(key)) return {};
  List list = read(reader);
  if (list.empty()) reader.reject(key, "empty");
  return list;
}

std::optional<Hertz> clock_from(JsonReader& reader, std::string_view key) {
  const auto clock = read_not_negative_or_null(reader, key);
  return clock ? std::optional(Hertz(*clock)) : std::nullopt;
}

DevicesAnswer::KindFacts kind_from(JsonReader& reader) {
  return {reader.text("kind"), read_count(reader, "cores", 1), read_count(reader, "usable", 0),
          clock_from(reader, "clock_base_hz"), clock_from(reader, "clock_max_hz")};
}

DevicesAnswer::NodeFacts node_from(JsonReader& reader) {
  return {read_count(reader, "cores", 1), Bytes(read_not_negative(reader, "memory_bytes"))};
}

DevicesAnswer::CacheFacts cache_from(JsonReader& reader) {
  DevicesAnswer::CacheFacts cache;
  cache.level = read_count(reader, "level", 1);
  cache.size = Bytes(read_not_negative(reader, "size_bytes"));
  cache.instances = read_count(reader, "instances", 1);
  cache.kind = text_or_absent(reader, "kind");
  return cache;
}

DevicesAnswer::Ability ability_from(JsonReader& reader) {
  return {reader.text("kernel"), reader.text("dtype"), read_texts(reader, "ways")};
}

DevicesAnswer::Entry entry_from(JsonReader& reader) {
  DevicesAnswer::Entry device;
  device.facts = device_facts_from(reader);
  device.architecture = reader.text("architecture");
  device.packages = read_count(reader, "packages", 1);
  device.numa_nodes = read_count(reader, "numa_nodes", 1);
  device.cores = read_count(reader, "cores", 1);
  device.hardware_threads = read_count(reader, "hardware_threads", 1);
  JsonReader limits(reader.value("limits"), reader.path_of("limits"));
  device.affinity_cpus = read_count(limits, "affinity", 1);
  device.cpuset_cpus = read_count_or_null(limits, "cpuset", 0);
  device.quota_cpus = read_not_negative_or_null(limits, "quota");
  if (const Error* error = limits.error()) keep_error(reader, *error);
  device.kinds = list_or_absent<std::vector<DevicesAnswer::KindFacts>>(
      reader, "core_kinds",
      [](JsonReader& from) { return read_list(from, "core_kinds", kind_from); });
  device.nodes = list_or_absent<std::vector<DevicesAnswer::NodeFacts>>(
      reader, "nodes", [](JsonReader& from) { return read_list(from, "nodes", node_from); });
  device.caches = read_list(reader, "caches", cache_from);
  device.memory = Bytes(read_not_negative(reader, "memory_bytes"));
  device.memory_available = Bytes(read_not_negative(reader, "memory_available_bytes"));
  device.memory_bound_by = text_or_absent(reader, "memory_bound_by");
  if (auto limit = read_not_negative_or_null(reader, "memory_limit_bytes")) {
    device.memory_limit = Bytes(*limit);
  }
  device.features = read_texts(reader, "features");
  device.can = read_list(reader, "can", ability_from);
  device.notes = list_or_absent<std::vector<std::string>>(
      reader, "notes", [](JsonReader& from) { return read_texts(from, "notes"); });
  return device;
}

DevicesAnswer::Absent absent_from(JsonReader& reader) {
  return {reader.text("what"), reader.text("why"), reader.text("hint")};
}

}  // namespace

Json to_json(const DevicesAnswer& answer) {
  Json json = answer_head("devices");
  Json devices = Json::array();
  for (const auto& device : answer.devices) devices.push(to_json(device));
  Json missing = Json::array();
  for (const auto& absent : answer.missing) {
    missing.push(Json::object({{"what", absent.what}, {"why", absent.why}, {"hint", absent.hint}}));
  }
  json.set("devices", devices);
  json.set("missing", missing);
  if (answer.known.empty()) return json;
  Json known = Json::array();
  for (const KnownDevice& device : answer.known) known.push(to_json(device));
  json.set("known", known);
  return json;
}

Result<DevicesAnswer> devices_answer_from(const Json& json, const std::string& where) {
  if (auto head = check_answer_head(json, "devices", where); !head) return fail(head.error());
  JsonReader reader(json, where);
  DevicesAnswer answer;
  answer.devices = read_list(reader, "devices", entry_from);
  answer.missing = read_list(reader, "missing", absent_from);
  if (reader.has("known")) {
    answer.known = read_list(reader, "known", known_device_from);
    if (answer.known.empty()) reader.reject("known", "empty");
  }
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
