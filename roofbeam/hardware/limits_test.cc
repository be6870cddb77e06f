// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/limits.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace roofbeam {

// How a failing test shows a value.
void PrintTo(const Limits& limits, std::ostream* out) {
  *out << "affinity";
  for (int cpu : limits.affinity) *out << ' ' << cpu;
  *out << "; cpuset " << limits.cpuset_cpus.value_or(-1) << "; quota "
       << limits.quota_cpus.value_or(-1) << "; memory limit "
       << limits.memory_limit.value_or(Bytes(-1)).value() << "; available "
       << limits.memory_available.value() << " bound by " << limits.memory_bound_by << "; usable "
       << limits.usable_cores << " bound by " << limits.bound_by << "; placement";
  for (int cpu : limits.placement) *out << ' ' << cpu;
}

namespace {

using Files = std::map<std::string, std::string>;

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kGib = 1024.0 * kMib;

// Four cores of two hardware threads (n and n + 4) on two NUMA nodes, 16 GiB.
Topology four_cores() {
  Topology topology;
  topology.numa_nodes = 2;
  topology.cores = {{{0, 4}, 0, 0}, {{1, 5}, 0, 0}, {{2, 6}, 0, 1}, {{3, 7}, 0, 1}};
  topology.memory = Bytes(16 * kGib);
  return topology;
}

const std::vector<int> kEveryCpu = {0, 1, 2, 3, 4, 5, 6, 7};

// What the four-core machine answers where nothing limits: all of it, 8 GiB available.
Limits nothing_limits() {
  Limits limits;
  limits.affinity = kEveryCpu;
  limits.memory_available = Bytes(8 * kGib);
  limits.memory_bound_by = "machine";
  limits.usable_cores = 4;
  limits.bound_by = "cores";
  limits.placement = {0, 1, 2, 3};
  return limits;
}

Limits read(const Files& files, const std::vector<int>& affinity = kEveryCpu,
            const Topology& topology = four_cores()) {
  Recording recording;
  recording.affinity = affinity;
  recording.files = files;
  recording.files.emplace("/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n");
  return read_limits(RecordedSystem(recording), topology);
}

TEST(Limits, NoCgroupAtAllLeavesTheWholeMachine) {
  EXPECT_EQ(read({}), nothing_limits());
}

TEST(Limits, AQuotaOfOneAndAHalfGivesTwoPhysicalCores) {
  Limits expected = nothing_limits();
  expected.quota_cpus = 1.5;
  expected.usable_cores = 2;
  expected.bound_by = "quota";
  expected.placement = {0, 1};
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "150000 100000\n"}}),
            expected);
}

TEST(Limits, AQuotaBelowOneStillGivesOneCore) {
  Limits expected = nothing_limits();
  expected.quota_cpus = 0.25;
  expected.usable_cores = 1;
  expected.bound_by = "quota";
  expected.placement = {0};
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "25000 100000"}}),
            expected);
}

TEST(Limits, AQuotaThatRoundsUpToEveryCoreStillBinds) {
  Limits expected = nothing_limits();
  expected.quota_cpus = 3.5;
  expected.bound_by = "quota";
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "350000 100000"}}),
            expected);
}

TEST(Limits, AQuotaAboveTheMachineDoesNotBind) {
  Limits expected = nothing_limits();
  expected.quota_cpus = 6.0;
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "600000 100000"}}),
            expected);
}

TEST(Limits, OfNestedGroupsTheSmallestBinds) {
  Limits expected = nothing_limits();
  expected.cpuset_cpus = 4;  // CPUs 2, 3 and their siblings: two cores
  expected.quota_cpus = 1.0;
  expected.memory_limit = Bytes(2 * kGib);
  expected.memory_available = Bytes(1 * kGib);
  expected.memory_bound_by = "cgroup";
  expected.usable_cores = 1;
  expected.bound_by = "quota";
  expected.placement = {2};
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/outer/inner\n"},
                  {"/sys/fs/cgroup/outer/cpu.max", "100000 100000\n"},
                  {"/sys/fs/cgroup/outer/inner/cpu.max", "300000 100000\n"},
                  {"/sys/fs/cgroup/outer/cpuset.cpus.effective", "2-3,6-7\n"},
                  {"/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n"},
                  {"/sys/fs/cgroup/outer/memory.max", "2147483648\n"},
                  {"/sys/fs/cgroup/outer/memory.current", "1073741824\n"},
                  {"/sys/fs/cgroup/outer/inner/memory.max", "4294967296\n"},
                  {"/sys/fs/cgroup/outer/inner/memory.current", "1048576\n"}}),
            expected);
}

