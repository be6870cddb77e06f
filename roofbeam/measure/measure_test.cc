// SPDX-License-Identifier: Apache-2.0
// The suite on fake machines that know the truth; runner_test.cc has the runner alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/backend/registry.h"
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
  return measure_ceilings(backends, backends.front()->devices().front(), Effort::quick, {}, stop,
                          quiet);
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

TEST(Suite, CoresOfEachKindHaveCeilingsOfTheirOwn) {
  auto made = read_fake_machine(std::string(ROOFBEAM_SOURCE_DIR) + "/tests/fakes/hybrid.json");
  ASSERT_TRUE(made) << made.error().what;
  made->noise = {};
  const Backends backends = open(std::move(*made));
  NoProgress quiet;
  const auto profile = measure_ceilings(backends, backends.front()->devices().front(),
                                        Effort::normal, {"compute.f32.fma"}, {}, quiet);
  ASSERT_TRUE(profile) << profile.error().what;
  EXPECT_NEAR(off(*profile, "compute.f32.fma.pcore", 120e9), 0, 1e-5);
  EXPECT_NEAR(off(*profile, "compute.f32.fma.ecore", 50e9), 0, 1e-5);
  EXPECT_NEAR(off(*profile, "compute.f32.fma.core", 120e9), 0, 1e-5) << "the fastest kind";
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
  EXPECT_NE(all.reason.find("something else took 50 % of CPU 0"), std::string::npos) << all.reason;
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

}  // namespace
}  // namespace roofbeam
