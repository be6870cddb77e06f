// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/fake/fake_backend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kTurn = 4'000'000;      // ns a neighbour keeps the CPU
constexpr std::int64_t kPeriod = 100'000'000;  // ns of a quota period

// splitmix64 with the few distributions needed: the same numbers from every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double exponential(double mean) { return -mean * std::log(uniform()); }
  double normal(double deviation) {
    constexpr double kTwoPi = 6.283185307179586;
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return deviation * radius * std::cos(kTwoPi * uniform());
  }

 private:
  std::uint64_t state_;
};

// What all kernels of one fake machine share: its clock and its accounts.
struct World {
  FakeMachine machine;
  std::int64_t now_ns = 0;
  std::uint64_t prepared = 0;
  double own_s = 0;
  double taken_s = 0;  // by the neighbour
  double throttled_s = 0;
  double clock_ratio = 1;
};

// When work of `length` ns that starts at `start` ends, given that its CPU stands still in
// [a, a + pause) of every `period`; adds what was lost to `lost_s`.
std::int64_t end_of(std::int64_t start, std::int64_t length, std::int64_t period,
                    std::int64_t pause, double& lost_s) {
  if (pause <= 0) return start + length;
  const std::int64_t run = period - pause;
  std::int64_t now = start;
  while (true) {
    const std::int64_t inside = now % period;
    if (inside < pause) {
      lost_s += 1e-9 * static_cast<double>(pause - inside);
      now += pause - inside;
      continue;
    }
    const std::int64_t left = period - inside;
    if (length <= left) return now + length;
    length -= std::min(left, run);
    now += left;
  }
}

// How the spans of a kernel come about: workers with spans of their own, which each repeat their
// share (apart), or one that stands for all.
struct Crew {
  Spans::Mode mode = Spans::Mode::together;
  int rows = 1;
};

Crew crew_of(std::string_view kernel, int workers) {
  if (kernel == "matmul" || kernel == "barrier") return {Spans::Mode::together, 1};
  const bool one = kernel.starts_with("chase") || kernel == "branch" || kernel == "wake";
  return {Spans::Mode::apart, one ? 1 : workers};
}

class FakeKernel : public Kernel {
 public:
  FakeKernel(World& world, const Problem& problem, const Placement& placement,
             std::optional<FakeLibrary> library)
      : world_(world),
        problem_(problem),
        workers_(placement.threads()),
        crew_(crew_of(problem.spec->name, placement.threads())),
        cpus_each_(crew_.rows == 1 ? workers_ : 1),
        library_(std::move(library)),
        dice_(world.machine.seed * 1000003 + ++world.prepared) {
    const FakeNoise& noise = world.machine.noise;
    one_ = world.machine.ideal_time(problem, placement);
    if (library_) {
      one_ /= library_->share.at(std::string(name(problem.dtype)));
      if (problem.operands == Operands::constant) one_ /= library_->constant_speedup;
      one_ += library_->startup_s;
    }
    one_ *= std::exp(dice_.normal(noise.between_runs));
    const bool slow = dice_.uniform() < noise.slow_share;
    world.clock_ratio = slow ? noise.slow_clock : 1;
    clock_ = world.clock_ratio;
    if (slow) one_ /= noise.slow_clock;
  }

