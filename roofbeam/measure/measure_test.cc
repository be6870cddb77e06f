// SPDX-License-Identifier: Apache-2.0
// measure on fake machines that know the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/backend/registry.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/suite.h"

namespace roofbeam {
namespace {

constexpr double kCore = 1e11;
constexpr double kDram = 4e10;

FakeMachine machine(FakeNoise noise = {}, std::uint64_t seed = 1) {
  FakeMachine made;
  made.device.id = "fake";
  made.device.name = "fake";
  made.device.box.topology.cores.resize(2);
  made.device.box.topology.caches = {{3, Bytes(32.0 * 1024 * 1024), 1, 2}};
  made.device.box.limits.usable_cores = 2;
  made.device.box.limits.placement = {0, 1};
  made.device.box.limits.affinity = {0, 1};
  made.device.box.limits.memory_available = Bytes(16e9);
  made.seed = seed;
  made.ceilings = {{"compute.f32.fma.core", kCore},
                   {"bandwidth.dram.read.core", kDram * 0.6},
                   {"bandwidth.dram.read.all", kDram}};
  made.libraries["lib"] = {{{"f32", 0.9}}, 0, ""};
  made.noise = noise;
  return made;
}

Backends open(FakeMachine made) {
  Backends backends;
  backends.push_back(open_fake_backend(std::move(made)));
  return backends;
}

Result<DeviceProfile> profile_of(FakeMachine made, const StopToken& stop = {}) {
  const Backends backends = open(std::move(made));
  NoProgress quiet;
  return measure_ceilings(backends, backends.front()->devices().front(), stop, quiet);
}

double off(const DeviceProfile& profile, const char* name, double truth) {
  return profile.ceilings.at(name).burst.value / truth - 1;
}

TEST(Suite, AQuietMachineIsMeasuredExactly) {
  const auto profile = profile_of(machine());
  ASSERT_TRUE(profile) << profile.error().what;
  // Spans are whole nanoseconds: 0.3 ms cannot be told better than 3 parts in a million.
  EXPECT_NEAR(off(*profile, "compute.f32.fma.core", kCore), 0, 1e-5);
  EXPECT_NEAR(off(*profile, "compute.f32.fma.all", 2 * kCore), 0, 1e-5);
  EXPECT_NEAR(off(*profile, "bandwidth.dram.read.all", kDram), 0, 1e-5);
  for (const auto& [name, ceiling] : profile->ceilings) {
    EXPECT_EQ(ceiling.standing, Standing::usable) << name;
    ASSERT_TRUE(ceiling.sustained) << name;
    EXPECT_NEAR(ceiling.sustained->value / ceiling.burst.value, 1, 1e-5) << name;
  }
  EXPECT_EQ(profile->ceilings.count("compute.bf16.dot.all"), 0U) << "it declares none";
}

TEST(Suite, OneSidedNoiseBiasesTheCeilingByUnderOnePercent) {
  FakeNoise noise;
  noise.one_sided = 0.02;
  noise.outlier_share = 0.05;
  noise.outlier_factor = 5;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto profile = profile_of(machine(noise, seed));
    ASSERT_TRUE(profile);
    EXPECT_NEAR(off(*profile, "compute.f32.fma.core", kCore), 0, 0.01) << seed;
    EXPECT_LE(off(*profile, "compute.f32.fma.core", kCore), 0) << "a burst above the truth";
  }
}

TEST(Suite, BesideANeighbourTheCeilingStandsAndTheNeighbourIsNamed) {
  FakeNoise noise;
  noise.neighbour_share = 0.5;
  const auto profile = profile_of(machine(noise));
  ASSERT_TRUE(profile);
  const Ceiling& all = profile->ceilings.at("compute.f32.fma.all");
  EXPECT_NEAR(all.burst.value / (2 * kCore), 1, 0.03);
  EXPECT_LT(all.sustained->value, 0.85 * 2 * kCore) << "sustained has the neighbour in it";
  EXPECT_EQ(all.standing, Standing::degraded);
  EXPECT_NE(all.reason.find("other processes took"), std::string::npos) << all.reason;
}

TEST(Suite, AQuotaLowersSustainedOnlyAndIsNamed) {
  FakeNoise noise;
  noise.throttled_share = 0.25;
  const auto profile = profile_of(machine(noise));
  ASSERT_TRUE(profile);
  const Ceiling& all = profile->ceilings.at("compute.f32.fma.all");
  EXPECT_NEAR(all.burst.value / (2 * kCore), 1, 0.01);
  EXPECT_NEAR(all.sustained->value / all.burst.value, 0.75, 0.03);
  EXPECT_NE(all.reason.find("CPU quota"), std::string::npos) << all.reason;
}

TEST(Suite, ASlowClockIsNamed) {
  FakeNoise noise;
  noise.slow_clock = 0.9;
  noise.slow_share = 1;
  const auto profile = profile_of(machine(noise));
  ASSERT_TRUE(profile);
  EXPECT_NE(profile->ceilings.at("compute.f32.fma.all").reason.find("clock"), std::string::npos);
}

TEST(Suite, ChangingTheTruthMovesTheFigure) {
  FakeMachine faster = machine();
  faster.ceilings["bandwidth.dram.read.all"] = kDram * 0.7;
  EXPECT_NEAR(off(*profile_of(faster), "bandwidth.dram.read.all", kDram * 0.7), 0, 1e-5);
}

TEST(Suite, AStopBeforeAnythingIsAnInterruption) {
  const std::atomic<bool> flag{true};
  const auto profile = profile_of(machine(), StopToken(flag));
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::interrupted);
}