TEST(Limits, Version1WithAQuotaACpusetAndMemory) {
  Limits expected = nothing_limits();
  expected.cpuset_cpus = 3;
  expected.quota_cpus = 2.5;
  expected.memory_limit = Bytes(1 * kGib);
  expected.memory_available = Bytes(896 * kMib);  // 512 MiB used, 384 of them droppable files
  expected.memory_bound_by = "cgroup";
  expected.usable_cores = 3;
  expected.bound_by = "quota";
  expected.placement = {1, 2, 3};
  EXPECT_EQ(
      read({{"/proc/self/cgroup",
             "9:name=systemd:/x\n4:memory:/job\n3:cpuset:/job\n"
             "2:cpu,cpuacct:/job\n0::/\n"},
            {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n"},
            {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"},
            {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
            {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
            {"/sys/fs/cgroup/cpuset/job/cpuset.cpus", "1-3\n"},
            {"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n"},
            {"/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "536870912\n"},
            {"/sys/fs/cgroup/memory/job/memory.stat",
             "inactive_file 1\ntotal_inactive_file 402653184\n"},
            {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
            {"/sys/fs/cgroup/cpu.max", "100000 100000\n"}}),  // of version 2: not the controller's
      expected);
}

TEST(Limits, Version1HugeMemoryNumberIsNoLimit) {
  Limits expected = nothing_limits();
  for (const char* unlimited : {"9223372036854771712\n", "9223372036854710272\n"}) {
    EXPECT_EQ(read({{"/proc/self/cgroup", "4:memory:/\n"},
                    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", unlimited},
                    {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n"}}),
              expected);
  }
}

TEST(Limits, AContainerThatCannotSeeItsOwnPathUsesTheRootOfTheMount) {
  Limits expected = nothing_limits();
  expected.quota_cpus = 2.0;
  expected.usable_cores = 2;
  expected.bound_by = "quota";
  expected.placement = {0, 1};
  EXPECT_EQ(read({{"/proc/self/cgroup", "2:cpu,cpuacct:/docker/0123456789\n"},
                  {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
                  {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            expected);
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/../../other\n"},
                  {"/sys/fs/cgroup/../../other/cpu.max", "100000 100000\n"},
                  {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}}),
            expected);
}

TEST(Limits, AnAffinityOfOneCpuGivesThatCpu) {
  Limits expected = nothing_limits();
  expected.affinity = {6};
  expected.usable_cores = 1;
  expected.bound_by = "affinity";
  expected.placement = {6};
  EXPECT_EQ(read({}, {6}), expected);
}

TEST(Limits, BothThreadsOfACoreAreOneCore) {
  Limits expected = nothing_limits();
  expected.affinity = {1, 5, 7};
  expected.usable_cores = 2;
  expected.bound_by = "affinity";
  expected.placement = {1, 7};
  EXPECT_EQ(read({}, {7, 5, 1}), expected);
}

TEST(Limits, AnAffinityThatMirrorsTheCpusetIsNotBlamed) {
  Limits expected = nothing_limits();
  expected.affinity = {0, 1};
  expected.cpuset_cpus = 2;
  expected.usable_cores = 2;
  expected.bound_by = "cpuset";
  expected.placement = {0, 1};
  EXPECT_EQ(
      read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpuset.cpus.effective", "0-1\n"}},
           {0, 1}),
      expected);
}

TEST(Limits, PlacementStaysInsideBothMasks) {
  Limits expected = nothing_limits();
  expected.affinity = {1, 2, 3};
  expected.cpuset_cpus = 2;
  expected.usable_cores = 1;
  expected.bound_by = "affinity";
  expected.placement = {1};
  EXPECT_EQ(
      read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpuset.cpus.effective", "0-1\n"}},
           {1, 2, 3}),
      expected);
}

TEST(Limits, MasksThatShareNothingLeaveTheAffinity) {
  Limits expected = nothing_limits();
  expected.affinity = {2, 3};
  expected.cpuset_cpus = 2;
  expected.usable_cores = 2;
  expected.bound_by = "cpuset";  // two cores each; equal ones are told in this order
  expected.placement = {2, 3};
  EXPECT_EQ(
      read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpuset.cpus.effective", "0-1\n"}},
           {2, 3}),
      expected);
}

TEST(Limits, PlacementFillsNumaNodeAfterNumaNode) {
  Topology interleaved = four_cores();
  interleaved.cores = {{{0}, 0, 0}, {{1}, 1, 1}, {{2}, 0, 0}, {{3}, 1, 1}};
  Limits expected = nothing_limits();
  expected.affinity = {0, 1, 2, 3};
  expected.quota_cpus = 3.0;
  expected.usable_cores = 3;
  expected.bound_by = "quota";
  expected.placement = {0, 2, 1};
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "300000 100000\n"}},
                 {0, 1, 2, 3}, interleaved),
            expected);
}

TEST(Limits, AnUnknownAffinityIsNoLimit) {
  Limits expected = nothing_limits();
  expected.affinity = {};
  EXPECT_EQ(read({}, {}), expected);
}

TEST(Limits, OldKernelsTellOnlyFreeMemory) {
  Limits expected = nothing_limits();
  expected.memory_available = Bytes(3 * kGib);
  EXPECT_EQ(read({{"/proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 3145728 kB\n"}}), expected);
  expected.memory_available = Bytes(16 * kGib);
  EXPECT_EQ(read({{"/proc/meminfo", ""}}), expected);
}

TEST(Limits, GarbageCountsAsAbsent) {
  const auto with = [](const std::string& file, const std::string& text) {
    return read({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/" + file, text}});
  };
  for (const char* text : {"", "\n", "max", "150000", "0 100000", "-5 100000", "150000 0", "1 2 3",
                           "1e5 100000", "99999999999999999999 1", "\xff\xfe", "0x10 0x20"}) {
    EXPECT_EQ(with("cpu.max", text), nothing_limits()) << text;
  }
  for (const char* text : {"", "-", "0-", "3-1", "0-99999999", "zero", "\xff\xfe", "0 1"}) {
    EXPECT_EQ(with("cpuset.cpus.effective", text), nothing_limits()) << text;
  }
  for (const char* text : {"", "max", "0", "-1", "4G", "99999999999999999999", "\xff\xfe"}) {
    EXPECT_EQ(with("memory.max", text), nothing_limits()) << text;
  }
  for (const char* cgroup : {"", "::", "0:", "0::relative\n", "cpu", "\n\n", "4:cpu"}) {
    EXPECT_EQ(read({{"/proc/self/cgroup", cgroup}, {"/sys/fs/cgroup/cpu.max", "100000 100000"}}),
              nothing_limits())
        << cgroup;
  }
}

TEST(Limits, AGarbledInnerCpusetFallsBackToTheOuterOne) {
  Limits expected = nothing_limits();
  expected.cpuset_cpus = 1;
  expected.usable_cores = 1;
  expected.bound_by = "cpuset";
  expected.placement = {3};
  EXPECT_EQ(read({{"/proc/self/cgroup", "3:cpuset:/a\n"},
                  {"/sys/fs/cgroup/cpuset/a/cpuset.cpus", "\n"},
                  {"/sys/fs/cgroup/cpuset/cpuset.cpus", "3\n"}}),
            expected);
}

TEST(Limits, UsageAboveTheLimitLeavesNothing) {
  Limits expected = nothing_limits();
  expected.memory_limit = Bytes(1 * kMib);
  expected.memory_available = Bytes(0);
  expected.memory_bound_by = "cgroup";
  EXPECT_EQ(read({{"/proc/self/cgroup", "0::/\n"},
                  {"/sys/fs/cgroup/memory.max", "1048576\n"},
                  {"/sys/fs/cgroup/memory.current", "2097152\n"}}),
            expected);
}

TEST(Limits, ATopologyWithoutCoresStillGivesOne) {
  const Limits limits = read({}, {0}, Topology());
  EXPECT_EQ(limits.usable_cores, 1);
  EXPECT_EQ(limits.placement, std::vector<int>{});
}

TEST(CpuList, RangesAndSingleNumbers) {
  EXPECT_EQ(parse_cpu_list("0-3,8, 10-11\n"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5,1-2,2"), (std::vector<int>{1, 2, 5}));
  EXPECT_EQ(parse_cpu_list("65535"), std::vector<int>{65535});
  for (const char* bad : {"", "a", "1-", "-1", "2-1", "65536", "1,,2", "1-2-3"}) {
    EXPECT_EQ(parse_cpu_list(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace roofbeam
