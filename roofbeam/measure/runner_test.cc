// SPDX-License-Identifier: Apache-2.0
// measure on fake machines that know the truth, and on kernels that follow a script.
#include "roofbeam/measure/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

constexpr double kCore = 1e11;
constexpr double kWindow = 0.3e-3;

FakeMachine machine(FakeNoise noise = {}, std::uint64_t seed = 1) {
  FakeMachine made;
  made.device.id = "fake";
  made.device.box.topology.cores.resize(2);
  made.device.box.topology.caches = {{3, Bytes(32.0 * 1024 * 1024), 1, 2}};
  made.device.box.limits.memory_available = Bytes(16e9);
  made.seed = seed;
  made.clock_hz = 4e9;
  made.ceilings = {{"compute.f32.fma.core", kCore}, {"bandwidth.dram.read.core", 2e10},
                   {"latency.dram", 80e-9},         {"overhead.barrier", 2e-7},
                   {"overhead.wake", 5e-6},         {"overhead.branch", 4e-9}};
  made.libraries["lib"] = {{{"f32", 0.9}}, 0, ""};
  made.noise = noise;
  return made;
}

Plan probe_plan() {
  Plan plan;
  plan.method = Method::best;
  plan.warm_up = Seconds(0.004);
  plan.batch = Seconds(0.008);
  plan.stopping = {20, 100000, Seconds(0.016), 0.002};
  return plan;
}

Result<Measurement> measure_on(Backend& backend, const char* kernel, Shape shape,
                               const std::string& variant, const Plan& plan) {
  const std::vector<Device> devices = backend.devices();
  Problem problem;
  problem.spec = find_kernel(kernel);
  problem.shape = shape;
  NoProgress quiet;
  return measure(backend, devices.empty() ? Device{} : devices.front(), problem,
                 {variant, "", false}, {{0, 1}, {}}, plan, {}, quiet);
}

Result<Measurement> measure_product(FakeMachine made, const Plan& plan = {}) {
  return measure_on(*open_fake_backend(std::move(made)), "matmul", {1024, 1024, 1024}, "lib", plan);
}

// Two workers; a window takes kWindow in quiet.
Result<Measurement> measure_probe(FakeMachine made, const Plan& plan = probe_plan()) {
  return measure_on(*open_fake_backend(std::move(made)), "fma",
                    {1, std::llround(2 * kCore * kWindow), 1}, "declared", plan);
}

std::string text_of(const Measurement& measured, const std::string& code) {
  for (const Warning& warning : measured.warnings) {
    if (warning.code == code) return warning.text;
  }
  return "";
}

TEST(Runner, TheMedianOfAQuietProductIsItsTime) {
  const auto measured = measure_product(machine());
  ASSERT_TRUE(measured) << measured.error().what;
  EXPECT_NEAR(measured->time.value.value(), 2 * std::pow(1024, 3) / (0.9 * 2 * kCore), 1e-8);
  EXPECT_EQ(measured->time.samples, 5);
  EXPECT_EQ(measured->standing, Standing::usable);
  EXPECT_FALSE(measured->clock) << "a library tells of no clock";
  EXPECT_FALSE(measured->cycles);
}

TEST(Runner, OffsetsBetweenRestartsWidenTheInterval) {
  FakeNoise noise;
  noise.between_runs = 0.01;
  const auto measured = measure_product(machine(noise));
  ASSERT_TRUE(measured);
  const double width = measured->time.high / measured->time.low - 1;
  EXPECT_GT(width, 0.01);
  EXPECT_LT(width, 0.1);
}

TEST(Runner, EventsAndLoadsThatWaitAreMeasuredThoughTheyHaveNoFlops) {
  const auto backend = open_fake_backend(machine());
  const std::vector<std::pair<const char*, double>> events = {
      {"barrier", 2e-7}, {"wake", 5e-6}, {"branch", 0.5e-9 + 2e-9}, {"chase", 80e-9}};
  for (const auto& [kernel, each] : events) {
    const auto n = std::llround(kWindow / each);
    const auto measured = measure_on(*backend, kernel, {1 << 21, n, 1}, "declared", probe_plan());
    ASSERT_TRUE(measured) << kernel << measured.error().what;
    EXPECT_NEAR(measured->time.value.value() / (static_cast<double>(n) * each), 1, 1e-5) << kernel;
  }
}