Result<Measurement> measure_product(FakeMachine made, const Plan& plan = {}) {
  const Backends backends = open(std::move(made));
  const Device device = backends.front()->devices().front();
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.shape = {1024, 1024, 1024};
  NoProgress quiet;
  return measure(*backends.front(), device, problem, {"lib", "", false}, {{0, 1}}, plan, {}, quiet);
}

TEST(Runner, TheMedianOfAQuietProductIsItsTime) {
  const auto measured = measure_product(machine());
  ASSERT_TRUE(measured) << measured.error().what;
  EXPECT_NEAR(measured->time.value.value(), 2 * std::pow(1024, 3) / (0.9 * 2 * kCore), 1e-8);
  EXPECT_EQ(measured->time.samples, 5);
  EXPECT_EQ(measured->standing, Standing::usable);
}

TEST(Runner, OffsetsBetweenRestartsWidenTheInterval) {
  FakeNoise noise;
  noise.between_runs = 0.01;
  const auto measured = measure_product(machine(noise));
  ASSERT_TRUE(measured);
  const double width = measured->time.high / measured->time.low - 1;
  EXPECT_GT(width, 0.01);
  EXPECT_LT(width, 0.15);
}

// A kernel as the CPU's: a stop gives empty spans, not an error.
class StoppedKernel : public Kernel {
 public:
  Result<Spans> run(int, const StopToken&) override { return Spans{Spans::Mode::apart, {{}, {}}}; }
  Result<Check> check(const StopToken&) override { return Check{true, true, "", 0, ""}; }
  Shape executed_shape() const override { return {}; }
};

class StoppedBackend : public Backend {
 public:
  std::string name() const override { return "stopped"; }
  std::vector<Device> devices() override { return {}; }
  std::vector<Missing> missing() override { return {}; }
  std::vector<Variant> variants(const Device&, const Problem&) override { return {}; }
  Result<std::unique_ptr<Kernel>> prepare(const Device&, const Problem&, const Variant&,
                                          const Placement&, const StopToken&) override {
    return std::make_unique<StoppedKernel>();
  }
  DeviceState state(const Device&, const Placement&) override { return {}; }
};

TEST(Runner, AStopWhileItIsMadeReadyIsAnInterruptionAndNoFault) {
  std::atomic<bool> flag{false};
  StoppedBackend backend;
  NoProgress quiet;
  Problem problem;
  problem.spec = find_kernel("fma");
  // The stop comes while the kernel is prepared: the runner's own look at the flag was before it.
  struct Sink : NoProgress {
    std::atomic<bool>* flag = nullptr;
    void step(const std::string&, int, int) override { flag->store(true); }
  } sink;
  sink.flag = &flag;
  const auto measured =
      measure(backend, {}, problem, {"", "", false}, {{0, 1}}, {}, StopToken(flag), sink);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::interrupted);
}

TEST(Runner, AWrongResultIsInvalid) {
  FakeMachine wrong = machine();
  wrong.libraries["lib"].fault = "wrong";
  const auto measured = measure_product(wrong);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->standing, Standing::invalid);
  EXPECT_EQ(measured->warnings.front().code, "wrong_result");
}

TEST(Runner, ACrashIsAnErrorWithAWayOut) {
  FakeMachine crashing = machine();
  crashing.libraries["lib"].fault = "crash";
  const auto measured = measure_product(crashing);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::failed);
  EXPECT_FALSE(measured.error().hint.empty());
}

TEST(Runner, AClockThatStandsStillIsAnErrorAndNotInfinity) {
  FakeNoise noise;
  noise.clock_grain_s = 1000;
  const auto measured = measure_product(machine(noise));
  ASSERT_FALSE(measured);
  EXPECT_NE(measured.error().what.find("took no time"), std::string::npos);
}

TEST(Runner, RepetitionsAskedForAreMade) {
  Plan plan;
  plan.stopping = {7, 7, Seconds(1e9), 0};
  plan.batch = Seconds(0);
  EXPECT_EQ(measure_product(machine(), plan)->executions, 7 * 5);
}

TEST(Conditions, AbsentReadingsStayAbsent) {
  DeviceState before;
  DeviceState after;
  after.at_ns = 1'000'000'000;
  const Conditions conditions = conditions_between(before, after, {{0}});
  EXPECT_EQ(conditions, (Conditions{{0}, {}, {}, {}, {}}));
  EXPECT_TRUE(disturbances(conditions).empty());
}

TEST(Conditions, EachDisturbanceHasItsCode) {
  DeviceState before{0, 0.0, 0.0, 0.0, 0.0, 1.0};
  DeviceState after{1'000'000'000, 2.0, 1.5, 0.1, 0.4, 0.9};
  std::vector<std::string> codes;
  for (const auto& w : disturbances(conditions_between(before, after, {{0, 1}}))) {
    codes.push_back(w.code);
  }
  EXPECT_EQ(codes, (std::vector<std::string>{"neighbour", "steal", "throttled", "clock"}));
}

}  // namespace
}  // namespace roofbeam
