// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/topology.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <string>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

std::string machine(const std::string& name) {
  return read_file(std::string(ROOFBEAM_SOURCE_DIR) + "/data/machines/" + name + "/topology.xml")
      .value();
}

TEST(Topology, TwoCoreVirtualMachine) {
  Topology expected;
  expected.cpu_name = "AMD EPYC";
  expected.cores = {{{0}, 0, 0}, {{1}, 0, 0}};
  expected.caches = {
      {1, Bytes(32768), 2, 1}, {2, Bytes(1048576), 2, 1}, {3, Bytes(33554432), 1, 2}};
  expected.memory = Bytes(7879208960);
  expected.node_memory = {Bytes(7879208960)};
  EXPECT_EQ(topology_from_xml(machine("epyc-2core"), "x").value(), expected);
}

TEST(Topology, TwoSocketsWithTwoThreadsACore) {
  Topology expected;
  expected.cpu_name = "Intel(R) Xeon(R) Gold 6346 CPU @ 3.10GHz";
  expected.packages = 2;
  expected.numa_nodes = 2;
  for (int i = 0; i < 32; ++i) expected.cores.push_back({{i, i + 32}, i / 16, i / 16});
  expected.caches = {
      {1, Bytes(49152), 32, 1}, {2, Bytes(1310720), 32, 1}, {3, Bytes(37748736), 2, 16}};
  expected.memory = Bytes(2 * 137438953472.0);
  expected.node_memory = {Bytes(137438953472.0), Bytes(137438953472.0)};
  const Topology found = topology_from_xml(machine("xeon-2s-smt"), "x").value();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found.hardware_threads(), 64);
  EXPECT_EQ(found.last_level_cache(), Bytes(37748736));
}

TEST(Topology, EightCoresUnderAContainer) {
  Topology expected;
  expected.cpu_name = "AMD EPYC 7713 64-Core Processor";
  for (int i = 0; i < 8; ++i) expected.cores.push_back({{i}, 0, 0});
  expected.caches = {{1, Bytes(32768), 8, 1}, {2, Bytes(524288), 8, 1}, {3, Bytes(33554432), 1, 8}};
  expected.memory = Bytes(33554432000);
  expected.node_memory = {Bytes(33554432000)};
  EXPECT_EQ(topology_from_xml(machine("container-1.5cpu"), "x").value(), expected);
}

// Objects as hwloc writes them; `inner` lies within a machine of CPUs 0 to 3.
std::string small_machine(const std::string& inner) {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1000"/>
)" + inner +
         "  </object>\n</topology>\n";
}

std::string object(const std::string& type, int index, const std::string& cpuset,
                   const std::string& more = "", const std::string& inner = "") {
  static int gp_index = 100;
  return "<object type=\"" + type + "\" os_index=\"" + std::to_string(index) + "\" cpuset=\"" +
         cpuset + "\" complete_cpuset=\"" + cpuset +
         "\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"" + std::to_string(++gp_index) +
         "\" " + more + ">\n" + inner + "</object>\n";
}

std::string core(int index) {
  const std::string cpuset = "0x" + std::to_string(1 << index);
  return object("Core", index, cpuset, "", object("PU", index, cpuset));
}

TEST(Topology, MissingCachesAndPackagesStayMissingAndDisallowedCpusAreIncluded) {
  Topology expected;
  expected.cores = {{{0}, 0, 0}, {{1}, 0, 0}, {{2}, 0, 0}, {{3}, 0, 0}};
  expected.memory = Bytes(1000);
  expected.node_memory = {Bytes(1000)};
  EXPECT_EQ(topology_from_xml(small_machine(core(0) + core(1) + core(2) + core(3)), "x").value(),
            expected);
  const std::string bare = object("PU", 0, "0x1") + object("PU", 1, "0x2") +
                           object("PU", 2, "0x4") + object("PU", 3, "0x8");
  expected.cores_known = false;
  EXPECT_EQ(topology_from_xml(small_machine(bare), "x").value(), expected);
  EXPECT_EQ(expected.last_level_cache(), Bytes(0));
}

TEST(Topology, AHybridLaptop) {
  Topology expected;
  expected.cpu_name = "13th Gen Intel(R) Core(TM) i7-1370P";
  for (int i = 0; i < 6; ++i) expected.cores.push_back({{2 * i, 2 * i + 1}, 0, 0, "performance"});
  for (int i = 12; i < 20; ++i) expected.cores.push_back({{i}, 0, 0, "efficient"});
  expected.kinds = {{"performance", 6, Hertz(1.9e9), Hertz(5.2e9)},
                    {"efficient", 8, Hertz(1.4e9), Hertz(3.9e9)}};
  expected.caches = {{1, Bytes(49152), 6, 1, "performance"},
                     {1, Bytes(32768), 8, 1, "efficient"},
                     {2, Bytes(1310720), 6, 1, "performance"},
                     {2, Bytes(2097152), 2, 4, "efficient"},
                     {3, Bytes(25165824), 1, 14, ""}};
  expected.memory = Bytes(33351151616);
  expected.node_memory = {Bytes(33351151616)};
  const Topology found = topology_from_xml(machine("hybrid-laptop"), "x").value();
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(found.hybrid());
  EXPECT_EQ(found.hardware_threads(), 20);
}