TEST(Runner, BesideANeighbourTheFigureIsThatOfUndisturbedWindows) {
  FakeNoise noise;
  noise.neighbour_share = 0.5;
  const auto measured = measure_probe(machine(noise));
  ASSERT_TRUE(measured);
  EXPECT_NEAR(measured->time.value.value() / kWindow, 1, 1e-5);
  ASSERT_EQ(measured->conditions.taken.size(), 1U);
  EXPECT_EQ(measured->conditions.taken[0].cpu, 0);
  EXPECT_NEAR(measured->conditions.taken[0].share, 0.5, 0.02);
  EXPECT_EQ(text_of(*measured, "neighbour").substr(0, 20), "something else took ");
  EXPECT_EQ(text_of(*measured, "few_quiet_windows"), "");
  EXPECT_EQ(measured->standing, Standing::degraded);
}

TEST(Runner, RestartsAtASlowClockAreNamedAndLeftOut) {
  FakeNoise noise;
  noise.slow_clock = 0.9;
  noise.slow_share = 0.4;
  const auto measured = measure_probe(machine(noise, 2));
  ASSERT_TRUE(measured);
  EXPECT_NEAR(measured->time.value.value() / kWindow, 1, 1e-5) << "that of the fast state";
  EXPECT_EQ(measured->time.samples, 5) << "others were made in their place";
  EXPECT_EQ(text_of(*measured, "clock"),
            "in 2 of 7 restarts the clock was down to 90 % of the fastest: the figure is that of "
            "the others");
  EXPECT_EQ(measured->warnings.size(), 1U) << "once";
  EXPECT_EQ(measured->standing, Standing::degraded);
  EXPECT_TRUE(measured->complete);
}

TEST(Runner, WhereTooFewRestartsAreFastAllCount) {
  FakeNoise noise;
  noise.slow_clock = 0.9;
  noise.slow_share = 0.9;
  const auto measured = measure_probe(machine(noise, 2));
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->time.samples, 15) << "three times those asked for";
  EXPECT_NEAR(measured->time.value.value() / kWindow, 1 / 0.9, 1e-5);
  EXPECT_NE(text_of(*measured, "clock").find("that of all"), std::string::npos)
      << text_of(*measured, "clock");
}

TEST(Runner, CyclesAreTheSameAtEveryClock) {
  FakeNoise noise;
  noise.slow_clock = 0.9;
  const auto fast = measure_probe(machine(noise));
  noise.slow_share = 1;
  const auto slow = measure_probe(machine(noise));
  ASSERT_TRUE(fast && slow);
  ASSERT_TRUE(fast->clock && fast->cycles && slow->clock && slow->cycles);
  EXPECT_DOUBLE_EQ(fast->clock->value.value(), 4e9);
  EXPECT_DOUBLE_EQ(slow->clock->value.value(), 3.6e9);
  EXPECT_NEAR(fast->cycles->value / (kWindow * 4e9), 1, 1e-5);
  EXPECT_NEAR(slow->cycles->value / (kWindow * 4e9), 1, 1e-5);
  EXPECT_EQ(fast->cycles->samples, 5);
  EXPECT_EQ(fast->cycles->method, Method::best);
}

// A kernel as told by `script`: the spans of so many repeats of the `restart`th one made ready,
// which begin at `now_ns` and move it on.
using Script = std::function<Spans(int restart, int repeats, std::int64_t& now_ns)>;

class ScriptedKernel : public Kernel {
 public:
  ScriptedKernel(const Script& script, int restart, std::int64_t& now_ns, Shape executed)
      : script_(script), restart_(restart), now_ns_(now_ns), executed_(executed) {}
  Result<Spans> run(int repeats, const StopToken&) override {
    return script_(restart_, repeats, now_ns_);
  }
  Result<Check> check(const StopToken&) override { return Check{true, true, "", 0, ""}; }
  Shape executed_shape() const override { return executed_; }

