// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/from_datasheet.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

std::vector<std::string> names_of(const DeviceProfile& profile) {
  std::vector<std::string> names;
  for (const auto& [name, ceiling] : profile.ceilings) names.push_back(name);
  return names;
}

TEST(FromDatasheet, AGpusRatesGetTheNamesOfMeasuredOnes) {
  KnownDevice sheet;
  sheet.id = "x-1";
  sheet.name = "Example One";
  sheet.kind = "gpu";
  sheet.units = 10;
  sheet.rates = {{"f32.vector", FlopRate(5e12)}, {"bf16.matrix", FlopRate(4e13)}};
  sheet.bandwidth = ByteRate(5e11);
  const DeviceProfile profile = datasheet_profile(sheet);
  EXPECT_EQ(names_of(profile),
            std::vector<std::string>(
                {"bandwidth.device.read.all", "compute.bf16.matrix.all", "compute.f32.fma.all"}));
  const Ceiling& f32 = profile.ceilings.at("compute.f32.fma.all");
  EXPECT_EQ(f32.burst, exactly(5e12, Method::datasheet));
  EXPECT_EQ(f32.provenance, "datasheet");
  EXPECT_FALSE(f32.sustained);
  EXPECT_EQ(profile.cores_usable, 10);
  EXPECT_EQ(profile.warnings.at(0).text,
            "the ceilings of Example One are a data sheet's: no program reaches all of them, and "
            "they have no interval");
}

TEST(FromDatasheet, ACpusMemoryIsDramAndItsClockIsTold) {
  KnownDevice sheet;
  sheet.id = "c-1";
  sheet.name = "Example CPU";
  sheet.kind = "cpu";
  sheet.rates = {{"f64.vector", FlopRate(1e12)}};
  sheet.bandwidth = ByteRate(2e11);
  const DeviceProfile profile = datasheet_profile(sheet);
  EXPECT_EQ(names_of(profile),
            std::vector<std::string>({"bandwidth.dram.read.all", "compute.f64.fma.all"}));
  EXPECT_NE(profile.warnings.at(0).text.find("at the base clock"), std::string::npos);
}

TEST(FromDatasheet, EveryKnownDeviceIsAProfileThatIsWrittenAndReadBack) {
  for (const KnownDevice& sheet : known_devices()) {
    MachineProfile machine{"1", "datasheet", 0, {datasheet_profile(sheet)}};
    const auto back = profile_from(*parse_json(write_json(to_json(machine)), "f"), "f");
    ASSERT_TRUE(back) << sheet.id << ": " << back.error().where << ": " << back.error().what;
    EXPECT_EQ(*back, machine) << sheet.id;
  }
}

}  // namespace
}  // namespace roofbeam
