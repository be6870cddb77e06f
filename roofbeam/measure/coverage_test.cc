// SPDX-License-Identifier: Apache-2.0
// Is low…high where another run falls 19 times in 20? On fake machines whose noise is known, many
// runs are made, each with draws of its own, and every run's interval is held against the values of
// all the others. docs/methods/intervals.md prints the table.
//
// ROOFBEAM_COVERAGE_SEED shifts all seeds: any text, such as a commit's hash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {
namespace {

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kRuns = 2000;
constexpr double kSlack = 0;
#else
constexpr std::uint64_t kRuns = 300;
constexpr double kSlack = 0.03;  // so few runs say less
#endif

constexpr double kCore = 1e11;
constexpr double kWindow = 0.3e-3;

struct Setting {
  const char* name;
  const char* kernel;
  int workers;
  FakeNoise noise;
  bool tells_clock;  // else a slow state shows in the device's clock ratio only
};

FakeNoise noise_of(double one_sided, double between_runs) {
  FakeNoise noise;
  noise.one_sided = one_sided;
  noise.between_runs = between_runs;
  return noise;
}

FakeNoise with_outliers(FakeNoise noise) {
  noise.outlier_share = 0.02;
  noise.outlier_factor = 5;
  return noise;
}

FakeNoise with_states(FakeNoise noise, double share, double clock) {
  noise.slow_share = share;
  noise.slow_clock = clock;
  return noise;
}

FakeNoise with_grain(FakeNoise noise, double grain) {
  noise.clock_grain_s = grain;
  return noise;
}

FakeNoise with_neighbour(FakeNoise noise) {
  noise.neighbour_share = 0.5;
  return noise;
}

std::vector<Setting> settings() {
  const FakeNoise quiet = noise_of(0.004, 0.002);
  const FakeNoise noisy = with_outliers(noise_of(0.02, 0.01));
  return {
      {"quiet", "fma", 2, quiet, true},
      {"noise within a restart only", "fma", 1, noise_of(0.02, 0), true},
      {"noise between restarts only", "fma", 2, noise_of(0, 0.01), true},
      {"noisy, with outliers", "fma", 2, noisy, true},
      {"a fifth of restarts at 93 % of the clock", "fma", 2, with_states(noisy, 0.2, 0.93), true},
      {"three tenths at 90 %, told by the device", "fma", 1, with_states(noisy, 0.3, 0.9), false},
      {"a third at 90 %", "fma", 1, with_states(noisy, 1.0 / 3, 0.9), true},
      {"a clock in steps of 42 ns", "fma", 2, with_grain(noisy, 42e-9), true},
      {"a clock in steps of 1 us", "fma", 1, with_grain(quiet, 1e-6), true},
      {"a neighbour on one core", "fma", 2, with_neighbour(noisy), true},
      {"a product", "matmul", 2, noisy, true},
      {"a product, two clock states", "matmul", 2, with_states(noisy, 0.3, 0.9), true},
  };
}

FakeMachine machine_of(const Setting& setting, std::uint64_t seed) {
  FakeMachine machine;
  machine.device.id = "fake";
  machine.device.box.topology.cores.resize(2);
  machine.device.box.topology.caches = {{3, Bytes(32.0 * 1024 * 1024), 1, 2}};
  machine.device.box.limits.memory_available = Bytes(16e9);
  machine.seed = seed;
  machine.ceilings = {{"compute.f32.fma.core", kCore}};
  machine.libraries["lib"] = {{{"f32", 1.0}}, 0, ""};
  machine.noise = setting.noise;
  if (setting.tells_clock) machine.clock_hz = 4e9;
  return machine;
}

bool is_product(const Setting& setting) {
  return setting.kernel == std::string("matmul");
}

Estimate<double> run_once(const Setting& setting, std::uint64_t seed) {
  const auto backend = open_fake_backend(machine_of(setting, seed));
  Problem problem;
  problem.spec = find_kernel(setting.kernel);
  Placement placement;
  for (int cpu = 0; cpu < setting.workers; ++cpu) placement.cpus.push_back(cpu);
  Plan plan;
  std::string variant = "declared";
  if (is_product(setting)) {
    problem.shape = {512, 512, 512};
    variant = "lib";
    plan.batch = Seconds(0);
    plan.stopping = {1, 1000, Seconds(0.05), 0.005};
  } else {
    problem.shape.n = std::llround(kCore * setting.workers * kWindow);
    plan.method = Method::best;
    plan.warm_up = Seconds(0.004);
    plan.batch = Seconds(0.008);
    plan.stopping = {20, 100000, Seconds(0.016), 0.002};
  }
  NoProgress quiet;
  const auto measured = measure(*backend, backend->devices().front(), problem, {variant, "", false},
                                placement, plan, {}, quiet);
  if (!measured) return {};
  return divide(problem.work().flops.value(), bare(measured->time));
}

std::uint64_t first_seed() {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const char* shift = std::getenv("ROOFBEAM_COVERAGE_SEED");
  if (shift == nullptr) return 1;
  for (; *shift != '\0'; ++shift) {
    hash = (hash ^ static_cast<unsigned char>(*shift)) * 0x100000001b3ULL;
  }
  return hash >> 24;
}

struct Found {
  double coverage = 0;     // of all pairs of runs, how often one's interval holds the other's value
  double width_ratio = 0;  // the median width, to that of the middle 95 % of the values
  double bias = 0;         // of the mean value, to the declared ceiling
};

Found look_at(const Setting& setting) {
  std::vector<Estimate<double>> runs;
  std::vector<double> values;
  std::vector<double> widths;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    runs.push_back(run_once(setting, first_seed() + i));
    values.push_back(runs.back().value);
    widths.push_back(runs.back().high / runs.back().low - 1);
  }
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < runs.size(); ++j) {
      if (i != j && runs[i].low <= values[j] && values[j] <= runs[i].high) ++covered;
    }
  }
  const double pairs = static_cast<double>(runs.size() * (runs.size() - 1));
  // What an interval has to allow for beyond noise: a step on either side.
  const double steps = 2 * setting.noise.clock_grain_s / kWindow;
  const double oracle = quantile(values, 0.975) / quantile(values, 0.025) - 1 + steps;
  return {static_cast<double>(covered) / pairs, median(widths) / oracle,
          mean(values) / (kCore * setting.workers) - 1};
}

TEST(Coverage, AnotherRunFallsWithinTheInterval19TimesIn20) {
  std::printf("%-42s %8s %6s %7s\n", "noise", "covered", "width", "bias");
  for (const Setting& setting : settings()) {
    const Found found = look_at(setting);
    std::printf("%-42s %6.1f %% %6.2f %5.2f %%\n", setting.name, 100 * found.coverage,
                found.width_ratio, 100 * found.bias);
    EXPECT_GE(found.coverage, 0.93 - kSlack) << setting.name;
    // Between two steps of a coarse clock there is nothing to miss.
    const bool coarse = setting.noise.clock_grain_s > 0.001 * kWindow;
    if (!coarse) {
      EXPECT_LE(found.coverage, 0.97 + kSlack) << setting.name;
    }
    EXPECT_LE(found.width_ratio, 2 + 10 * kSlack) << setting.name;
    if (!is_product(setting)) {
      EXPECT_NEAR(found.bias, 0, 0.01) << setting.name;
    }
  }
}

}  // namespace
}  // namespace roofbeam
