// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "roofbeam/base/file.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Ceiling ceiling(const char* unit, double value, double half = 0.01) {
  Ceiling made;
  made.unit = unit;
  made.burst = {value, value * (1 - half), value * (1 + half), 5, Method::best};
  return made;
}

DeviceProfile device() {
  DeviceProfile made;
  made.id = "cpu";
  made.kind = "cpu";
  made.name = "Test CPU";
  made.cores_usable = made.affinity_cpus = 2;
  made.ceilings["compute.f32.fma.core"] = ceiling("flop_per_s", 250e9);
  made.ceilings["compute.f32.fma.all"] = ceiling("flop_per_s", 500e9);
  made.ceilings["bandwidth.dram.read.all"] = ceiling("bytes_per_s", 50e9);
  return made;
}

std::string shown(const DeviceProfile& profile) {
  MachineAnswer answer;
  answer.profile.devices = {profile};
  answer.headlines = {headline_of(profile)};
  answer.not_saved = "this is a test";
  TerminalStyle style;
  style.unicode = false;
  return to_terminal(document(answer), style);
}

// The tables of a device, each as rows of cells with the titles first.
std::vector<std::vector<std::vector<std::string>>> tables(const DeviceProfile& profile) {
  Document made;
  add_ceilings(made, profile);
  std::vector<std::vector<std::vector<std::string>>> found;
  for (const Block& block : made.blocks) {
    const Table* table = std::get_if<Table>(&block);
    if (table == nullptr) continue;
    std::vector<std::string> titles;
    for (const auto& column : table->columns) titles.push_back(column.title);
    found.push_back({titles});
    for (const auto& row : table->rows) found.back().push_back(row);
  }
  return found;
}

using Rows = std::vector<std::vector<std::string>>;

TEST(MachineReport, BeginsWithWhatTheMachineCanDoAndWhatItsRidgeMeans) {
  DeviceProfile made = device();
  made.ceilings["compute.bf16.dot.all"] = ceiling("flop_per_s", 1000e9);
  MachineAnswer answer;
  answer.profile.devices = {made};
  answer.headlines = {headline_of(made)};
  const Document page = document(answer);
  EXPECT_EQ(std::get<Paragraph>(page.blocks.at(1)).text,
            "500 GFLOP/s in f32, 1 TFLOP/s in bf16, 50 GB/s from DRAM. Work in f32 that does "
            "fewer than 10 (20 in bf16) flop for each byte it moves is held back by memory, the "
            "rest by arithmetic.");
}

TEST(MachineReport, SaysSoWhereNothingWellKnownWasMeasured) {
  DeviceProfile made = device();
  made.ceilings.clear();
  EXPECT_NE(shown(made).find("None of the ceilings a machine is known by was measured."),
            std::string::npos);
}

TEST(MachineTables, ArithmeticIsTakenApart) {
  DeviceProfile made = device();
  made.ceilings.erase("bandwidth.dram.read.all");
  made.ceilings["compute.f32.fma.all"].cycle = Cycle{exactly(63.8), exactly(Hertz(3.918e9)), 2};
  made.ceilings["compute.f32.add.all"] = ceiling("flop_per_s", 125e9);
  made.ceilings["compute.f32.add.all"].cycle = Cycle{exactly(15.5), exactly(Hertz(4e9)), 2};
  EXPECT_EQ(
      tables(made),
      (std::vector<Rows>{
          {{"arithmetic", "one core", "2 cores", "95 % of runs", "flop/cycle x clock x cores"},
           {"f32 fma", "250 GFLOP/s", "500 GFLOP/s", "± 1.0 %", "64 x 3.92 GHz x 2"},
           {"f32 add", "-", "125 GFLOP/s", "± 1.0 %", "15.5 x 4 GHz x 2"}}}));
}

TEST(MachineTables, MemoriesStandFromTheInnermostOutwards) {
  DeviceProfile made = device();
  made.ceilings.clear();
  made.ceilings["bandwidth.dram.write.all"] = ceiling("bytes_per_s", 20e9);
  made.ceilings["bandwidth.dram.write.all"].if_write_allocated =
      Estimate<double>{40e9, 39e9, 41e9, 5, Method::best};
  made.ceilings["bandwidth.dram.read.all"] = ceiling("bytes_per_s", 50e9);
  made.ceilings["bandwidth.dram.write_nt.all"] = ceiling("bytes_per_s", 60e9);
  made.ceilings["bandwidth.l2.read.all"] = ceiling("bytes_per_s", 500e9, 0.03);
  EXPECT_EQ(tables(made),
            (std::vector<Rows>{{{"memory", "2 cores", "95 % of runs", "if write-allocated"},
                                {"l2 read", "500 GB/s", "± 3.0 %", "-"},
                                {"dram read", "50 GB/s", "± 1.0 %", "-"},
                                {"dram write", "20 GB/s", "± 1.0 %", "40 GB/s"},
                                {"dram write_nt", "60 GB/s", "± 1.0 %", "-"}}}));
}