 private:
  const Script& script_;
  int restart_;
  std::int64_t& now_ns_;
  Shape executed_;
};

class ScriptedBackend : public Backend {
 public:
  explicit ScriptedBackend(Script script) : script_(std::move(script)) {}
  std::string name() const override { return "scripted"; }
  std::vector<Device> devices() override { return {}; }
  std::vector<Missing> missing() override { return {}; }
  std::vector<Variant> variants(const Device&, const Problem&) override { return {}; }
  Result<std::unique_ptr<Kernel>> prepare(const Device&, const Problem& problem, const Variant&,
                                          const Placement&, const StopToken&) override {
    Shape executed = problem.shape;
    if (grows) executed.n *= 1 + prepared_;
    return std::make_unique<ScriptedKernel>(script_, prepared_++, now_ns_, executed);
  }
  DeviceState state(const Device&, const Placement&) override {
    return {now_ns_, {}, {}, {}, {}, {}};
  }

  bool grows = false;  // each restart executes more

 private:
  Script script_;
  int prepared_ = 0;
  std::int64_t now_ns_ = 0;
};

// One worker: repeats of `length` ns, of which one in `rarely` is undisturbed.
Spans disturbed_spans(int repeats, std::int64_t length, int rarely, std::int64_t& now_ns) {
  Spans spans{Spans::Mode::together, {{}}, {}, {0.0}};
  for (int i = 0; i < repeats; ++i) {
    const bool quiet = (now_ns / length) % rarely == 0;
    spans.workers[0].push_back({now_ns, now_ns + length, !quiet});
    now_ns += length;
  }
  return spans;
}

TEST(Runner, SamplingGoesOnUntilEnoughWindowsAreUndisturbed) {
  ScriptedBackend backend([](int, int repeats, std::int64_t& now) {
    return disturbed_spans(repeats, 100'000, 40, now);
  });
  // 160 windows a budget, 4 of them quiet: twenty take five budgets.
  const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", probe_plan());
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->standing, Standing::usable);
  EXPECT_GE(measured->executions, 5 * 20 * 39);
  EXPECT_LE(measured->executions, 5 * 24 * 40);
}

TEST(Runner, DisturbedWindowsAreNoPartOfTheFigure) {
  ScriptedBackend backend([](int, int repeats, std::int64_t& now) {
    Spans spans{Spans::Mode::together, {{}}, {}, {}};
    for (int i = 0; i < repeats; ++i) {
      const bool quiet = i % 4 == 0;
      const std::int64_t length = quiet ? 100'000 : 50'000;
      spans.workers[0].push_back({now, now + length, !quiet});
      now += length;
    }
    return spans;
  });
  for (Method method : {Method::best, Method::median}) {
    Plan plan = probe_plan();
    plan.method = method;
    const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", plan);
    ASSERT_TRUE(measured);
    EXPECT_DOUBLE_EQ(measured->time.value.value(), 100e-6) << name(method);
  }
}

TEST(Runner, WithTooFewUndisturbedWindowsAllCountAndTheFigureIsDegraded) {
  ScriptedBackend backend([](int, int repeats, std::int64_t& now) {
    return disturbed_spans(repeats, 100'000, 1000, now);
  });
  const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", probe_plan());
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->executions, 5 * 1600) << "ten budgets";
  EXPECT_EQ(text_of(*measured, "few_quiet_windows"),
            "in 5 of 5 restarts too few windows were undisturbed: disturbed ones count");
  EXPECT_EQ(measured->standing, Standing::degraded);
}

TEST(Runner, ALongWindowThatLostNextToNothingIsGoodEnough) {
  ScriptedBackend backend([](int, int repeats, std::int64_t& now) {
    return disturbed_spans(repeats, 50'000'000, 1 << 30, now);
  });
  const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", Plan{});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->standing, Standing::usable);
  EXPECT_EQ(measured->executions, 5 * 20) << "one budget";
}

