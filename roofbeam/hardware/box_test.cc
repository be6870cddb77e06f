// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "roofbeam/base/file.h"
#include "roofbeam/hardware/system.h"

namespace roofbeam {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::string machine(const std::string& name) {
  return std::string(ROOFBEAM_SOURCE_DIR) + "/data/machines/" + name;
}

TEST(RecordedBox, TwoCoreVirtualMachine) {
  const Box box = read_recorded_box(machine("epyc-2core")).value();
  EXPECT_EQ(box.topology.cpu_name, "AMD EPYC");
  EXPECT_EQ(box.topology.architecture, "x86_64");
  EXPECT_EQ(box.topology.memory, Bytes(24684084 * 1024.0));  // more than its NUMA node shows
  Limits expected;
  expected.affinity = {0, 1};
  expected.cpuset_cpus = 2;
  expected.memory_available = Bytes(24095272 * 1024.0);
  expected.memory_bound_by = "machine";
  expected.usable_cores = 2;
  expected.bound_by = "cores";
  expected.placement = {0, 1};
  EXPECT_EQ(box.limits, expected);
  EXPECT_EQ(box.features,
            (std::vector<std::string>{"sse2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw",
                                      "avx512vl", "avx512dq", "avx512_vnni", "avx512_bf16"}));
  EXPECT_EQ(box.notes, std::vector<std::string>{});
  EXPECT_EQ(box.usable_kinds(), std::vector<CoreKind>{});
  EXPECT_TRUE(box.has("avx512_bf16"));
  EXPECT_FALSE(box.has("amx_tile"));
}

TEST(RecordedBox, TwoSocketsWithTwoThreadsACore) {
  const Box box = read_recorded_box(machine("xeon-2s-smt")).value();
  EXPECT_EQ(box.topology.hardware_threads(), 64);
  EXPECT_EQ(box.topology.memory, Bytes(256 * kGib));
  Limits expected;
  for (int i = 0; i < 64; ++i) expected.affinity.push_back(i);
  expected.cpuset_cpus = 64;
  expected.memory_available = Bytes(240 * kGib);
  expected.memory_bound_by = "machine";
  expected.usable_cores = 32;
  expected.bound_by = "cores";
  for (int i = 0; i < 32; ++i) expected.placement.push_back(i);
  EXPECT_EQ(box.limits, expected);
}

TEST(RecordedBox, ContainerWithAQuotaAndAMemoryLimit) {
  const Box box = read_recorded_box(machine("container-1.5cpu")).value();
  Limits expected;
  for (int i = 0; i < 8; ++i) expected.affinity.push_back(i);
  expected.cpuset_cpus = 8;
  expected.quota_cpus = 1.5;
  expected.memory_limit = Bytes(4 * kGib);
  expected.memory_available = Bytes(3.5 * kGib);  // 768 MiB used, 256 of them droppable files
  expected.memory_bound_by = "cgroup";
  expected.usable_cores = 2;
  expected.bound_by = "quota";
  expected.placement = {0, 1};
  EXPECT_EQ(box.limits, expected);
}

// A folder of its own per test, with a sound recording in it that the test then spoils.
class Spoiled : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("roofbeam_box_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const char* file : {"system.json", "topology.xml"}) {
      std::filesystem::copy_file(machine("container-1.5cpu") + "/" + file, folder_ / file);
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  Error error() const { return read_recorded_box(folder_.string()).error(); }
  void write(const std::string& file, const std::string& text) const {
    ASSERT_TRUE(write_file_atomic(path(file), text));
  }

  std::filesystem::path folder_;
};

const char* const kHint = "record the machine again with tools/record_machine";

TEST_F(Spoiled, SoundBeforeItIsSpoiled) {
  EXPECT_TRUE(read_recorded_box(folder_.string()));
}

TEST_F(Spoiled, MissingFilesAreNamed) {
  std::filesystem::remove(folder_ / "topology.xml");
  EXPECT_EQ(error().where, path("topology.xml"));
  EXPECT_EQ(error().hint, kHint);
  std::filesystem::remove(folder_ / "system.json");
  EXPECT_EQ(error().where, path("system.json"));
  EXPECT_EQ(error().code, ErrorCode::usage);
}

TEST_F(Spoiled, WrongFieldsAreNamed) {
  const std::string sound =
      R"({"schema":"roofbeam.machine_recording/1","architecture":"riscv64","affinity":[0],)"
      R"("features":[],"files":{}})";
  write("system.json", sound);
  ASSERT_TRUE(read_recorded_box(folder_.string()));
  struct Case {
    const char* from;
    const char* to;
    const char* field;
  };
  for (const Case& c : {Case{"\"architecture\":\"riscv64\",", "", "architecture"},
                        Case{"\"affinity\":[0]", "\"affinity\":[0,-1]", "affinity"},
                        Case{"\"affinity\":[0]", "\"affinity\":[1.5]", "affinity"},
                        Case{"\"affinity\":[0]", "\"affinity\":[99999999999]", "affinity"},
                        Case{"\"affinity\":[0]", "\"affinity\":[]", "affinity"},
                        Case{"\"affinity\":[0]", "\"affinity\":[8, 9]", "affinity"},
                        Case{"\"affinity\":[0]", "\"affinity\":3", "affinity"},
                        Case{"\"features\":[]", "\"features\":[7]", "features"},
                        Case{"\"files\":{}", "\"files\":{\"/proc/meminfo\":12}", "files"},
                        Case{"\"files\":{}", "\"files\":[]", "files"}}) {
    std::string spoiled = sound;
    spoiled.replace(spoiled.find(c.from), std::string(c.from).size(), c.to);
    write("system.json", spoiled);
    ASSERT_FALSE(read_recorded_box(folder_.string())) << spoiled;
    EXPECT_EQ(error().where, path("system.json") + ": " + c.field) << spoiled;
    EXPECT_EQ(error().hint, kHint) << spoiled;
  }
}

TEST_F(Spoiled, AnotherSchemaOrNoJsonIsRefused) {
  for (const char* text : {"", "[]", "{}", "\xff\xfe"}) {
    write("system.json", text);
    ASSERT_FALSE(read_recorded_box(folder_.string())) << text;
    EXPECT_NE(error().where.find("system.json"), std::string::npos) << text;
  }
  for (const char* schema : {"roofbeam.machine_recording/2", "roofbeam.machine/1", ""}) {
    std::string changed = read_file(machine("container-1.5cpu") + "/system.json").value();
    const std::string sound = "roofbeam.machine_recording/1";
    changed.replace(changed.find(sound), sound.size(), schema);
    write("system.json", changed);
    ASSERT_FALSE(read_recorded_box(folder_.string())) << schema;
    EXPECT_NE(error().where.find("system.json"), std::string::npos) << schema;
  }
}

TEST_F(Spoiled, EveryTruncationOfSystemJsonIsAnError) {
  const std::string whole = read_file(path("system.json")).value();
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    write("system.json", whole.substr(0, length));
    EXPECT_FALSE(read_recorded_box(folder_.string())) << length;
  }
}

