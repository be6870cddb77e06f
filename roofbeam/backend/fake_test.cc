// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "roofbeam/backend/fake/fake_machine.h"
#include "roofbeam/backend/registry.h"
#include "roofbeam/base/file.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

const std::string kSource = ROOFBEAM_SOURCE_DIR;

TEST(FakeMachine, ReadsTheExample) {
  const auto machine = read_fake_machine(kSource + "/examples/two_core.json");
  ASSERT_TRUE(machine) << machine.error().what << machine.error().where;
  EXPECT_EQ(machine->device.name, "A quiet fake machine with two cores");
  EXPECT_EQ(machine->rate("compute.f32.fma", 2), 240e9) << "all = core times cores";
  EXPECT_EQ(machine->rate("bandwidth.dram.read", 2), 45e9) << "the declared all is smaller";
  EXPECT_EQ(machine->rate("compute.f64.fma", 2), 0);
}

TEST(FakeMachine, TheTimeOfAProductIsTheLargerOfArithmeticAndBytes) {
  auto machine = read_fake_machine(kSource + "/examples/two_core.json");
  ASSERT_TRUE(machine);
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.shape = {4096, 4096, 4096};
  EXPECT_DOUBLE_EQ(machine->ideal_time(problem, 2), 2.0 * 4096 * 4096 * 4096 / 240e9);
  problem.shape = {1, 8192, 8192};
  const double bytes = 4.0 * (8192.0 * 8192 + 2 * 8192);
  EXPECT_DOUBLE_EQ(machine->ideal_time(problem, 2), bytes / 45e9);
}

// Every file of tests/fakes is read, and every spoilt field is named.
TEST(FakeMachine, SpoiltFieldsAreNamed) {
  const auto text = read_file(kSource + "/examples/two_core.json");
  ASSERT_TRUE(text);
  const auto where = [&](const std::string& from, const std::string& to) {
    std::string spoilt = *text;
    const auto at = spoilt.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    spoilt.replace(at, from.size(), to);
    const std::string path = testing::TempDir() + "/spoilt.fake.json";
    EXPECT_TRUE(write_file_atomic(path, spoilt));
    const auto machine = read_fake_machine(path);
    return machine ? std::string("read") : machine.error().where.substr(path.size());
  };
  EXPECT_EQ(where("roofbeam.fake/1", "roofbeam.fake/2"), ": schema");
  EXPECT_EQ(where("120e9", "-1"), ": ceilings.compute.f32.fma.core");
  EXPECT_EQ(where("0.95", "1.5"), ": libraries.onednn.share");
  EXPECT_EQ(where("\"one_sided\": 0.004", "\"one_sided\": -1"), ": noise.one_sided");
  EXPECT_EQ(where("\"seed\": 7", "\"seed\": \"x\""), ": seed");
}

TEST(Registry, AnUnknownDeviceIsToldTheKnownOnes) {
  const auto backends = open_backends("");
  ASSERT_TRUE(backends);
  const auto device = choose_device(*backends, "cpi");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::failed);
  EXPECT_EQ(device.error().hint, "did you mean cpu?; `roofbeam devices` lists them");
}

TEST(Registry, EachDeviceIsListedOnceThoughTwoBackendsComputeOnIt) {
  const auto backends = open_backends("");
  ASSERT_TRUE(backends);
  EXPECT_EQ(all_devices(*backends).size(), 1U);
  EXPECT_EQ(choose_device(*backends, "")->id, "cpu");
}

}  // namespace
}  // namespace roofbeam