TEST(Topology, AnArmServerWithoutAName) {
  Topology expected;
  for (int i = 0; i < 64; ++i) expected.cores.push_back({{i}, 0, 0});
  expected.caches = {
      {1, Bytes(65536), 64, 1}, {2, Bytes(1048576), 64, 1}, {3, Bytes(33554432), 1, 64}};
  expected.memory = Bytes(135291469824);
  expected.node_memory = {Bytes(135291469824)};
  EXPECT_EQ(topology_from_xml(machine("aarch64-server"), "x").value(), expected);
}

// Of the size on both kinds, as P cores and clusters of four E cores can have.
TEST(Topology, CachesOfOneSizeAreKeptApartByKind) {
  const std::string start = "<topology version=\"2.0\"><object type=\"L3Cache\" cache_size=\"9\">";
  const std::string cache = "<object type=\"L2Cache\" cache_size=\"5\">";
  const auto core = [](int cpu) {
    return format("<object type=\"Core\"><object type=\"PU\" os_index=\"{}\"/></object>", cpu);
  };
  const auto kind = [](const char* mask, const char* type) {
    return format("<cpukind cpuset=\"{}\"><info name=\"CoreType\" value=\"{}\"/></cpukind>", mask,
                  type);
  };
  const std::string objects =
      start + cache + core(0) + "</object>" + cache + core(1) + core(2) + "</object></object>";
  EXPECT_EQ(topology_from_xml(
                objects + kind("0x1", "IntelCore") + kind("0x6", "IntelAtom") + "</topology>", "x")
                .value()
                .caches,
            (std::vector<Cache>{{2, Bytes(5), 1, 1, "performance"},
                                {2, Bytes(5), 1, 2, "efficient"},
                                {3, Bytes(9), 1, 3, ""}}));
  // A statement that cannot be read leaves all alike.
  EXPECT_EQ(topology_from_xml(
                objects + kind("0x1", "IntelCore") + kind("6", "IntelAtom") + "</topology>", "x")
                .value()
                .caches,
            (std::vector<Cache>{{2, Bytes(5), 2, 2, ""}, {3, Bytes(9), 1, 3, ""}}));
}

TEST(Topology, TheLastLevelIsAllOfItAndItsLargestInstance) {
  Topology topology;
  topology.caches = {{2, Bytes(64), 9, 1}, {3, Bytes(16), 1, 5}, {3, Bytes(8), 2, 5}};
  EXPECT_EQ(topology.last_level_cache(), Bytes(16));
  EXPECT_EQ(topology.last_level_caches(), Bytes(32));
}

TEST(Topology, ACacheWithoutASizeIsAsGoodAsNone) {
  Topology expected;
  expected.cores = {{{0}, 0, 0}, {{1}, 0, 0}};
  expected.memory = Bytes(1000);
  expected.node_memory = {Bytes(1000)};
  EXPECT_EQ(
      topology_from_xml(
          small_machine(core(0) + object("L2Cache", 0, "0x2", "cache_size=\"0\"", core(1))), "x")
          .value(),
      expected);
}

TEST(Topology, GarbageIsAnErrorThatNamesThePlace) {
  struct Case {
    std::string text;
    std::string where;
  };
  const std::string start = "<topology version=\"2.0\">";  // 24 bytes
  const std::string pu = "<object type=\"PU\" os_index=\"0\"/>";
  for (const Case& c : {
           Case{"", "x:0"},
           Case{"not xml", "x:7"},
           Case{std::string(3, '\0'), "x:3"},
           Case{"<?xml version=\"1.0\"?>", "x:21"},
           Case{start, "x:24"},
           Case{start + pu, "x:56"},
           Case{start + "</topology>", "x"},
           Case{"<topology>" + pu + "</topology>", "x:0"},
           Case{"<topology version=\"1.0\">" + pu + "</topology>", "x:0"},
           Case{pu, "x:0"},
           Case{start + "<object></topology>", "x:32"},
           Case{start + "</topology>" + start, "x:35"},
           Case{start + pu + pu + "</topology>", "x:56"},
           Case{start + "<object type=\"PU\"/></topology>", "x:24"},
           Case{start + "<object type=\"PU\" os_index=\"65536\"/></topology>", "x:24"},
           Case{start + "<object type=\"PU\" os_index=\"-1\"/></topology>", "x:24"},
           Case{start + "<object type=\"L2Cache\" cache_size=\"1e3\"/></topology>", "x:24"},
           Case{start + "<object type=\"NUMANode\" local_memory=\"99999999999999999999\"/>",
                "x:24"},
           Case{start + "<object type=PU/></topology>", "x:36"},
       }) {
    const auto found = topology_from_xml(c.text, "x");
    ASSERT_FALSE(found) << c.text;
    EXPECT_EQ(found.error().code, ErrorCode::usage);
    EXPECT_EQ(found.error().where, c.where) << c.text;
  }
}