  Result<Spans> run(int repeats, const StopToken& stop) override {
    if (library_ && library_->fault == "crash") {
      return failed("the library's worker ended by signal 11", "", "try another --library");
    }
    if (library_ && library_->fault == "hang") {
      return failed("the library's worker does not answer", "", "try another --library");
    }
    if (stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
    Spans spans;
    spans.mode = crew_.mode;
    spans.workers.resize(static_cast<std::size_t>(crew_.rows));
    std::vector<double> lost(spans.workers.size(), 0.0);
    std::int64_t end = world_.now_ns;
    for (std::size_t w = 0; w < spans.workers.size(); ++w) {
      std::int64_t now = world_.now_ns;
      for (int i = 0; i < repeats; ++i) {
        spans.workers[w].push_back(execute(now, w == 0, lost[w]));
      }
      end = std::max(end, now);
    }
    world_.own_s += 1e-9 * static_cast<double>(end - world_.now_ns) * workers_;
    world_.now_ns = end;
    if (!library_) {
      if (world_.machine.clock_hz) {
        spans.clock_hz.assign(spans.workers.size(), *world_.machine.clock_hz * clock_);
      }
      spans.lost_s = std::move(lost);
    }
    return spans;
  }

  Result<Check> check(const StopToken&) override {
    const bool wrong = library_ && library_->fault == "wrong";
    return Check{!wrong, true, "declared", wrong ? 12.5 : 0.0,
                 wrong ? "the result is not A · B (12.5 times the tolerance)" : ""};
  }
  Shape executed_shape() const override { return problem_.shape; }

 private:
  // Adds to `lost_s` what its CPU did else meanwhile.
  Span execute(std::int64_t& now, bool first, double& lost_s) {
    const FakeNoise& noise = world_.machine.noise;
    double time = one_ * (1 + dice_.exponential(noise.one_sided));
    if (dice_.uniform() < noise.outlier_share) time *= noise.outlier_factor;
    const auto length = std::max<std::int64_t>(0, std::llround(time * 1e9));
    const std::int64_t start = now;
    std::int64_t end = start + length;
    double taken = 0;
    if (first && noise.neighbour_share > 0) {
      const auto pause =
          static_cast<std::int64_t>(kTurn * noise.neighbour_share / (1 - noise.neighbour_share));
      end = end_of(start, length, kTurn + pause, pause, taken);
    }
    const auto stopped = static_cast<std::int64_t>(kPeriod * noise.throttled_share);
    double throttled = 0;
    end = end_of(start, end - start, kPeriod, stopped, throttled);
    world_.taken_s += taken;
    world_.throttled_s += throttled * cpus_each_;
    lost_s += taken + throttled;
    now = end;
    return {grain(start), grain(end), !library_ && taken + throttled > 0};
  }
  std::int64_t grain(std::int64_t ns) const {
    const auto step = std::llround(world_.machine.noise.clock_grain_s * 1e9);
    return step > 0 ? ns / step * step : ns;
  }

  World& world_;
  Problem problem_;
  int workers_;
  Crew crew_;
  double cpus_each_;  // CPUs one row of the spans stands for
  std::optional<FakeLibrary> library_;
  Dice dice_;
  double one_ = 0;
  double clock_ = 1;  // of the declared one
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(FakeMachine machine) { world_.machine = std::move(machine); }

  std::string name() const override { return "fake"; }
  std::vector<Device> devices() override { return {world_.machine.device}; }
  std::vector<Missing> missing() override { return {}; }

  std::vector<Variant> variants(const Device&, const Problem& problem) override {
    std::vector<Variant> found;
    const std::string dtype(roofbeam::name(problem.dtype));
    if (problem.spec->name == "matmul") {
      for (const auto& [library, facts] : world_.machine.libraries) {
        const bool lesson = library == "naive" || library == "blocked";
        if (facts.share.count(dtype) != 0) {
          found.push_back({library, "declared by the fake", lesson});
          for (const auto& other : facts.others) found.back().others.push_back(other.setting);
        }
      }
    } else if (world_.machine.ideal_time(problem, {{0}}) > 0) {
      found.push_back({"declared", "declared by the fake"});
    }
    std::stable_partition(found.begin(), found.end(), [](const Variant& v) { return !v.lesson; });
    return found;
  }

  Result<std::unique_ptr<Kernel>> prepare(const Device& device, const Problem& problem,
                                          const Variant& variant, const Placement& placement,
                                          const StopToken&) override {
    const Bytes needed = problem.work().footprint;
    const Bytes available = device.box.limits.memory_available;
    if (needed > available) {
      return failed(format("{} needs {} and {} is available", problem.spec->name,
                           show_binary(needed), show_binary(available)),
                    "", "choose a smaller size");
    }
    const auto library = world_.machine.libraries.find(variant.name);
    const bool product = problem.spec->name == "matmul";
    if (product && library == world_.machine.libraries.end()) {
      return failed("this fake machine declares no library " + variant.name);
    }
    if (!(world_.machine.ideal_time(problem, placement) > 0)) {
      return failed(format("this fake machine declares nothing that {} of this size depends on",
                           problem.spec->name));
    }
    if (!product) return std::make_unique<FakeKernel>(world_, problem, placement, std::nullopt);
    auto chosen = under(library->second, variant.setting);
    if (!chosen) return fail(chosen.error());
    if (chosen->share.count(std::string(roofbeam::name(problem.dtype))) == 0) {
      return failed("this fake machine declares no such share");
    }
    return std::make_unique<FakeKernel>(world_, problem, placement, std::move(*chosen));
  }

  DeviceState state(const Device&, const Placement&) override {
    DeviceState state;
    state.at_ns = world_.now_ns;
    state.own_s = world_.own_s;
    state.busy_s = world_.own_s + world_.taken_s;
    state.steal_s = 0.0;
    state.throttled_s = world_.throttled_s;
    state.clock_ratio = world_.clock_ratio;
    return state;
  }

 private:
  static Result<FakeLibrary> under(const FakeLibrary& library, const Setting& setting) {
    if (setting.variable.empty()) return library;
    for (const FakeSetting& other : library.others) {
      if (other.setting != setting) continue;
      if (other.fault == "wrong") return failed("wrong at m 17, n 31, k 13: declared");
      FakeLibrary changed = library;
      changed.share = other.share;
      changed.fault = other.fault;
      return changed;
    }
    return failed("this fake machine declares nothing of " + setting.variable);
  }

  World world_;
};

}  // namespace

std::unique_ptr<Backend> open_fake_backend(FakeMachine machine) {
  return std::make_unique<FakeBackend>(std::move(machine));
}

}  // namespace roofbeam