TEST(MachineTables, OneCoreAloneIsToldOnce) {
  DeviceProfile made = device();
  made.cores_usable = 1;
  EXPECT_EQ(tables(made)[0][0],
            (std::vector<std::string>{"arithmetic", "one core", "95 % of runs"}));
}

TEST(MachineTables, ProductsStandBesideTheCeilingTheyCanUse) {
  DeviceProfile made = device();
  made.ceilings.erase("compute.f32.fma.core");
  made.ceilings.erase("bandwidth.dram.read.all");
  made.ceilings["compute.bf16.dot.all"] = ceiling("flop_per_s", 1000e9);
  made.ceilings["compute.bf16.fma.all"] = ceiling("flop_per_s", 500e9);
  for (const auto& [name, rate] : {std::pair{"gemm.f32.all", 450e9},
                                   {"gemm.bf16.all", 900e9},
                                   {"gemm.int8.all", 1e12},
                                   {"gemm.f64.all", 200e9}}) {
    made.ceilings[name] = ceiling("flop_per_s", rate);
    made.ceilings[name].variant = "onednn";
  }
  EXPECT_EQ(tables(made).at(1),
            (Rows{{"matrix product", "2 cores", "95 % of runs", "library", "share"},
                  {"f64", "200 GFLOP/s", "± 1.0 %", "onednn", "-"},
                  {"f32", "450 GFLOP/s", "± 1.0 %", "onednn", "90 % of f32 fma"},
                  {"bf16", "900 GFLOP/s", "± 1.0 %", "onednn", "90 % of bf16 dot"},
                  {"int8", "1 TFLOP/s", "± 1.0 %", "onednn", "-"}}));
}

TEST(MachineTables, LatencyStandsAloneAndUnderLoad) {
  DeviceProfile made = device();
  made.ceilings.clear();
  made.ceilings["latency.l1"] = ceiling("s", 1e-9);
  made.ceilings["latency.dram"] = ceiling("s", 100e-9);
  EXPECT_EQ(tables(made), (std::vector<Rows>{{{"latency", "alone", "95 % of runs"},
                                              {"l1", "1 ns", "± 1.0 %"},
                                              {"dram", "100 ns", "± 1.0 %"}}}));
  made.ceilings["latency.dram_loaded"] = ceiling("s", 150e-9, 0.02);
  EXPECT_EQ(tables(made).at(0),
            (Rows{{"latency", "alone", "95 % of runs", "while others read", "95 % of runs"},
                  {"l1", "1 ns", "± 1.0 %", "-", "-"},
                  {"dram", "100 ns", "± 1.0 %", "150 ns", "± 2.0 %"}}));
}

TEST(MachineTables, SustainedIsToldWhereItDiffers) {
  DeviceProfile made = device();
  auto sustained = [&](const char* name, double share, const char* provenance) {
    Ceiling& one = made.ceilings[name];
    one.sustained = scale(one.burst, share);
    one.sustained_provenance = provenance;
  };
  sustained("compute.f32.fma.all", 0.985, "measured");
  EXPECT_NE(shown(made).find("Sustained over a second they lie within 2 % of this."),
            std::string::npos);
  sustained("compute.f32.fma.core", 0.5, "inferred");
  sustained("bandwidth.dram.read.all", 0.8, "measured");
  EXPECT_EQ(tables(made).back(),
            (Rows{{"over a second", "burst", "sustained", "95 % of runs", "share"},
                  {"bandwidth.dram.read.all", "50 GB/s", "40 GB/s", "± 1.0 %", "80 %"}}));
}

