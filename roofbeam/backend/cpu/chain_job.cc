// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "roofbeam/backend/cpu/chain_values.h"
#include "roofbeam/base/format.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

// Rounding makes the accumulators drift. They start again this often, so that they stay near where
// they began: 2^16 steps of f32 are at most 0.8 %, and those of f64 3e-11; f16 settles at a value
// within 1 % (tried on 4000 draws), and for it this is a precaution. A start costs some 50 cycles
// and 2^12 steps are tens of thousands.
std::int64_t steps_between_starts(DataType dtype) {
  return dtype == DataType::f16 ? std::int64_t{1} << 12 : std::int64_t{1} << 16;
}
// Relative; integers are exact.
double most_drift(DataType dtype) {
  return dtype == DataType::f64 ? 1e-9 : 0.05;
}

constexpr std::int64_t kCountedSteps = 6;

// Even in [from, to), from a seed.
double draw(std::uint64_t seed, double from, double to) {
  return from + static_cast<double>(mix(seed) >> 11) * 0x1p-53 * (to - from);
}

// Rows r0 … r4 of chain.h, one element of each.
void set_lane(ChainValues& rows, const ChainKernel& kernel, DataType dtype, int lane,
              std::uint64_t seed) {
  const int lanes = kernel.lanes;
  if (kernel.form == ChainForm::dot) {
    // Bytes at most 127 on either side: pairs of products fit in 16 bits where those are in
    // between, and it does not matter whether r0 is taken as signed.
    const bool bytes = dtype == DataType::int8;
    const double least = bytes ? 1 : 0.1, most = bytes ? 127 : 0.9;
    std::vector<double> r0, r1, r2;
    for (int part = 0; part < chain_parts(dtype); ++part) {
      const std::uint64_t own = seed + static_cast<std::uint64_t>(2 * part);
      r0.push_back(draw(own, least, most));
      r1.push_back(draw(own + 1, least, most) * (part % 2 == 0 ? 1 : -1));
      r2.push_back(-r1.back());
    }
    rows.set_parts(lane, r0);
    rows.set_parts(lanes + lane, r1);
    rows.set_parts(2 * lanes + lane, r2);
    return;
  }
  rows.set(lane, draw(seed, 1.1, 1.9));
  rows.set(lanes + lane, draw(seed + 1, 0.1, 0.9));
  const double grow = rows.get(lane), add = rows.get(lanes + lane);  // as they were rounded
  rows.set(2 * lanes + lane, 1 / grow);
  rows.set(3 * lanes + lane, kernel.form == ChainForm::add ? -add : -add / grow);
  rows.set(4 * lanes + lane, -add);
}

// Under these constants every instruction adds 1 to an accumulator, in whatever form.
ChainValues counting_constants(const ChainKernel& kernel, DataType dtype) {
  ChainValues rows(dtype, kConstantRows * kernel.lanes);
  const int parts = chain_parts(dtype);
  for (int i = 0; i < kConstantRows * kernel.lanes; ++i) {
    if (kernel.form != ChainForm::dot) {
      rows.set(i, 1);
    } else {
      const bool first = i < kernel.lanes;
      const double part = dtype == DataType::int8 || first ? 1 : 0.5;
      rows.set_parts(i, std::vector<double>(static_cast<std::size_t>(parts), part));
    }
  }
  return rows;
}

// Flops that a few steps really did, counted by what they changed. The chains themselves end where
// they began, and would do so without a single step.
double counted_flops(const ChainKernel& kernel, DataType dtype) {
  const ChainValues zeros(dtype, kernel.accumulators * kernel.lanes);
  ChainValues result = zeros;
  kernel.block(kCountedSteps, counting_constants(kernel, dtype).data(), zeros.data(),
               result.data());
  double flops = 0;
  for (int i = 0; i < kernel.accumulators * kernel.lanes; ++i) {
    switch (kernel.form) {
      case ChainForm::fma:
        flops += 2 * result.get(i);
        break;
      case ChainForm::add:
        flops += result.get(i);
        break;
      case ChainForm::any:
        flops += (i < kernel.multiplied * kernel.lanes ? 2 : 1) * result.get(i);
        break;
      // An instruction adds four products of ones to an integer, two halves to an f32.
      case ChainForm::dot:
        flops += (dtype == DataType::int8 ? 2 : 4) * result.get(i);
        break;
    }
  }
  return flops;
}

struct alignas(128) Worker {
  std::vector<ChainValues> values;  // initial, constants, result
};

class ChainJob : public Job {
 public:
  ChainJob(const ChainKernel& kernel, const Problem& problem, int workers)
      : kernel_(kernel), problem_(problem), workers_(static_cast<std::size_t>(workers)) {
    const std::int64_t share = problem.shape.n / workers / kernel.flops_per_step;
    steps_ = std::max<std::int64_t>(2, share / 2 * 2);
    executed_ = problem.shape;
    executed_.n = steps_ * kernel.flops_per_step * workers;
  }

  Status set_up(int worker) override {
    const DataType dtype = problem_.dtype;
    const int elements = kernel_.accumulators * kernel_.lanes;
    ChainValues initial(dtype, elements), constants(dtype, kConstantRows * kernel_.lanes);
    const std::uint64_t seed = mix(problem_.seed + static_cast<std::uint64_t>(worker));
    const double scale = dtype == DataType::int8 ? 0x1p20 : 1;
    for (int i = 0; i < elements; ++i) {
      initial.set(i, scale * draw(seed + static_cast<std::uint64_t>(i), 1, 2));
    }
    for (int lane = 0; lane < kernel_.lanes; ++lane) {
      set_lane(constants, kernel_, dtype, lane, seed + 7919 * static_cast<std::uint64_t>(lane + 1));
    }
    auto& own = workers_[static_cast<std::size_t>(worker)].values;
    own = {initial, constants, ChainValues(dtype, elements)};
    return {};
  }

  void execute(int worker) override {
    auto& own = workers_[static_cast<std::size_t>(worker)].values;
    const std::int64_t most = steps_between_starts(problem_.dtype);
    for (std::int64_t done = 0; done < steps_; done += most) {
      kernel_.block(std::min(most, steps_ - done), own[1].data(), own[0].data(), own[2].data());
    }
  }

  Check check() override {
    Check check{true, true, "every accumulator is back where it began; flops counted", 0, ""};
    const bool exact = problem_.dtype == DataType::int8;
    for (const Worker& worker : workers_) {
      const ChainValues& initial = worker.values[0];
      const ChainValues& result = worker.values[2];
      if (exact && !(result == initial)) check.error = HUGE_VAL;
      for (int i = 0; !exact && i < kernel_.accumulators * kernel_.lanes; ++i) {
        const double drift = std::fabs(result.get(i) / initial.get(i) - 1);
        const double error = drift / most_drift(problem_.dtype);
        check.error = std::max(check.error, std::isnan(error) ? HUGE_VAL : error);
      }
    }
    check.passed = check.error <= 1;
    if (!check.passed) check.complaint = "the arithmetic probe computed a wrong value";
    const double counted = counted_flops(kernel_, problem_.dtype);
    const double stated = static_cast<double>(kCountedSteps * kernel_.flops_per_step);
    if (counted != stated) {
      check.passed = false;
      check.error = HUGE_VAL;
      check.complaint = format("the arithmetic probe does {} of {} flops", counted, stated);
    }
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }
  bool wants_clock() const override { return true; }

 private:
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
