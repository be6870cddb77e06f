// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/diff.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

Estimate<double> around(double value, double ratio, int samples = 5) {
  return {value, value / ratio, value * ratio, samples, Method::median};
}

FigureSet set_of(std::vector<Figure> figures) {
  FigureSet set;
  set.figures = std::move(figures);
  return set;
}

Ceiling ceiling(double value, const char* unit) {
  Ceiling made;
  made.unit = unit;
  made.burst = around(value, 1.01);
  return made;
}

MachineProfile machine(const char* key) {
  MachineProfile made{"1.2.3", key, 0, {}};
  DeviceProfile device;
  device.id = "cpu";
  device.ceilings["compute.f32.fma.all"] = ceiling(500, "flop_per_s");
  device.ceilings["compute.bf16.dot.all"] = ceiling(1000, "flop_per_s");
  device.ceilings["bandwidth.dram.read.all"] = ceiling(50, "bytes_per_s");
  device.ceilings["latency.dram"] = ceiling(100e-9, "s");
  made.devices.push_back(device);
  return made;
}

std::vector<std::string> names_of(const std::vector<Difference>& rows) {
  std::vector<std::string> names;
  for (const Difference& row : rows) names.push_back(row.name);
  return names;
}

TEST(Diff, OverlappingIntervalsDoNotDiffer) {
  const Diff found = diff(set_of({{"x", "flop_per_s", around(100, 1.02), ""},
                                  {"y", "flop_per_s", around(100, 1.02), ""}}),
                          set_of({{"x", "flop_per_s", around(103, 1.02), ""},
                                  {"y", "flop_per_s", around(105, 1.02), ""}}));
  ASSERT_EQ(names_of(found.common), (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(found.common[0].differs);
  EXPECT_TRUE(found.common[1].differs);
}

TEST(Diff, TheGainIsAboveOneWhereBIsFasterForRatesAndTimesAlike) {
  const Diff found = diff(
      set_of({{"rate", "flop_per_s", around(100, 1.25), ""}, {"time", "s", around(100, 1.25), ""}}),
      set_of(
          {{"rate", "flop_per_s", around(200, 1.25), ""}, {"time", "s", around(200, 1.25), ""}}));
  ASSERT_EQ(names_of(found.common), (std::vector<std::string>{"time", "rate"}));
  EXPECT_EQ(found.common[0].gain, (Estimate<double>{0.5, 80.0 / 250, 125.0 / 160, 5}));
  EXPECT_EQ(found.common[1].gain, (Estimate<double>{2, 160.0 / 125, 250.0 / 80, 5}));
}

TEST(Diff, OneSampleAloneNeverDiffersAndSaysWhy) {
  const Diff found = diff(set_of({{"x", "s", exactly(1.0), "noise"}}),
                          set_of({{"x", "s", {2, 2, 2, 1, Method::median}, ""}}));
  EXPECT_FALSE(found.common.at(0).differs);
  EXPECT_EQ(found.common.at(0).doubt, "A: noise; one sample alone has no interval");
}

TEST(Diff, WhatOneSideLacksIsNamedWithTheReasonTheOtherGives) {
  FigureSet a = set_of({{"x", "s", exactly(1.0), ""}, {"y", "s", exactly(1.0), ""}});
  FigureSet b = set_of({{"z", "s", exactly(1.0), ""}});
  b.absent["y"] = "no such instruction";
  const Diff found = diff(a, b);
  EXPECT_TRUE(found.common.empty());
  EXPECT_EQ(found.only_a, (std::vector<Diff::Only>{{"x", ""}, {"y", "no such instruction"}}));
  EXPECT_EQ(found.only_b, (std::vector<Diff::Only>{{"z", ""}}));
}

TEST(Diff, ConditionsThatDifferAreNamed) {
  const Diff found = diff(figures_of(machine("cpu=One; quota=0; kernel=6.1")),
                          figures_of(machine("cpu=One; quota=1.5; affinity=0,1; kernel=6.1")));
  EXPECT_EQ(found.conditions,
            (std::vector<Diff::Condition>{{"affinity", "", "0,1"}, {"quota", "none", "1.5"}}));
}

TEST(Diff, AProfileGivesItsBurstsAndWhatWasMeasuredOverASecond) {
  MachineProfile made = machine("cpu=One");
  auto& ceilings = made.devices[0].ceilings;
  ceilings["compute.f32.fma.all"].sustained = around(480, 1.02);
  ceilings["compute.bf16.dot.all"].sustained = around(960, 1.02);
  ceilings["compute.bf16.dot.all"].sustained_provenance = "inferred";
  ceilings["compute.bf16.dot.all"].standing = Standing::degraded;
  ceilings["compute.bf16.dot.all"].reason = "a neighbour";
  ceilings["latency.dram"].standing = Standing::invalid;
  ceilings["latency.dram"].reason = "it was wrong";
  const FigureSet set = figures_of(made);
  EXPECT_EQ(set.figures,
            (std::vector<Figure>{
                {"bandwidth.dram.read.all", "bytes_per_s", around(50, 1.01), ""},
                {"compute.bf16.dot.all", "flop_per_s", around(1000, 1.01), "a neighbour"},
                {"compute.f32.fma.all", "flop_per_s", around(500, 1.01), ""},
                {"compute.f32.fma.all sustained", "flop_per_s", around(480, 1.02), ""}}));
  EXPECT_EQ(set.absent, (std::map<std::string, std::string>{{"latency.dram", "it was wrong"}}));
}

TEST(Diff, SeveralDevicesKeepTheirNames) {
  MachineProfile made = machine("cpu=One");
  made.devices.push_back(made.devices.front());
  made.devices.back().id = "cuda:0";
  const FigureSet set = figures_of(made);
  EXPECT_EQ(set.figures.size(), 8U);
  EXPECT_NE(set.find("cuda:0 latency.dram"), nullptr);
  EXPECT_EQ(set.find("latency.dram"), nullptr);
}

TEST(Diff, ADataSheetTakesTheNamesOfWhatItStandsBeside) {
  KnownDevice sheet;
  sheet.kind = "gpu";
  sheet.rates = {{"f32.vector", FlopRate(6000)},
                 {"f32.matrix", FlopRate(9000)},
                 {"bf16.matrix", FlopRate(90000)},
                 {"fp8.matrix", FlopRate(180000)}};
  sheet.bandwidth = ByteRate(3000);
  const Diff found =
      diff(figures_of(machine("cpu=One")), figures_of(sheet, figures_of(machine("cpu=One"))));
  EXPECT_EQ(names_of(found.common),
            (std::vector<std::string>{"compute.f32.fma.all", "bandwidth.dram.read.all",
                                      "compute.bf16.dot.all"}));
  EXPECT_EQ(found.common[0].gain.value, 12) << "the vector rate, and not the matrix units'";
  EXPECT_EQ(found.only_a, (std::vector<Diff::Only>{{"latency.dram", ""}}));
  EXPECT_EQ(found.only_b, (std::vector<Diff::Only>{{"compute.fp8.matrix.all", ""}}));
  EXPECT_EQ(figures_of(sheet, figures_of(machine("cpu=One"))).figures.size(), 4U);
}

Difference gain(const char* name, double low, double high, int samples = 5) {
  Difference made;
  made.name = name;
  made.a = made.b = around(1, 1.01, samples);
  made.gain = {(low + high) / 2, low, high, samples, Method::predicted};
  return made;
}

TEST(Threshold, IsMissedOnlyWhereAWholeIntervalLiesBelow) {
  const Threshold missed =
      hold_against({gain("wide", 0.7, 1.2), gain("low", 0.8, 0.94), gain("good", 1, 1.1)}, 0.95);
  EXPECT_EQ(missed.met, false);
  EXPECT_EQ(missed.worst, "low");
  EXPECT_EQ(hold_against({gain("low", 0.8, 0.95)}, 0.95).met, std::nullopt);
}

TEST(Threshold, CannotBeToldWhereAnIntervalStraddlesIt) {
  const Threshold held = hold_against({gain("wide", 0.7, 1.2), gain("good", 1, 1.1)}, 0.95);
  EXPECT_EQ(held.met, std::nullopt);
  EXPECT_EQ(held.worst, "wide");
  EXPECT_EQ(hold_against({gain("alone", 1, 1, 1)}, 0.95).met, std::nullopt);
  EXPECT_EQ(hold_against({gain("alone", 0.5, 0.5, 1)}, 0.95).met, std::nullopt);
}

TEST(Threshold, IsMetWhereEveryIntervalLiesAbove) {
  const Threshold held = hold_against({gain("good", 1, 1.1), gain("least", 0.95, 1.2)}, 0.95);
  EXPECT_EQ(held.met, true);
  EXPECT_EQ(held.worst, "least");
  EXPECT_EQ(hold_against({}, 0.95), (Threshold{0.95, std::nullopt, "", {}}));
}

}  // namespace
}  // namespace roofbeam