TEST_F(Spoiled, BrokenTopologyIsNamed) {
  write("topology.xml", "<topology");
  EXPECT_EQ(error().where, path("topology.xml") + ":9");
  EXPECT_EQ(error().hint, kHint);
}

// The container's recording with its topology nameless and another /proc/cpuinfo.
std::string name_with(const std::string& cpuinfo) {
  Recording recording = read_recording(machine("container-1.5cpu")).value();
  recording.topology.cpu_name = "";
  recording.files["/proc/cpuinfo"] = cpuinfo;
  return read_box(RecordedSystem(recording)).value().topology.cpu_name;
}

TEST(Box, CpuNameComesFromCpuinfoWhereHwlocKnowsNone) {
  EXPECT_EQ(name_with("processor\t: 0\nmodel name\t: Some CPU @ 1 GHz\n"), "Some CPU @ 1 GHz");
  EXPECT_EQ(name_with("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n"),
            "CPU of implementer 0x41, part 0xd40");
  EXPECT_EQ(name_with("model name\t:\nHardware\t: Board\n"), "Board");
  EXPECT_EQ(name_with(""), "unknown CPU");
}

TEST(Box, ThisMachineGivesUsableCoresInsideItsAffinity) {
  const Box box = read_this_box().value();
  EXPECT_FALSE(box.topology.cpu_name.empty());
  EXPECT_FALSE(box.topology.architecture.empty());
  EXPECT_EQ(box.limits.placement.size(), static_cast<std::size_t>(box.limits.usable_cores));
  EXPECT_FALSE(box.limits.affinity.empty());
  for (int cpu : box.limits.placement) {
    EXPECT_TRUE(std::count(box.limits.affinity.begin(), box.limits.affinity.end(), cpu)) << cpu;
  }
  EXPECT_GT(box.limits.memory_available.value(), 0.0);
  EXPECT_LE(box.limits.memory_available, box.topology.memory);
}

}  // namespace
}  // namespace roofbeam
