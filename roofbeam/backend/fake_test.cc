// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/backend/fake/fake_backend.h"
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
  EXPECT_EQ(machine->rate("compute.f16.fma", 2), 0) << "it declares none";
}

TEST(FakeMachine, TheTimeOfAProductIsTheLargerOfArithmeticAndBytes) {
  auto machine = read_fake_machine(kSource + "/examples/two_core.json");
  ASSERT_TRUE(machine);
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.shape = {4096, 4096, 4096};
  EXPECT_DOUBLE_EQ(machine->ideal_time(problem, {{0, 1}, {}}), 2.0 * 4096 * 4096 * 4096 / 240e9);
  problem.shape = {1, 8192, 8192};
  const double bytes = 4.0 * (8192.0 * 8192 + 2 * 8192);
  EXPECT_DOUBLE_EQ(machine->ideal_time(problem, {{0, 1}, {}}), bytes / 45e9);
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
  EXPECT_EQ(where("\"seed\": 7", "\"clock_hz\": 0"), ": clock_hz");
  const std::string fma = "\"compute.f32.fma.core\": 120e9";
  EXPECT_EQ(where(fma, "\"latency.l9\": 0"), ": ceilings.latency.l9");
  EXPECT_EQ(where(fma, "\"bandwidth.l9.read.core\": 0.5"), ": ceilings.bandwidth.l9.read.core");
  const auto accepted = [&](const std::string& ceiling) {
    return where(fma, ceiling).find("ceilings") == std::string::npos;
  };
  EXPECT_TRUE(accepted("\"overhead.wake\": 5e-6"));
  EXPECT_TRUE(accepted("\"latency.l9\": 1e-9"));
  EXPECT_FALSE(accepted("\"bandwidth.l1.copy.all\": 1e-9"));
}

constexpr double kKib = 1024;

// Two cores with caches of 32 KiB and 1 MiB each and 32 MiB together.
FakeMachine machine_with(std::map<std::string, double> ceilings) {
  FakeMachine machine;
  Topology& topology = machine.device.box.topology;
  topology.caches = {{1, Bytes(32 * kKib), 2, 1, ""},
                     {2, Bytes(1024 * kKib), 2, 1, ""},
                     {3, Bytes(32 * 1024 * kKib), 1, 2, ""}};
  topology.cores = {{{0}, 0, 0, ""}, {{1}, 0, 1, ""}};
  machine.device.box.limits.memory_available = Bytes(1e12);
  machine.ceilings = std::move(ceilings);
  return machine;
}

const Placement kBoth{{0, 1}, {}};

// The rate at which both workers together pass over `each` bytes of each array.
double rate_of(const FakeMachine& machine, const char* kernel, double each,
               const Placement& placement = kBoth) {
  Problem problem;
  problem.spec = find_kernel(kernel);
  problem.shape.m = static_cast<std::int64_t>(each / 4) * placement.threads();
  problem.shape.n = 1000000;
  const double time = machine.ideal_time(problem, placement);
  return time > 0 ? problem.work().bytes().value() / time : 0;
}

TEST(FakeMachine, AStreamIsInTheFirstCacheThatHoldsAWorkersShare) {
  const FakeMachine machine = machine_with({{"bandwidth.l1.read.core", 4e11},
                                            {"bandwidth.l2.read.core", 2e11},
                                            {"bandwidth.l3.read.core", 1e11},
                                            {"bandwidth.dram.read.core", 2e10}});
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 32 * kKib), 8e11);
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 32 * kKib + 4), 4e11);
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 16 * 1024 * kKib), 2e11) << "half of what they share";
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 16 * 1024 * kKib + 4), 4e10);
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 32 * 1024 * kKib, {{0}, {}}), 1e11) << "all of it";
  EXPECT_DOUBLE_EQ(rate_of(machine, "copy", 32 * kKib), 4e11) << "two arrays";
}