TEST(Topology, NestingHasALimit) {
  const auto nested = [](int levels) {
    std::string text = "<topology version=\"2.0\">";
    for (int i = 0; i < levels; ++i) text += "<object>";
    text += "<object type=\"PU\" os_index=\"0\"/>";
    for (int i = 0; i < levels; ++i) text += "</object>";
    return topology_from_xml(text + "</topology>", "x");
  };
  EXPECT_TRUE(nested(100));
  EXPECT_FALSE(nested(1000));
}

TEST(Topology, NamesAreUnescapedAndThePackageIsAskedFirst) {
  const std::string named =
      "<topology version=\"3.0\"><!-- made by hand --><info name=\"CPUModel\" value=\"other\"/>"
      "<object type=\"Package\"><info name=\"CPUModel\" value=\" A&amp;B &lt;&#10;2&gt; \"/>"
      "<object type=\"PU\" os_index=\"7\"/></object></topology>";
  EXPECT_EQ(topology_from_xml(named, "x").value().cpu_name, "A&B <&#10;2>");
}

TEST(Topology, NearestMemoryNodeWinsAndNodesWithoutCoresAreNotCounted) {
  const std::string text = R"(<topology version="2.0"><object type="Machine">
    <object type="NUMANode" local_memory="5"/><object type="Group">
    <object type="NUMANode" local_memory="6"/><object type="Package">
      <object type="MemCache"><object type="NUMANode" local_memory="10"/></object>
      <object type="PU" os_index="3"/>
    </object><object type="Package">
      <object type="MemCache"><object type="NUMANode" local_memory="20"/></object>
      <object type="MemCache"><object type="NUMANode" local_memory="30"/></object>
      <object type="Core"><object type="PU" os_index="2"/><object type="PU" os_index="1"/></object>
    </object></object></object></topology>)";
  Topology expected;
  expected.packages = 2;
  expected.numa_nodes = 2;
  expected.cores = {{{3}, 0, 0}, {{1, 2}, 1, 1}};
  expected.cores_known = false;  // not of one of them
  expected.memory = Bytes(71);
  expected.node_memory = {Bytes(10), Bytes(20)};
  EXPECT_EQ(topology_from_xml(text, "x").value(), expected);
}

TEST(Topology, AnUnevenlyFilledCacheIsCountedAtItsFullest) {
  const std::string cache = "<object type=\"L3Cache\" cache_size=\"64\">";
  const std::string text = "<topology version=\"2.0\">" + cache +
                           "<object type=\"PU\" os_index=\"0\"/></object>" + cache +
                           "<object type=\"PU\" os_index=\"1\"/><object type=\"PU\" "
                           "os_index=\"2\"/></object></topology>";
  EXPECT_EQ(topology_from_xml(text, "x").value().caches,
            (std::vector<Cache>{{3, Bytes(64), 2, 2}}));
}

TEST(Topology, EveryTruncationIsAnErrorAndNotACrash) {
  const std::string whole = machine("epyc-2core");
  const std::size_t tree_end = whole.rfind("</object>");
  for (std::size_t length = 0; length < tree_end; length += 61) {
    EXPECT_FALSE(topology_from_xml(whole.substr(0, length), "x")) << length;
  }
}

TEST(Topology, ThisMachineHasTheCpusWeRunOnAndOwesNothingToTheEnvironment) {
  ::setenv("HWLOC_SYNTHETIC", "core:7 pu:3", 1);
  ::setenv("HWLOC_PLUGINS_PATH", "/somewhere", 1);
  const Topology found = topology_of_this_machine().value();
  EXPECT_STREQ(std::getenv("HWLOC_SYNTHETIC"), "core:7 pu:3");
  EXPECT_STREQ(std::getenv("HWLOC_PLUGINS_PATH"), "/somewhere");
  EXPECT_EQ(std::getenv("HWLOC_HIDE_ERRORS"), nullptr);
  ::unsetenv("HWLOC_SYNTHETIC");
  ::unsetenv("HWLOC_PLUGINS_PATH");

  EXPECT_EQ(found, topology_of_this_machine().value());
  const int here = ::sched_getcpu();
  int times_found = 0;
  for (const Core& c : found.cores) {
    for (int pu : c.pus) times_found += pu == here ? 1 : 0;
  }
  EXPECT_EQ(times_found, 1);
  EXPECT_GT(found.memory.value(), 0.0);
}

// hwloc tells where it looks for plugins; one built without them tells nothing.
TEST(Topology, NoPluginOfHwlocIsLookedFor) {
  ::setenv("HWLOC_PLUGINS_VERBOSE", "1", 1);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(topology_of_this_machine());
  const std::string told = testing::internal::GetCapturedStderr();
  ::unsetenv("HWLOC_PLUGINS_VERBOSE");
  EXPECT_EQ(told.find("dlforeach in "), told.find("dlforeach in /nonexistent")) << told;
  EXPECT_EQ(::dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD), nullptr);
}

}  // namespace
}  // namespace roofbeam
