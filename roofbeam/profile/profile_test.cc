// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "roofbeam/base/file.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/profile/machine_profile.h"
#include "roofbeam/profile/store.h"

namespace roofbeam {
namespace {

Ceiling ceiling(double value, const char* unit) {
  Ceiling made;
  made.unit = unit;
  made.burst = {value, value * 0.99, value * 1.01, 5, Method::best};
  made.variant = "declared";
  return made;
}

DeviceProfile device() {
  DeviceProfile made;
  made.id = "cpu";
  made.kind = "cpu";
  made.name = "Test CPU";
  made.cores_usable = 4;
  made.affinity_cpus = 4;
  made.quota_cpus = 3.5;
  made.last_level_cache = Bytes(1 << 20);
  made.caches = {{"l1", Bytes(32 << 10), 1}, {"l2", Bytes(1 << 20), 2}};
  made.ceilings["compute.f32.fma.core"] = ceiling(100, "flop_per_s");
  made.ceilings["compute.f32.fma.all"] = ceiling(390, "flop_per_s");
  made.ceilings["bandwidth.dram.read.core"] = ceiling(20, "bytes_per_s");
  made.ceilings["bandwidth.dram.read.all"] = ceiling(50, "bytes_per_s");
  Ceiling& full = made.ceilings["compute.f32.fma.all"];
  full.sustained = Estimate<double>{350, 340, 360, 5, Method::median};
  full.standing = Standing::degraded;
  full.reason = "other processes took 0.5 of the 4 cores meanwhile";
  full.conditions = {{0, 1, 2, 3}, {{1, 0.48}}, 0.5, 0.0, std::nullopt, 0.98};
  full.if_write_allocated = Estimate<double>{700, 690, 710, 5, Method::best};
  full.cycle = Cycle{{32, 31.9, 32.1, 5, Method::best},
                     {Hertz(3.7e9), Hertz(3.6e9), Hertz(3.8e9), 5, Method::median},
                     4};
  made.absent["compute.bf16.dot.all"] = "could not allocate";
  return made;
}

MachineProfile machine() {
  return {"1.2.3", "cpu=Test CPU", 1'700'000'000, {device()}};
}

TEST(Profile, ReadsBackEqual) {
  const auto back = profile_from(*parse_json(write_json(to_json(machine())), "f"), "f");
  ASSERT_TRUE(back) << back.error().what << " " << back.error().where;
  EXPECT_EQ(*back, machine());
}

TEST(Profile, EveryTruncationIsAnErrorWithItsPlace) {
  const std::string whole = write_json(to_json(machine()));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto json = parse_json(whole.substr(0, length), "p.json");
    ASSERT_FALSE(json) << length;
    EXPECT_EQ(json.error().where.rfind("p.json:", 0), 0U) << json.error().where;
  }
}

TEST(Profile, EveryFieldThatIsWrongIsNamed) {
  auto where = [](void (*spoil)(Json&)) {
    Json json = to_json(machine());
    spoil(json);
    const auto back = profile_from(json, "p.json");
    return back ? std::string("read") : back.error().where;
  };
  EXPECT_EQ(where([](Json& j) { j.set("schema", "roofbeam.machine/2"); }), "p.json: schema");
  EXPECT_EQ(where([](Json& j) { j.set("roofbeam", 7); }), "p.json: roofbeam");
  EXPECT_EQ(where([](Json& j) { j.set("devices", "none"); }), "p.json: devices");
  EXPECT_EQ(where([](Json& j) { j.set("devices", Json(Json::Array{Json::object()})); }),
            "p.json: devices[0].id");
  EXPECT_EQ(where([](Json& j) { j.set("unknown", 1); }), "read");
}

TEST(Lookup, OneWorkerTakesCoreAllWorkersTakeAll) {
  EXPECT_EQ(arithmetic_ceiling(device(), "f32", 1)->name, "compute.f32.fma.core");
  EXPECT_EQ(arithmetic_ceiling(device(), "f32", 4)->name, "compute.f32.fma.all");
  EXPECT_EQ(read_ceiling(device(), "dram", 4)->name, "bandwidth.dram.read.all");
}

TEST(Lookup, BetweenThemItIsInferredAndNeverAboveAll) {
  const auto two = arithmetic_ceiling(device(), "f32", 2);
  EXPECT_EQ(two->ceiling.burst.value, 200);
  EXPECT_EQ(two->ceiling.provenance, "inferred");
  EXPECT_FALSE(two->fell_back.empty());
  const auto three = read_ceiling(device(), "dram", 3);
  EXPECT_EQ(three->ceiling.burst.value, 50) << "3 x 20 lies above what all cores reach";
  EXPECT_FALSE(three->fell_back.empty());
}

TEST(Lookup, MoreWorkersThanWereMeasuredAreSaid) {
  EXPECT_FALSE(arithmetic_ceiling(device(), "f32", 5)->fell_back.empty());
  EXPECT_TRUE(arithmetic_ceiling(device(), "f32", 4)->fell_back.empty());
}

TEST(Lookup, WhatCouldNotBeMeasuredSaysWhy) {
  DeviceProfile without = device();
  without.ceilings.clear();
  without.absent["compute.f32.fma.all"] = "no memory";
  EXPECT_EQ(arithmetic_ceiling(without, "bf16", 4).error().hint, "no memory");
}

TEST(Lookup, ATypeWithoutInstructionsFallsBackAndSaysSo) {
  const auto found = arithmetic_ceiling(device(), "bf16", 4);
  EXPECT_EQ(found->name, "compute.f32.fma.all");
  EXPECT_NE(found->fell_back.find("no bf16 instructions"), std::string::npos);
}

TEST(Lookup, AnInvalidCeilingIsNotUsed) {
  DeviceProfile spoilt = device();
  spoilt.ceilings["bandwidth.dram.read.all"].standing = Standing::invalid;
  spoilt.ceilings["bandwidth.dram.read.core"].standing = Standing::invalid;
  EXPECT_FALSE(read_ceiling(spoilt, "dram", 4));
}

class Store : public testing::Test {
 protected:
  Store() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "roofbeam-store-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Store() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Store, AFreshProfileOfTheSameKeyIsFound) {
  ASSERT_TRUE(save_profile(folder_, machine()));
  const std::int64_t then = machine().measured_at;
  EXPECT_EQ(load_fresh(folder_, machine().key, then + 60), machine());
  EXPECT_FALSE(load_fresh(folder_, machine().key, then + kDisturbedFreshSeconds + 1))
      << "one of its ceilings was disturbed";
  MachineProfile quiet = machine();
  quiet.devices[0].ceilings["compute.f32.fma.all"].standing = Standing::usable;
  quiet.devices[0].absent.clear();
  ASSERT_TRUE(save_profile(folder_, quiet));
  EXPECT_EQ(load_fresh(folder_, quiet.key, then + kFreshSeconds), quiet);
  EXPECT_FALSE(load_fresh(folder_, quiet.key, then + kFreshSeconds + 1)) << "stale";
  EXPECT_FALSE(load_fresh(folder_, machine().key, then - 60)) << "from the future";
  EXPECT_FALSE(load_fresh(folder_, "another key", then + 60));
  // The file is named by a hash of the key: a file that holds another key is not taken either.
  MachineProfile other = quiet;
  other.key = "another key";
  const auto path = save_profile(folder_, quiet);
  ASSERT_TRUE(write_file_atomic(*path, write_json(to_json(other))));
  EXPECT_FALSE(load_fresh(folder_, quiet.key, then + 60));
}

TEST_F(Store, ADamagedProfileIsAsGoodAsNone) {
  const auto path = save_profile(folder_, machine());
  ASSERT_TRUE(path);
  const std::string whole = *read_file(*path);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    ASSERT_TRUE(write_file_atomic(*path, whole.substr(0, length)));
    EXPECT_FALSE(load_fresh(folder_, machine().key, machine().measured_at)) << length;
  }
}

TEST(StoreFolder, WithoutAHomeItSaysSo) {
  const auto saved = save_profile("", machine());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().what, "neither XDG_STATE_HOME nor HOME is set");
}

TEST(Key, ChangesWithWhatCeilingsDependOn) {
  Box box;
  box.topology.cpu_name = "A";
  box.limits.affinity = {0, 1};
  const std::string key = profile_key(box, "1");
  Box other = box;
  other.limits.affinity = {0};
  EXPECT_NE(profile_key(other, "1"), key);
  other = box;
  other.limits.quota_cpus = 1.5;
  EXPECT_NE(profile_key(other, "1"), key);
  other = box;
  other.topology.cpu_name = "B";
  EXPECT_NE(profile_key(other, "1"), key);
  EXPECT_NE(profile_key(box, "2"), key);
  EXPECT_EQ(profile_key(box, "1"), key);
}

}  // namespace
}  // namespace roofbeam
