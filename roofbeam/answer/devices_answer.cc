// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/devices_answer.h"

namespace roofbeam {
namespace {

Json list(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push(text);
  return json;
}

// `entry` gets the number, or null and the reason.
void set_or_reason(Json& entry, const std::string& key, const std::optional<double>& value,
                   const char* reason) {
  entry.set(key, value ? Json(*value) : Json());
  if (!value) entry.set(key + "_reason", reason);
}

Json to_json(const DevicesAnswer::Entry& device) {
  Json caches = Json::array();
  for (const auto& cache : device.caches) {
    caches.push(Json::object({{"level", cache.level},
                              {"size_bytes", cache.size.value()},
                              {"instances", cache.instances}}));
  }
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
  json.set("caches", caches);
  json.set("memory_bytes", device.memory.value());
  json.set("memory_available_bytes", device.memory_available.value());
  std::optional<double> limit;
  if (device.memory_limit) limit = device.memory_limit->value();
  set_or_reason(json, "memory_limit_bytes", limit, "no memory limit was found");
  json.set("features", list(device.features));
  json.set("can", abilities);
  return json;
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
  return json;
}

}  // namespace roofbeam
