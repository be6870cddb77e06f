// SPDX-License-Identifier: Apache-2.0
// measure_in_turns on a fake machine.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/runner.h"

namespace roofbeam {
namespace {

FakeMachine machine() {
  FakeMachine made;
  made.device.id = "fake";
  made.device.box.topology.cores.resize(2);
  made.device.box.topology.caches = {{3, Bytes(32.0 * 1024 * 1024), 1, 2}};
  made.device.box.limits.memory_available = Bytes(16e9);
  made.ceilings = {{"compute.f32.fma.core", 1e11}, {"bandwidth.dram.read.core", 2e10}};
  made.libraries["lib"] = {{{"f32", 0.9}}, 0, ""};
  return made;
}

std::vector<Contestant> contestants_on(Backend& backend) {
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.shape = {1024, 1024, 1024};
  return {{&backend, problem, {"lib", "", false}},
          {&backend, problem, {"slow", "", false}},
          {&backend, problem, {"wrong", "", false}},
          {&backend, problem, {"crash", "", false}}};
}

TEST(InTurns, EachIsMeasuredAsIfAloneAndFailsForItself) {
  FakeMachine made = machine();
  made.libraries["slow"] = {{{"f32", 0.45}}, 0, ""};
  made.libraries["wrong"] = {{{"f32", 0.9}}, 0, "wrong"};
  made.libraries["crash"] = {{{"f32", 0.9}}, 0, "crash"};
  auto backend = open_fake_backend(std::move(made));
  NoProgress quiet;
  const auto results = measure_in_turns(backend->devices().front(), contestants_on(*backend),
                                        {{0, 1}, {}}, {}, {}, quiet);
  ASSERT_EQ(results.size(), 4U);
  ASSERT_TRUE(results[0] && results[1] && results[2]);
  EXPECT_EQ(results[0]->time.samples, 5);
  EXPECT_EQ(results[1]->time.samples, 5);
  EXPECT_NEAR((results[1]->time / results[0]->time).value, 2, 1e-6);
  EXPECT_EQ(results[2]->standing, Standing::invalid);
  ASSERT_FALSE(results[3]);
  EXPECT_EQ(results[3].error().what, "the library's worker ended by signal 11");
}

TEST(InTurns, TheyTakeTurnsRestartByRestart) {
  class Listener : public NoProgress {
   public:
    void step(const std::string& what, int done, int) override {
      told.push_back(what + " " + std::to_string(done));
    }
    std::vector<std::string> told;
  } listener;
  FakeMachine made = machine();
  made.libraries["slow"] = {{{"f32", 0.45}}, 0, ""};
  auto backend = open_fake_backend(std::move(made));
  auto two = contestants_on(*backend);
  two.resize(2);
  Plan plan;
  plan.restarts = 2;
  measure_in_turns(backend->devices().front(), two, {{0, 1}, {}}, plan, {}, listener);
  EXPECT_EQ(listener.told, (std::vector<std::string>{"matmul by lib 0", "matmul by slow 0",
                                                     "matmul by lib 1", "matmul by slow 1"}));
}

TEST(InTurns, AStopBeforeTheFirstFigureInterruptsAll) {
  auto backend = open_fake_backend(machine());
  auto two = contestants_on(*backend);
  two.resize(1);
  std::atomic<bool> flag{true};
  NoProgress quiet;
  const auto results =
      measure_in_turns(backend->devices().front(), two, {{0, 1}, {}}, {}, StopToken(flag), quiet);
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace roofbeam
