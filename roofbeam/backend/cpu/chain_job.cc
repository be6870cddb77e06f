// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

// Rounding makes the accumulators drift by up to 2^-24 a step. They start again this often, so that
// they stay near where they began. The check sees wrong values, not steps left out; that time grows
// with the steps is a test of its own.
constexpr std::int64_t kStepsBetweenStarts = std::int64_t{1} << 16;
constexpr double kMostDrift = 0.05;  // relative; 2^16 steps of 2^-24 are 0.004
constexpr int kConstantRows = 4;

// Even in [from, to), from a seed.
float draw(std::uint64_t seed, double from, double to) {
  const double unit = static_cast<double>(mix(seed) >> 11) * 0x1p-53;
  return static_cast<float>(from + unit * (to - from));
}

float bf16_pair(float low, float high) {
  const std::uint32_t bits = static_cast<std::uint32_t>(bf16_from_float(low)) |
                             static_cast<std::uint32_t>(bf16_from_float(high)) << 16;
  float pair = 0;
  std::memcpy(&pair, &bits, sizeof pair);
  return pair;
}

struct alignas(64) Worker {
  std::vector<float> initial;
  std::vector<float> constants;
  std::vector<float> result;
};

class ChainJob : public Job {
 public:
  ChainJob(const ChainKernel& kernel, const Problem& problem, int workers)
      : kernel_(kernel), problem_(problem), workers_(static_cast<std::size_t>(workers)) {
    const std::int64_t one_step = std::int64_t{kernel.chains} * kernel.lanes * kernel.multiply_adds;
    const std::int64_t share = problem.shape.n / workers / one_step;
    steps_ = std::max(kChainUnroll, share / kChainUnroll * kChainUnroll);
    executed_.n = steps_ * one_step * workers;
  }

  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const auto lanes = static_cast<std::size_t>(kernel_.lanes);
    own.initial.resize(lanes * static_cast<std::size_t>(kernel_.chains));
    own.result.resize(own.initial.size());
    own.constants.resize(lanes * kConstantRows);
    const std::uint64_t seed = mix(problem_.seed + static_cast<std::uint64_t>(worker));
    for (std::size_t i = 0; i < own.initial.size(); ++i) own.initial[i] = draw(seed + i, 1, 2);
    for (std::size_t i = 0; i < lanes; ++i) fill_constants(own, lanes, i, seed + 7919 * (i + 1));
    return {};
  }

  void execute(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    for (std::int64_t done = 0; done < steps_; done += kStepsBetweenStarts) {
      kernel_.block(std::min(kStepsBetweenStarts, steps_ - done), own.constants.data(),
                    own.initial.data(), own.result.data());
    }
  }

  Check check() override {
    Check check{true, true, "every accumulator is back where it began, within its rounding", 0, ""};
    for (const Worker& own : workers_) {
      for (std::size_t i = 0; i < own.result.size(); ++i) {
        const double drift = std::fabs(own.result[i] / own.initial[i] - 1.0) / kMostDrift;
        check.error = drift <= check.error ? check.error : drift;  // a NaN is kept
      }
    }
    check.passed = check.error <= 1;
    if (!check.passed) check.complaint = "the arithmetic probe computed a wrong value";
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  void fill_constants(Worker& own, std::size_t lanes, std::size_t lane, std::uint64_t seed) {
    float* rows = own.constants.data() + lane;
    if (problem_.dtype == DataType::bf16) {
      const float plus = draw(seed, 0.1, 0.9);
      const float odd = draw(seed + 1, 0.1, 0.9);
      rows[0] = bf16_pair(draw(seed + 2, 0.1, 0.9), draw(seed + 3, 0.1, 0.9));
      rows[lanes] = bf16_pair(plus, odd);
      rows[2 * lanes] = bf16_pair(-plus, -odd);
      return;
    }
    const float grow = draw(seed, 1.1, 1.9);
    const float add = draw(seed + 1, 0.1, 0.9);
    rows[0] = grow;
    rows[lanes] = add;
    rows[2 * lanes] = 1 / grow;
    rows[3 * lanes] = -add / grow;
  }

  ChainKernel kernel_;
  Problem problem_;
  std::vector<Worker> workers_;
  std::int64_t steps_ = 0;
  Shape executed_;
};

}  // namespace

std::unique_ptr<Job> make_chain_job(const ChainKernel& kernel, const Problem& problem,
                                    int workers) {
  return std::make_unique<ChainJob>(kernel, problem, workers);
}

}  // namespace roofbeam
