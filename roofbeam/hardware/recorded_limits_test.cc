// SPDX-License-Identifier: Apache-2.0
// What recorded machines say once a limit is put on them.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/hardware/box.h"
#include "roofbeam/hardware/limits.h"
#include "roofbeam/hardware/system.h"

namespace roofbeam {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

using Files = std::map<std::string, std::string>;

Recording recording(const std::string& name) {
  return read_recording(std::string(ROOFBEAM_SOURCE_DIR) + "/data/machines/" + name).value();
}

// With `cpus` as affinity and `files` in place of its own of the same names.
Box box_of(const std::string& name, const std::string& cpus, const Files& files = {}) {
  Recording changed = recording(name);
  changed.affinity = parse_cpu_list(cpus).value();
  for (const auto& [path, text] : files) changed.files[path] = text;
  return read_box(RecordedSystem(std::move(changed))).value();
}

std::vector<int> list(const std::string& cpus) {
  return parse_cpu_list(cpus).value();
}

TEST(HybridLimits, PerformanceCoresComeFirstAndEachCoreOnce) {
  const Box box = box_of("hybrid-laptop", "0-19");
  EXPECT_EQ(box.limits.usable_cores, 14);
  EXPECT_EQ(box.limits.bound_by, "cores");
  EXPECT_EQ(box.limits.placement,
            (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_EQ(box.usable_kinds(), box.topology.kinds);
}

// As some phones and boards number them.
TEST(HybridLimits, PerformanceCoresComeFirstWhereTheyAreNumberedLast) {
  Topology topology;
  topology.cores = {{{0}, 0, 0, "efficient"},
                    {{1}, 0, 1, "performance"},
                    {{2}, 0, 0, "middle"},
                    {{3}, 0, 0, "performance"}};
  topology.kinds = {{"performance", 2, {}, {}}, {"middle", 1, {}, {}}, {"efficient", 1, {}, {}}};
  Recording changed;
  changed.topology = topology;
  EXPECT_EQ(read_limits(RecordedSystem(changed), topology).placement,
            (std::vector<int>{3, 1, 2, 0}));
}

TEST(HybridLimits, OnEfficientCoresAlone) {
  const Box box = box_of("hybrid-laptop", "12-19");
  EXPECT_EQ(box.limits.usable_cores, 8);
  EXPECT_EQ(box.limits.bound_by, "affinity");
  EXPECT_EQ(box.limits.placement, list("12-19"));
  EXPECT_EQ(box.usable_kinds(),
            (std::vector<CoreKind>{{"efficient", 8, Hertz(1.4e9), Hertz(3.9e9)}}));
}

TEST(HybridLimits, OnOneSiblingThatIsNotTheFirst) {
  const Box box = box_of("hybrid-laptop", "3");
  EXPECT_EQ(box.limits.usable_cores, 1);
  EXPECT_EQ(box.limits.bound_by, "affinity");
  EXPECT_EQ(box.limits.placement, list("3"));
  EXPECT_EQ(box.usable_kinds(),
            (std::vector<CoreKind>{{"performance", 1, Hertz(1.9e9), Hertz(5.2e9)}}));
}

TEST(HybridLimits, SiblingsAndEfficientCoresMixed) {
  const Box box = box_of("hybrid-laptop", "1,3,12,16,2");
  EXPECT_EQ(box.limits.usable_cores, 4);
  EXPECT_EQ(box.limits.placement, (std::vector<int>{1, 2, 12, 16}));
}

TEST(HybridLimits, AQuotaGoesToPerformanceCores) {
  const Box box =
      box_of("hybrid-laptop", "0-19", {{"/sys/fs/cgroup/group1/cpu.max", "250000 100000\n"}});
  EXPECT_EQ(box.limits.usable_cores, 3);
  EXPECT_EQ(box.limits.bound_by, "quota");
  EXPECT_EQ(box.limits.placement, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(box.usable_kinds(),
            (std::vector<CoreKind>{{"performance", 3, Hertz(1.9e9), Hertz(5.2e9)}}));
}

TEST(HybridLimits, ACpusetOfEfficientCoresOutsideTheAffinity) {
  const Box box =
      box_of("hybrid-laptop", "0-3",
             {{"/sys/fs/cgroup/group1/group2/group3/cpuset.cpus.effective", "12-19\n"}});
  EXPECT_EQ(box.limits.cpuset_cpus, 8);
  EXPECT_EQ(box.limits.usable_cores, 2);
  EXPECT_EQ(box.limits.bound_by, "affinity");
  EXPECT_EQ(box.limits.placement, (std::vector<int>{0, 2}));
}

// Which of quota and cpuset binds, in either version of cgroups.
struct Bound {
  int usable;
  std::string by;

  bool operator==(const Bound&) const = default;
};
void PrintTo(const Bound& bound, std::ostream* out) {
  *out << bound.usable << " by " << bound.by;
}

Bound bound(const std::string& quota, const std::string& cpuset, int version) {
  Files files;
  if (version == 2) {
    files = {{"/proc/self/cgroup", "0::/pod/box\n"},
             {"/sys/fs/cgroup/pod/cpu.max", quota + " 100000\n"},
             {"/sys/fs/cgroup/pod/box/cpu.max", "max 100000\n"},
             {"/sys/fs/cgroup/pod/box/cpuset.cpus.effective", cpuset + "\n"}};
  } else {
    files = {{"/proc/self/cgroup", "3:cpuset:/pod/box\n2:cpu,cpuacct:/pod/box\n0::/\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us", quota + "\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/pod/box/cpu.cfs_quota_us", "-1\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/pod/box/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/cpuset/pod/box/cpuset.cpus", cpuset + "\n"}};
  }
  const Limits limits = box_of("aarch64-server", "0-63", files).limits;
  return {limits.usable_cores, limits.bound_by};
}

TEST(ServerLimits, TheSmallerOfQuotaAndCpusetBinds) {
  for (const int version : {1, 2}) {
    SCOPED_TRACE(version);
    EXPECT_EQ(bound("800000", "0-15", version), (Bound{8, "quota"}));
    EXPECT_EQ(bound("1600000", "0-7", version), (Bound{8, "cpuset"}));
    EXPECT_EQ(bound("750000", "0-7", version), (Bound{8, "quota"}));
    EXPECT_EQ(bound("800000", "0-7", version), (Bound{8, "cpuset"}));
    EXPECT_EQ(bound("9900000", "0-63", version), (Bound{64, "cores"}));
    EXPECT_EQ(bound(version == 1 ? "-1" : "max", "5", version), (Bound{1, "cpuset"}));
  }
}

struct Memory {
  double available;
  std::string by;
  std::optional<double> limit;

  bool operator==(const Memory&) const = default;
};
void PrintTo(const Memory& memory, std::ostream* out) {
  *out << memory.available << " by " << memory.by << ", limit " << memory.limit.value_or(-1);
}

constexpr double kMachine = 127926272 * 1024.0;  // MemAvailable

Memory memory(const std::string& parent, const std::string& own, int version,
              const std::string& used = "1073741824") {
  Files files;
  if (version == 2) {
    files = {{"/proc/self/cgroup", "0::/pod/box\n"},
             {"/sys/fs/cgroup/pod/memory.max", parent + "\n"},
             {"/sys/fs/cgroup/pod/memory.current", used + "\n"},
             {"/sys/fs/cgroup/pod/memory.swap.max", "1073741824\n"},
             {"/sys/fs/cgroup/pod/box/memory.max", own + "\n"},
             {"/sys/fs/cgroup/pod/box/memory.current", "0\n"}};
  } else {
    files = {{"/proc/self/cgroup", "3:memory:/pod/box\n0::/\n"},
             {"/sys/fs/cgroup/memory/pod/memory.limit_in_bytes", parent + "\n"},
             {"/sys/fs/cgroup/memory/pod/memory.usage_in_bytes", used + "\n"},
             {"/sys/fs/cgroup/memory/pod/memory.memsw.limit_in_bytes", "1073741824\n"},
             {"/sys/fs/cgroup/memory/pod/box/memory.limit_in_bytes", own + "\n"},
             {"/sys/fs/cgroup/memory/pod/box/memory.usage_in_bytes", "0\n"}};
  }
  const Limits limits = box_of("aarch64-server", "0-63", files).limits;
  return {limits.memory_available.value(), limits.memory_bound_by,
          limits.memory_limit ? std::optional(limits.memory_limit->value()) : std::nullopt};
}

TEST(ServerLimits, TheGroupWithTheLeastLeftBindsMemory) {
  const std::string two = "2147483648", four = "4294967296", huge = "274877906944";
  for (const int version : {1, 2}) {
    SCOPED_TRACE(version);
    const std::string none = version == 2 ? "max" : "9223372036854771712";
    EXPECT_EQ(memory(none, none, version), (Memory{kMachine, "machine", {}}));
    EXPECT_EQ(memory(none, two, version), (Memory{2 * kGib, "cgroup", 2 * kGib}));
    EXPECT_EQ(memory(two, four, version), (Memory{1 * kGib, "cgroup", 2 * kGib}));
    EXPECT_EQ(memory(four, two, version), (Memory{2 * kGib, "cgroup", 2 * kGib}));
    // The parent's limit is the larger, but others in it have used most of it.
    EXPECT_EQ(memory(four, two, version, "3758096384"), (Memory{0.5 * kGib, "cgroup", 2 * kGib}));
    EXPECT_EQ(memory(huge, none, version), (Memory{kMachine, "machine", 256 * kGib}));
  }
}

TEST(ServerLimits, SwapIsNotCounted) {
  const Box box = box_of("aarch64-server", "0-63",
                         {{"/proc/meminfo",
                           "MemTotal: 132120576 kB\nSwapTotal: 67108864 kB\nSwapFree: 67108864 kB\n"
                           "SwapCached: 1 kB\nMemAvailable: 1048576 kB\n"}});
  EXPECT_EQ(box.limits.memory_available, Bytes(kGib));
  EXPECT_EQ(box.topology.memory, Bytes(135291469824));
}

TEST(ServerLimits, TheArmServerAsRecorded) {
  const Box box = box_of("aarch64-server", "0-63");
  EXPECT_EQ(box.topology.cpu_name, "CPU of implementer 0x41, part 0xd40");
  EXPECT_EQ(box.topology.architecture, "aarch64");
  EXPECT_EQ(box.features,
            (std::vector<std::string>{"asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve"}));
  EXPECT_EQ(box.limits.placement, list("0-63"));
  EXPECT_EQ(box.limits.bound_by, "cores");
  EXPECT_EQ(box.notes, std::vector<std::string>{});
}

// --- What cannot be read is said. ---

// A machine where hwloc finds nothing.
class Blind : public RecordedSystem {
 public:
  Blind(std::vector<int> affinity, Files files = {})
      : RecordedSystem({"x86_64", std::move(affinity), {}, std::move(files), {}}) {}
  Result<Topology> topology() const override { return failed("hwloc found nothing"); }
};

const char* const kNoCores =
    "the system does not show which hardware threads share a core: each counts as one";
const char* const kNoCgroup =
    "/proc/self/cgroup cannot be read: of cgroup limits only those at the root of /sys/fs/cgroup "
    "are known";
const char* const kNoCgroupFiles =
    "no cgroup can be read in /sys/fs/cgroup: a quota, a cpuset and a memory limit of it are "
    "unknown";
const char* const kNoMeminfo =
    "/proc/meminfo cannot be read: memory in use by others is counted as available";

TEST(Unreadable, WithoutProcAndSysEveryAllowedCpuIsACore) {
  const Box box = read_box(Blind({2, 5})).value();
  EXPECT_EQ(box.topology.cores, (std::vector<Core>{{{2}, 0, 0}, {{5}, 0, 0}}));
  EXPECT_EQ(box.limits.placement, (std::vector<int>{2, 5}));
  EXPECT_EQ(box.limits.usable_cores, 2);
  EXPECT_EQ(box.notes,
            (std::vector<std::string>{"hwloc found nothing", kNoCores, "the system shows no caches",
                                      kNoCgroup, kNoMeminfo}));
}

TEST(Unreadable, WithoutSysMemoryAndNameStillComeFromProc) {
  Files files = {{"/proc/self/cgroup", "0::/pod\n"},
                 {"/proc/cpuinfo", "model name : Some CPU\n"},
                 {"/proc/meminfo", "MemTotal: 2048 kB\nMemFree: 1024 kB\n"}};
  const Box box = read_box(Blind({0}, files)).value();
  EXPECT_EQ(box.topology.cpu_name, "Some CPU");
  EXPECT_EQ(box.topology.memory, Bytes(2048 * 1024.0));
  EXPECT_EQ(box.limits.memory_available, Bytes(1024 * 1024.0));
  std::vector<std::string> expected = {"hwloc found nothing", kNoCores,
                                       "the system shows no caches", kNoCgroupFiles};
  EXPECT_EQ(box.notes, expected);
  expected.pop_back();  // a group without limits is seen, and one that is in none misses nothing
  files["/sys/fs/cgroup/pod/cgroup.procs"] = "1\n";
  EXPECT_EQ(read_box(Blind({0}, files)).value().notes, expected);
  EXPECT_EQ(read_box(Blind({0}, {{"/proc/self/cgroup", ""}, {"/proc/meminfo", ""}})).value().notes,
            expected);
}

// Neither hwloc nor /proc tells it, but the kernel does.
TEST(Unreadable, WithoutProcAndSysTheKernelTellsTheMemory) {
  class Told : public Blind {
   public:
    using Blind::Blind;
    Bytes memory() const override { return Bytes(4096); }
  };
  const Box box = read_box(Told({0})).value();
  EXPECT_EQ(box.topology.memory, Bytes(4096));
  EXPECT_EQ(box.limits.memory_available, Bytes(4096));
  EXPECT_GT(ThisSystem().memory(), Bytes(1 << 20));
}

TEST(Unreadable, WithoutProcTheLimitsAtTheRootOfTheMountCount) {
  for (const bool unified : {false, true}) {
    Recording changed = recording("aarch64-server");
    changed.files = {{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
                     {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}};
    if (unified) {
      changed.files = {{"/sys/fs/cgroup/cgroup.controllers", "cpu memory\n"},
                       {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}};
    }
    const Box box = read_box(RecordedSystem(changed)).value();
    EXPECT_EQ(box.limits.quota_cpus, 2.0) << unified;
    EXPECT_EQ(box.limits.memory_available, Bytes(135291469824));
    EXPECT_EQ(box.notes, (std::vector<std::string>{kNoCgroup, kNoMeminfo}));
  }
}

TEST(Unreadable, WithoutAnythingThereIsNoMachine) {
  EXPECT_EQ(read_box(Blind({})).error().what, "hwloc found nothing");
}

TEST(Unreadable, AnUnknownAffinityIsSaid) {
  Recording changed = recording("aarch64-server");
  changed.affinity = {};
  EXPECT_EQ(
      read_box(RecordedSystem(changed)).value().notes,
      (std::vector<std::string>{"the affinity mask cannot be read: every CPU counts as allowed"}));
}

}  // namespace
}  // namespace roofbeam