TEST(FakeMachine, WhatIsNotDeclaredFallsToPlainThenToReadThenOutward) {
  const FakeMachine machine = machine_with({{"bandwidth.dram.read.core", 2e10},
                                            {"bandwidth.dram.copy.core", 1e10},
                                            {"bandwidth.dram.write.core", 1.5e10},
                                            {"bandwidth.dram.copy_nt.core", 3e10},
                                            {"bandwidth.l2.read.core", 2e11}});
  const double dram = 64 * 1024 * kKib;
  EXPECT_DOUBLE_EQ(rate_of(machine, "copy_nt", dram), 6e10);
  EXPECT_DOUBLE_EQ(rate_of(machine, "copy", dram), 2e10);
  EXPECT_DOUBLE_EQ(rate_of(machine, "write_nt", dram), 3e10) << "plain stores stand for it";
  EXPECT_DOUBLE_EQ(rate_of(machine, "triad_nt", dram), 4e10) << "read stands for it";
  EXPECT_DOUBLE_EQ(rate_of(machine, "copy", 8 * kKib), 4e11) << "reading the second cache";
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", 8 * 1024 * kKib), 4e10) << "nothing of the third";
  EXPECT_EQ(rate_of(machine_with({{"bandwidth.l1.read.core", 1e11}}), "read", dram), 0);
}

TEST(FakeMachine, MemoryOfAnotherNodeHasARateOfItsOwn) {
  const FakeMachine machine = machine_with(
      {{"bandwidth.dram.read.core", 2e10}, {"bandwidth.dram.read.numa0-numa1", 1.2e10}});
  const double dram = 64 * 1024 * kKib;
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", dram, {{0}, {1}}), 1.2e10);
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", dram, {{0}, {0}}), 2e10) << "not declared";
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", dram, {{0}, {}}), 2e10);
  EXPECT_DOUBLE_EQ(rate_of(machine, "read", dram, {{0}, {9}}), 2e10) << "no such CPU";
}

double time_of(const FakeMachine& machine, const char* kernel, Shape shape,
               Operands operands = Operands::random) {
  Problem problem;
  problem.spec = find_kernel(kernel);
  problem.shape = shape;
  problem.operands = operands;
  return machine.ideal_time(problem, kBoth);
}

TEST(FakeMachine, LoadsAndEventsTakeTheirDeclaredTimes) {
  const FakeMachine machine = machine_with({{"latency.l1", 1e-9},
                                            {"latency.dram", 80e-9},
                                            {"latency.dram_loaded", 200e-9},
                                            {"overhead.barrier", 2e-7},
                                            {"overhead.branch", 4e-9}});
  EXPECT_DOUBLE_EQ(time_of(machine, "chase", {512, 10, 1}), 10e-9) << "512 lines are 32 KiB";
  EXPECT_DOUBLE_EQ(time_of(machine, "chase", {513, 10, 1}), 800e-9)
      << "outward to what is declared";
  EXPECT_DOUBLE_EQ(time_of(machine, "chase_loaded", {512, 10, 1}), 10e-9);
  EXPECT_DOUBLE_EQ(time_of(machine, "chase_loaded", {1 << 21, 10, 1}), 2000e-9);
  EXPECT_DOUBLE_EQ(time_of(machine, "barrier", {1, 10, 1}), 2e-6);
  EXPECT_DOUBLE_EQ(time_of(machine, "branch", {1, 10, 1}, Operands::constant), 5e-9);
  EXPECT_DOUBLE_EQ(time_of(machine, "branch", {1, 10, 1}) -
                       time_of(machine, "branch", {1, 10, 1}, Operands::constant),
                   10 * 4e-9 / 2);
  EXPECT_EQ(time_of(machine, "wake", {1, 10, 1}), 0) << "not declared";
}

