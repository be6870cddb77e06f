// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/devices_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "roofbeam/base/json.h"

namespace roofbeam {
namespace {

DevicesAnswer hybrid() {
  DevicesAnswer answer;
  DevicesAnswer::Entry entry;
  entry.facts = {"cpu", "cpu", "a hybrid", 10, "affinity"};
  entry.architecture = "x86_64";
  entry.cores = 14;
  entry.kinds = {{"performance", 6, 2, Hertz(1.9e9), Hertz(5.2e9)}, {"efficient", 8, 8, {}, {}}};
  entry.nodes = {{8, Bytes(1024)}, {6, Bytes(0)}};
  entry.caches = {{1, Bytes(49152), 6, "performance"}, {3, Bytes(25165824), 1, ""}};
  entry.memory_bound_by = "cgroup";
  entry.notes = {"the system shows no caches"};
  answer.devices = {std::move(entry)};
  return answer;
}

// The answer with `key` of its device set to `value`.
Result<DevicesAnswer> with(const std::string& key, const Json& value) {
  Json json = to_json(hybrid());
  Json device = json.find("devices")->items()->front();
  device.set(key, value);
  json.set("devices", Json(Json::Array{device}));
  return devices_answer_from(json, "f.json");
}

TEST(DevicesAnswer, KindsNodesAndNotesReadBackAsTheyWere) {
  EXPECT_EQ(devices_answer_from(to_json(hybrid()), "f.json").value(), hybrid());
}

TEST(DevicesAnswer, WhatIsNotThereIsLeftOut) {
  DevicesAnswer answer;
  answer.devices.resize(1);
  answer.devices[0].caches = {{1, Bytes(49152), 6, ""}};
  const Json json = to_json(answer);
  const Json& device = json.find("devices")->items()->front();
  for (const char* key : {"core_kinds", "nodes", "memory_bound_by", "notes"}) {
    EXPECT_EQ(device.find(key), nullptr) << key;
  }
  EXPECT_EQ(device.find("caches")->items()->front().find("kind"), nullptr);
  EXPECT_EQ(devices_answer_from(json, "f.json").value(), answer);
}

TEST(DevicesAnswer, AnUnstatedClockHasAReason) {
  const Json json = to_json(hybrid());
  const Json& kinds = *json.find("devices")->items()->front().find("core_kinds");
  EXPECT_EQ(write_json(kinds, -1),
            R"([{"kind":"performance","cores":6,"usable":2,"clock_base_hz":1900000000.0,)"
            R"("clock_max_hz":5200000000.0},{"kind":"efficient","cores":8,"usable":8,)"
            R"("clock_base_hz":null,"clock_base_hz_reason":"the system does not state it",)"
            R"("clock_max_hz":null,"clock_max_hz_reason":"the system does not state it"}])");
}

TEST(DevicesAnswer, WrongPartsAreNamed) {
  const Json core = Json::object({{"kind", "x"}, {"cores", 0}, {"usable", 0}});
  const Json clock =
      Json::object({{"kind", "x"}, {"cores", 1}, {"usable", 0}, {"clock_max_hz", -1}});
  const Json node = Json::object({{"cores", 1}, {"memory_bytes", -1}});
  struct Case {
    const char* key;
    Json value;
    const char* where;
  };
  for (const Case& c :
       {Case{"core_kinds", Json::array(), "core_kinds"},
        Case{"core_kinds", Json(Json::Array{core}), "core_kinds[0].cores"},
        Case{"core_kinds", Json(Json::Array{clock}), "core_kinds[0].clock_max_hz"},
        Case{"nodes", Json::array(), "nodes"},
        Case{"nodes", Json(Json::Array{node}), "nodes[0].memory_bytes"},
        Case{"memory_bound_by", "", "memory_bound_by"}, Case{"notes", Json::array(), "notes"},
        Case{"notes", Json(Json::Array{1}), "notes[0]"}}) {
    const auto found = with(c.key, c.value);
    ASSERT_FALSE(found) << c.where;
    EXPECT_EQ(found.error().where, std::string("f.json: devices[0].") + c.where);
  }
}

}  // namespace
}  // namespace roofbeam