TEST(Runner, RestartsThatExecutedMoreAreScaledByTheirEvents) {
  ScriptedBackend backend([](int restart, int repeats, std::int64_t& now) {
    return disturbed_spans(repeats, 100'000 * (1 + restart), 1, now);
  });
  backend.grows = true;
  const auto measured = measure_on(backend, "barrier", {1, 100, 1}, "", probe_plan());
  ASSERT_TRUE(measured);
  EXPECT_NEAR(measured->time.value.value(), 100e-6, 1e-12);
  EXPECT_NEAR(measured->time.high.value(), 100e-6, 1e-12);
  EXPECT_EQ(measured->executed.n, 100);
}

TEST(Runner, AStopWhileItIsMadeReadyIsAnInterruptionAndNoFault) {
  std::atomic<bool> flag{false};
  // As the CPU's kernels: a stop gives empty spans, not an error.
  ScriptedBackend backend([](int, int, std::int64_t&) {
    return Spans{Spans::Mode::apart, {{}, {}}, {}, {}};
  });
  Problem problem;
  problem.spec = find_kernel("fma");
  // The stop comes while the kernel is prepared: the runner's own look at the flag was before it.
  struct Sink : NoProgress {
    std::atomic<bool>* flag = nullptr;
    void step(const std::string&, int, int) override { flag->store(true); }
  } sink;
  sink.flag = &flag;
  const auto measured =
      measure(backend, {}, problem, {"", "", false}, {{0, 1}, {}}, {}, StopToken(flag), sink);
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

TEST(Runner, AClockWithStepsLongerThanAWindowIsAnError) {
  for (double grain : {0.1e-3, 0.25e-3, 1e-3, 4e-3}) {
    FakeNoise noise;
    noise.one_sided = 0.02;
    noise.clock_grain_s = grain;
    const auto measured = measure_probe(machine(noise));
    ASSERT_FALSE(measured) << grain << ": " << measured->time.value.value();
    EXPECT_NE(measured.error().hint.find("too coarse"), std::string::npos) << grain;
  }
}

TEST(Runner, TheStepOfTheClockIsPartOfTheInterval) {
  FakeNoise noise;
  noise.one_sided = 0.02;
  noise.clock_grain_s = 1e-6;
  const auto measured = measure_probe(machine(noise));
  ASSERT_TRUE(measured);
  EXPECT_GE(measured->time.high.value() - measured->time.value.value(), 1e-6);
  EXPECT_GE(measured->time.value.value() - measured->time.low.value(), 1e-6 * 0.999);
}

Plan seven_repetitions() {
  Plan plan;
  plan.stopping = {7, 7, Seconds(1e9), 0};
  plan.batch = Seconds(0);
  return plan;
}

TEST(Runner, RepetitionsAskedForAreMade) {
  EXPECT_EQ(measure_product(machine(), seven_repetitions())->executions, 7 * 5);
}

TEST(Runner, NoMoreRepetitionsThanAskedForAreMadeThoughAllWereDisturbed) {
  ScriptedBackend backend([](int, int repeats, std::int64_t& now) {
    return disturbed_spans(repeats, 100'000, 1 << 30, now);
  });
  const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", seven_repetitions());
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->executions, 7 * 5);
}

TEST(Runner, RepetitionsThatTookNoTimeAreAnErrorHoweverFew) {
  int runs = 0;
  ScriptedBackend backend([&runs](int, int repeats, std::int64_t& now) {
    const std::int64_t start = now;
    const bool warm_up = repeats > 1 || runs == 0;
    if (warm_up || ++runs % 2 == 0) now += 30'000'000;
    if (warm_up) runs = 1;
    Spans spans{Spans::Mode::together, {{}}, {}, {}};
    for (int i = 0; i < repeats; ++i) spans.workers[0].push_back({start, now});
    return spans;
  });
  const auto measured = measure_on(backend, "fma", {1, 1, 1}, "", seven_repetitions());
  ASSERT_FALSE(measured);
  EXPECT_NE(measured.error().what.find("took no time"), std::string::npos);
}

}  // namespace
}  // namespace roofbeam