TEST(MachineTables, NothingIsDropped) {
  DeviceProfile made = device();
  made.ceilings["bandwidth.dram.read.numa0-numa1"] = ceiling("bytes_per_s", 30e9);
  made.ceilings["compute.f32.fma.ecore"] = ceiling("flop_per_s", 100e9);
  made.ceilings["transfer.h2d.pinned"] = ceiling("bytes_per_s", 20e9);
  made.ceilings["overhead.wake"] = ceiling("s", 30e-6);
  EXPECT_EQ(tables(made).back(), (Rows{{"other ceilings", "value", "95 % of runs"},
                                       {"bandwidth.dram.read.numa0-numa1", "30 GB/s", "± 1.0 %"},
                                       {"compute.f32.fma.ecore", "100 GFLOP/s", "± 1.0 %"},
                                       {"transfer.h2d.pinned", "20 GB/s", "± 1.0 %"}}));
}

TEST(MachineTables, WhatIsAbsentStandsWithItsReason) {
  DeviceProfile made = device();
  made.absent = {{"a", "no such unit"}, {"b", "no such unit"}, {"c", "no memory"}};
  EXPECT_EQ(tables(made).back(),
            (Rows{{"not measured", "why"}, {"c", "no memory"}, {"a, b", "no such unit"}}));
}

TEST(RoofChart, EveryMemoryIsASlopeUnderTheHighestLine) {
  DeviceProfile made = device();
  made.ceilings["bandwidth.l1.read.all"] = ceiling("bytes_per_s", 1000e9);
  made.ceilings["compute.int8.dot.all"] = ceiling("flop_per_s", 2000e9);
  const Chart chart = roof_chart(made);
  std::vector<std::string> names;
  for (const auto& series : chart.series) names.push_back(series.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dram 50 GB/s", "f32 fma 500 GFLOP/s", "l1 1 TB/s",
                                             "int8 dot 2 TFLOP/s"}));
  for (const auto& series : chart.series) {
    ASSERT_EQ(series.points.size(), 2U);
    const double slope = series.points[0].second / series.points[0].first;
    if (series.name.find("B/s") == std::string::npos) {
      EXPECT_EQ(series.points[0].second, series.points[1].second);
      EXPECT_DOUBLE_EQ(slope, 1000e9) << "it begins at the fastest memory";
    } else if (series.name.find("FLOP") == std::string::npos) {
      EXPECT_DOUBLE_EQ(slope, series.points[1].second / series.points[1].first);
      EXPECT_EQ(series.points[1].second, 2000e9);
    }
  }
}

TEST(RoofChart, IsEmptyWithoutMemoryOrArithmetic) {
  DeviceProfile made = device();
  made.ceilings.erase("bandwidth.dram.read.all");
  EXPECT_TRUE(roof_chart(made).series.empty());
}

MachineAnswer::Beside beside(const char* id, double flops, double bytes, double memory) {
  MachineAnswer::Beside made;
  made.id = id;
  made.provenance = "datasheet";
  made.half = FlopRate(flops);
  made.bandwidth = ByteRate(bytes);
  made.memory = Bytes(memory);
  made.ridge = *made.half / *made.bandwidth;
  made.weights_read = Bytes(kWeightsBytes) / *made.bandwidth;
  return made;
}

TEST(BesideReport, SaysWhatEachIsGoodAt) {
  Document page;
  add_beside(page, {beside("cpu", 1e12, 50e9, 64e9), beside("x1", 100e12, 1e12, 80e9),
                    beside("small", 50e12, 500e9, 8e9)});
  EXPECT_EQ(std::get<Bullets>(page.blocks.at(2)).items,
            (std::vector<std::string>{
                "cpu: busy with arithmetic only from 20 flop/byte on; reads 14 GB of weights in "
                "280 ms, so a 7B model in 16 bits gives one stream at most 3.57 tokens/s",
                "x1: 100x the 16-bit arithmetic and 20.0x the bandwidth; busy with arithmetic only "
                "from 100 flop/byte on; reads 14 GB of weights in 14 ms, so a 7B model in 16 bits "
                "gives one stream at most 71.4 tokens/s",
                "small: 50.0x the 16-bit arithmetic and 10.0x the bandwidth; busy with arithmetic "
                "only from 100 flop/byte on; 14 GB of weights do not fit"}));
}

TEST(MachineReport, FitsIntoEightyColumns) {
  const std::string path = std::string(ROOFBEAM_SOURCE_DIR) + "/tests/profiles/rich.json";
  const auto profile = profile_from(*parse_json(*read_file(path), path), path);
  ASSERT_TRUE(profile) << profile.error().what;
  const std::string page = shown(profile->devices.at(0));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = page.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(end - begin, 80U) << page.substr(begin, end - begin);
  }
}

}  // namespace
}  // namespace roofbeam