TEST(FakeMachine, OtherKernelsTakeTheLargerOfArithmeticAndBytesAndTheirWrongGuesses) {
  const FakeMachine machine = machine_with({{"compute.f32.fma.core", 1e11},
                                            {"compute.f32.add.core", 5e9},
                                            {"bandwidth.dram.read.core", 2e10},
                                            {"bandwidth.dram.write.core", 1e10},
                                            {"bandwidth.dram.copy.core", 1.5e10},
                                            {"bandwidth.dram.triad.core", 1.6e10},
                                            {"overhead.branch", 4e-9}});
  const double n = 1 << 20;
  const Shape all{1 << 24, 1 << 20, 1};
  EXPECT_DOUBLE_EQ(time_of(machine, "vadd", all), 12 * n / 3.2e10);
  EXPECT_DOUBLE_EQ(time_of(machine, "vscale", all), 8 * n / 3e10);
  EXPECT_DOUBLE_EQ(time_of(machine, "vdot", all), 8 * n / 4e10);
  EXPECT_DOUBLE_EQ(time_of(machine, "branchy", all), 4 * n / 4e10 + n / 4 * 4e-9);
  EXPECT_DOUBLE_EQ(time_of(machine, "branchy", all, Operands::constant), 4 * n / 4e10);
  EXPECT_DOUBLE_EQ(time_of(machine, "softmax", {1 << 13, 1 << 10, 1, 3}), 3 * 8 * 8 * n / 3e10);
  EXPECT_DOUBLE_EQ(time_of(machine, "gemv", {1, 1 << 14, 1 << 12}),
                   (4.0 * 4096 * 16385 + 4 * 16384) / 4e10)
      << "few results are as good as none";
  EXPECT_DOUBLE_EQ(time_of(machine, "gemv", {100, 1 << 14, 1 << 12}), 200.0 * 16384 * 4096 / 2e11);
  EXPECT_DOUBLE_EQ(time_of(machine, "gemv", {4, 1 << 24, 16}),
                   4.0 * 16 * (16777216.0 + 4) / 4e10 + 16 * 16777216.0 / 2e10)
      << "a mix that no access has: one after the other";
  EXPECT_DOUBLE_EQ(time_of(machine, "fma_chain", {1, 1 << 20, 1}), 16 * n / 2e11);
}

TEST(FakeBackend, OffersAndPreparesOnlyWhatIsDeclared) {
  const auto backend = open_fake_backend(machine_with({{"latency.l1", 1e-9}}));
  Problem problem;
  problem.spec = find_kernel("chase");
  problem.shape = {100, 10, 1};
  EXPECT_EQ(backend->variants({}, problem).size(), 1U);
  Device device = backend->devices().front();
  EXPECT_TRUE(backend->prepare(device, problem, {"declared", "", false}, kBoth));
  problem.shape.m = 1 << 21;
  const auto beyond = backend->prepare(device, problem, {"declared", "", false}, kBoth);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().what,
            "this fake machine declares nothing that chase of this size depends on");
  problem.spec = find_kernel("wake");
  EXPECT_TRUE(backend->variants({}, problem).empty());
}

TEST(FakeBackend, SpansTellWhatTheNeighbourTookAndTheClock) {
  FakeMachine machine = machine_with({{"compute.f32.fma.core", 1e9}});
  machine.noise.neighbour_share = 0.5;
  machine.noise.slow_clock = 0.9;
  machine.noise.slow_share = 1;
  machine.clock_hz = 4e9;
  const auto backend = open_fake_backend(std::move(machine));
  Problem problem;
  problem.spec = find_kernel("fma");
  problem.shape.n = 1'800'000;  // a millisecond at nine tenths of the clock
  auto kernel =
      backend->prepare(backend->devices().front(), problem, {"declared", "", false}, kBoth);
  ASSERT_TRUE(kernel);
  // The neighbour has the first 4 ms, then every other four.
  const auto spans = (*kernel)->run(5, {});
  ASSERT_TRUE(spans);
  constexpr std::int64_t kMs = 1'000'000;
  EXPECT_EQ(spans->workers[0], (std::vector<Span>{{0, 5 * kMs, true},
                                                  {5 * kMs, 6 * kMs},
                                                  {6 * kMs, 7 * kMs},
                                                  {7 * kMs, 8 * kMs},
                                                  {8 * kMs, 13 * kMs, true}}));
  EXPECT_EQ(spans->workers[1].back(), (Span{4 * kMs, 5 * kMs}));
  EXPECT_EQ(spans->lost_s, (std::vector<double>{8e-3, 0}));
  EXPECT_EQ(spans->clock_hz, (std::vector<double>{3.6e9, 3.6e9}));
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
