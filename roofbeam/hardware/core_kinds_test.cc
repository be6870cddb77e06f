// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/core_kinds.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofbeam {
namespace {

// One core a CPU, from 0 on.
Topology cores(int count) {
  Topology topology;
  for (int cpu = 0; cpu < count; ++cpu) topology.cores.push_back({{cpu}, 0, 0});
  return topology;
}

KindStatement typed(std::vector<int> cpus, std::string type, double max_mhz) {
  return {std::move(cpus), std::move(type), 0, 1024, std::nullopt, Hertz(max_mhz * 1e6)};
}

KindStatement ranked(std::vector<int> cpus, std::optional<double> efficiency,
                     std::optional<double> capacity, std::optional<double> max_mhz) {
  KindStatement made{std::move(cpus), "", efficiency, capacity, std::nullopt, std::nullopt};
  if (max_mhz) made.clock_max = Hertz(*max_mhz * 1e6);
  return made;
}

// The names of the kinds of the cores, in the order of the cores.
std::vector<std::string> kinds_of(int count, std::vector<KindStatement> statements) {
  Topology topology = cores(count);
  set_kinds(topology, std::move(statements));
  std::vector<std::string> names;
  for (const Core& core : topology.cores) names.push_back(core.kind);
  return names;
}

using Names = std::vector<std::string>;

TEST(CoreKinds, TypesNameThemWhateverElseIsStated) {
  Topology topology = cores(3);
  topology.cores[0].pus = {0, 3};
  set_kinds(topology, {typed({1, 2}, "IntelAtom", 5500), typed({0, 3}, "IntelCore", 5200)});
  EXPECT_EQ(topology.kinds, (std::vector<CoreKind>{{"performance", 1, {}, Hertz(5.2e9)},
                                                   {"efficient", 2, {}, Hertz(5.5e9)}}));
  EXPECT_EQ(topology.cores[0].kind, "performance");
  EXPECT_EQ(topology.cores[2].kind, "efficient");
}

TEST(CoreKinds, SlowAtomsAndLowPowerOnesAreAKindOfTheirOwn) {
  EXPECT_EQ(kinds_of(4, {typed({2}, "IntelAtom", 2500), typed({1}, "IntelAtom", 3800),
                         typed({0}, "IntelCore", 5100), typed({3}, "IntelLowPower", 3800)}),
            (Names{"performance", "efficient", "low-power", "low-power"}));
}

TEST(CoreKinds, FavouredCoresOfOneTypeAreOneKindWithTheHigherClock) {
  Topology topology = cores(3);
  set_kinds(topology, {typed({2}, "IntelAtom", 3900), typed({0}, "IntelCore", 5200),
                       typed({1}, "IntelCore", 4600)});
  EXPECT_EQ(topology.kinds, (std::vector<CoreKind>{{"performance", 2, {}, Hertz(5.2e9)},
                                                   {"efficient", 1, {}, Hertz(3.9e9)}}));
}

TEST(CoreKinds, ThreeCapacitiesGiveThreeKinds) {
  EXPECT_EQ(kinds_of(4, {ranked({0, 1}, 325, 325, 2000), ranked({2}, 850, 850, 2800),
                         ranked({3}, 1024, 1024, 3200)}),
            (Names{"efficient", "efficient", "middle", "performance"}));
}

TEST(CoreKinds, TheFirstFigureInWhichTheyDifferRanksThem) {
  // Efficiency and capacity are equal, as Linux states them on x86; the clock is not.
  EXPECT_EQ(kinds_of(2, {ranked({0}, 0, 1024, 3300), ranked({1}, 0, 1024, 5100)}),
            (Names{"efficient", "performance"}));
  // Small ranks are ranks: 0 and 1, without anything else.
  EXPECT_EQ(kinds_of(2, {ranked({0}, 0, {}, {}), ranked({1}, 1, {}, {})}),
            (Names{"efficient", "performance"}));
  // A capacity outranks a clock that points the other way.
  EXPECT_EQ(kinds_of(2, {ranked({0}, {}, 718, 4000), ranked({1}, {}, 1024, 3000)}),
            (Names{"efficient", "performance"}));
}

TEST(CoreKinds, ASmallDifferenceIsNone) {
  Topology topology = cores(2);
  set_kinds(topology, {ranked({0}, {}, {}, 4700), ranked({1}, {}, {}, 4500)});
  EXPECT_EQ(topology.kinds, (std::vector<CoreKind>{{"", 2, {}, Hertz(4.7e9)}}));
  EXPECT_FALSE(topology.hybrid());
  EXPECT_EQ(topology.cores, cores(2).cores);
}

TEST(CoreKinds, BaseClocksMakeNoKinds) {
  Topology topology = cores(2);
  KindStatement fast = ranked({0}, {}, {}, 3900);
  KindStatement slow = ranked({1}, {}, {}, 3900);
  fast.clock_base = Hertz(2.8e9);
  slow.clock_base = Hertz(2.1e9);
  set_kinds(topology, {slow, fast});
  EXPECT_EQ(topology.kinds, (std::vector<CoreKind>{{"", 2, Hertz(2.8e9), Hertz(3.9e9)}}));
}

TEST(CoreKinds, AlikeCoresWithoutClocksHaveNoKinds) {
  Topology topology = cores(2);
  set_kinds(topology, {ranked({0, 1}, 0, 1024, {})});
  EXPECT_EQ(topology, cores(2));
  set_kinds(topology, {typed({0, 1}, "IntelAtom", 3400)});
  EXPECT_EQ(topology.kinds, (std::vector<CoreKind>{{"", 2, {}, Hertz(3.4e9)}}));
}

TEST(CoreKinds, StatementsThatLeaveOutACoreSayNothing) {
  for (const auto& statements :
       {std::vector<KindStatement>{},
        std::vector<KindStatement>{typed({0}, "IntelCore", 5000), typed({1}, "IntelAtom", 4000)},
        std::vector<KindStatement>{typed({9}, "IntelCore", 5000)},
        std::vector<KindStatement>(5000, typed({0, 1, 2}, "IntelCore", 5000))}) {
    Topology topology = cores(3);
    set_kinds(topology, statements);
    EXPECT_EQ(topology, cores(3));
  }
}

TEST(CoreKinds, AnUnknownTypeLeavesTheRanking) {
  EXPECT_EQ(kinds_of(2, {typed({0}, "Other", 2000), typed({1}, "IntelCore", 4000)}),
            (Names{"efficient", "performance"}));
}

TEST(CpuMask, WordsAreRightmostFirstAndEmptyOnesZero) {
  EXPECT_EQ(parse_cpu_mask("0x000fffff").value().size(), 20U);
  EXPECT_EQ(parse_cpu_mask("0x00000010,,,0x00000001"), (std::vector<int>{0, 100}));
  EXPECT_EQ(parse_cpu_mask("0x80000000,0x80000000"), (std::vector<int>{31, 63}));
  EXPECT_EQ(parse_cpu_mask("0x1,"), std::vector<int>{32});
  for (const char* bad : {"", ",", "0x", "0x0", "3", "0xg", "0x100000000", "0xf...f", "0x1 0x1",
                          "-0x1", "0x-1", "\xff"}) {
    EXPECT_EQ(parse_cpu_mask(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_cpu_mask("0x1" + std::string(2047, ',')), std::vector<int>{65504});
  EXPECT_EQ(parse_cpu_mask("0x1" + std::string(2048, ',')), std::nullopt);
}

}  // namespace
}  // namespace roofbeam
