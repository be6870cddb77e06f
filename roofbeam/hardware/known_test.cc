// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/known.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "roofbeam/base/file.h"

namespace roofbeam {
namespace {

const std::string kColumns =
    "id,name,vendor,kind,year,units,unit_kind,lanes_per_unit,clock_base_ghz,fp32_vector_tflops,"
    "bf16_dense_tflops,mem_gb,mem_bw_GBps,source,verified,notes\n";

std::string complaint(const std::string& row) {
  auto read = read_known(kColumns + row + "\n", "h.csv");
  return read ? "read" : read.error().where + " | " + read.error().what;
}

TEST(Known, ReadsARow) {
  auto read = read_known(kColumns +
                             "x1,Example X1,Acme,gpu,2024,10,CU,64,,5,80,16,500,sheet,"
                             "checked; unverified: memory,none\n",
                         "h.csv");
  ASSERT_TRUE(read) << read.error().what;
  KnownDevice expected;
  expected.id = "x1";
  expected.name = "Example X1";
  expected.vendor = "Acme";
  expected.kind = "gpu";
  expected.year = 2024;
  expected.units = 10;
  expected.unit_kind = "CU";
  expected.lanes_per_unit = 64;
  expected.rates = {{"f32.vector", FlopRate(5e12)}, {"bf16.matrix", FlopRate(80e12)}};
  expected.memory = Bytes(16e9);
  expected.bandwidth = ByteRate(500e9);
  expected.source = "sheet";
  expected.verified = "checked; unverified: memory";
  expected.notes = "none";
  EXPECT_EQ(read->front(), expected);
  EXPECT_EQ(cores_as_people_count(read->front()), 640);
  EXPECT_FALSE(read->front().confirmed());
}

TEST(Known, SaysWhichCellIsWrong) {
  const std::string end = ",s,checked,";
  EXPECT_EQ(complaint("x,X,A,gpu,2024,10,CU,64,,5,80,16,500" + end), "read");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,,CU,64,,5,80,16,500" + end), "h.csv:2: units | empty");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,1.5,CU,64,,5,80,16,500" + end),
            "h.csv:2: units | 1.5 is no count");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,10,CU,64,,-5,80,16,500" + end),
            "h.csv:2: fp32_vector_tflops | -5 is not above 0");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,10,CU,64,,5,fast,16,500" + end),
            "h.csv:2: bf16_dense_tflops | \"fast\" is no number");
  EXPECT_EQ(complaint("x,X,A,toaster,2024,10,CU,64,,5,80,16,500" + end),
            "h.csv:2: kind | \"toaster\" is no kind of device");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,10,CU,64,,5,80,16,500,,checked,"), "h.csv:2: source | empty");
  EXPECT_EQ(complaint("x,X,A,gpu,2024,1,CU,,,,,,,s,c,\nx,Y,A,gpu,2024,1,CU,,,,,,,s,c,"),
            "h.csv:3: id | \"x\" is there twice");
  EXPECT_EQ(read_known("id,name\nx,X\n", "h.csv").error().what, "there is no column \"vendor\"");
}

// The rows that are part of the program, and what must be true of any such row.
TEST(Known, EveryRowOfTheProgramIsWhole) {
  const std::string path = std::string(ROOFBEAM_SOURCE_DIR) + "/data/hardware.csv";
  auto text = read_file(path);
  ASSERT_TRUE(text);
  auto read = read_known(*text, path);
  ASSERT_TRUE(read) << read.error().where << ": " << read.error().what;
  EXPECT_EQ(*read, known_devices());
  EXPECT_GE(read->size(), 70U);
  for (const KnownDevice& device : *read) {
    EXPECT_TRUE(device.bandwidth) << device.id;
    EXPECT_GE(device.year, 2017) << device.id;
    EXPECT_EQ(device.kind == "cpu", device.clock_base.has_value()) << device.id;
  }
}

double rate(const KnownDevice& device, const char* name) {
  const auto found = device.rates.find(name);
  return found == device.rates.end() ? 0.0 : found->second.value();
}

// Headline figures for 2:4 sparse operands are twice the dense ones; a row that mixed them would
// break the order in which matrix units double with each halving of the type.
TEST(Known, RatesAreDense) {
  for (const KnownDevice& device : known_devices()) {
    if (device.vendor != "NVIDIA" || device.kind != "gpu") continue;
    const double f16 = rate(device, "f16.matrix");
    const double bf16 = rate(device, "bf16.matrix");
    const double fp8 = rate(device, "fp8.matrix");
    if (bf16 == 0) continue;
    EXPECT_NEAR(f16 / bf16, 1.0, 0.01) << device.id;
    EXPECT_NEAR(fp8 == 0 ? 2.0 : fp8 / bf16, 2.0, 0.03) << device.id;
  }
}

// Lanes, units and clock must give the vector rate: 2 flops a lane and cycle. Some sheets quote
// vector and matrix rates at other clocks (H100: 8 %), and AMD issues two vector instructions at
// once since 2022 (factor 2); no other deviation is explained.
TEST(Known, LanesGiveTheVectorRate) {
  for (const KnownDevice& device : known_devices()) {
    const double f32 = rate(device, "f32.vector");
    if (!device.lanes_per_unit || !device.clock_boost || f32 == 0) continue;
    const double lanes = cores_as_people_count(device) * 2 * device.clock_boost->value();
    const double ratio = f32 / lanes;
    EXPECT_TRUE(std::abs(ratio - 1) < 0.1 || (device.vendor == "AMD" && std::abs(ratio - 2) < 0.1))
        << device.id << " " << ratio;
  }
}

TEST(Known, FindsById) {
  EXPECT_EQ(find_known("h100-sxm").size(), 1U);
  EXPECT_EQ(find_known("h100").size(), 3U);
  EXPECT_EQ(find_known("EPYC turin").size(), 2U);
  EXPECT_TRUE(find_known("no such device").empty());
}

}  // namespace
}  // namespace roofbeam
