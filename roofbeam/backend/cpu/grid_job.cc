// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/grid_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/backend/cpu/xorshift.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kStagger = 1024 + 21 * 16;  // elements: as the arrays of stream_job.cc
constexpr std::int64_t kChecked = std::int64_t{1} << 21;  // elements that a check computes again

// What should stand in one row of `out`, in double precision.
using Row = std::vector<double>;

Row softmax_of(const GridArrays& arrays, std::int64_t row) {
  const float* const in = arrays.in + row * arrays.stride;
  const float* const end = in + arrays.columns;
  const double top = *std::max_element(in, end);
  Row wanted;
  double sum = 0;
  for (const float* x = in; x != end; ++x) {
    wanted.push_back(std::exp(*x - top));
    sum += wanted.back();
  }
  for (double& value : wanted) value /= sum;
  return wanted;
}

Row layer_norm_of(const GridArrays& arrays, std::int64_t row) {
  const float* const in = arrays.in + row * arrays.stride;
  const double count = static_cast<double>(arrays.columns);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < arrays.columns; ++i) mean += in[i] / count;
  for (std::int64_t i = 0; i < arrays.columns; ++i) {
    variance += (in[i] - mean) * (in[i] - mean) / count;
  }
  Row wanted;
  for (std::int64_t i = 0; i < arrays.columns; ++i) {
    const double normal = (in[i] - mean) / std::sqrt(variance + double{kLayerNormEpsilon});
    wanted.push_back(normal * arrays.gamma[i] + arrays.beta[i]);
  }
  return wanted;
}

Row stencil_of(const GridArrays& arrays, std::int64_t row) {
  const float* const in = arrays.in + row * arrays.stride;
  Row wanted;
  for (std::int64_t i = 0; i < arrays.columns; ++i) {
    const double sides =
        double{in[i - 1]} + in[i + 1] + in[i - arrays.stride] + in[i + arrays.stride];
    wanted.push_back(double{kStencilCentre} * in[i] + double{kStencilSide} * sides);
  }
  return wanted;
}

struct Reference {
  std::string_view kernel;
  Row (*row)(const GridArrays& arrays, std::int64_t row);
  // How far an element may be off: a part of itself, and a part of 1.
  double relative;
  double absolute;
};
// Elements are between 0.5 and 2 in size, and a row's sums are of 4 · 4 parts or more.
constexpr Reference kReferences[] = {
    {"softmax", softmax_of, 4e-6, 1e-30},
    {"layer_norm", layer_norm_of, 2e-6, 4e-6},
    {"stencil", stencil_of, 0, 8 * 0x1p-24},
};

const Reference& reference_of(std::string_view kernel) {
  const Reference* found = kReferences;
  while (found->kernel != kernel) ++found;
  return *found;
}

struct alignas(128) Worker {
  Memory memory;
  GridArrays arrays;
};

class GridJob : public Job {
 public:
  GridJob(GridBlock block, const Problem& problem, int workers)
      : block_(block),
        problem_(problem),
        reference_(reference_of(problem.spec->name)),
        rows_(std::max<std::int64_t>(1, problem.shape.m / workers)),
        workers_(static_cast<std::size_t>(workers)),
        executed_(problem.shape) {
    executed_.m = rows_ * workers;
  }

  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::int64_t columns = problem_.shape.n;
    const std::int64_t lines = (columns + kGridRim - 1) / kGridRim * kGridRim;
    // Only a stencil looks beyond a row; for others the rim would be memory passed over in vain.
    const std::int64_t rim = reference_.row == stencil_of ? kGridRim : 0;
    const std::int64_t stride = lines + rim;
    const std::int64_t grid = (rows_ + 2) * stride + 2 * kGridRim;
    const std::int64_t all = 2 * (grid + kStagger) + 2 * lines;
    auto memory = Memory::allocate(static_cast<std::size_t>(all) * sizeof(float));
    if (!memory) return fail(memory.error());
    own.memory = std::move(*memory);
    auto* const in = own.memory.as<float>();
    float* const out = in + grid + kStagger;
    float* const gamma = out + grid + kStagger;
    Xorshift random(problem_.seed + static_cast<std::uint64_t>(worker));
    fill(in, grid, random);
    fill(gamma, 2 * lines, random);
    std::fill_n(out, grid, std::numeric_limits<float>::quiet_NaN());
    own.arrays = {
        in + stride + kGridRim, out + kGridRim, gamma, gamma + lines, rows_, columns, stride};
    return {};
  }

  void execute(int worker) override {
    const GridArrays& arrays = workers_[static_cast<std::size_t>(worker)].arrays;
    for (std::int64_t i = 0; i < problem_.shape.repeats; ++i) block_(arrays);
  }

  Check check() override {
    Check check{true, true, "rows computed again in double precision", 0, ""};
    const std::int64_t wanted = std::max<std::int64_t>(16, kChecked / problem_.shape.n);
    const std::int64_t distance = rows_ / wanted + 1;
    for (const Worker& own : workers_) {
      for (std::int64_t row = rows_ - 1; row >= 0; row -= distance) {
        check.error = std::max(check.error, error_of(own.arrays, row));
      }
    }
    check.passed = check.error <= 1;
    if (!check.passed) {
      check.complaint = format("{} left a wrong value in a row", problem_.spec->name);
    }
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  // Between 0.5 and 2 in size, and of either sign.
  static void fill(float* data, std::int64_t count, Xorshift& random) {
    auto* const words = reinterpret_cast<std::uint64_t*>(data);
    for (std::int64_t i = 0; i < count / 2; ++i) {
      words[i] = (random.next() & 0x80ffffff80ffffff) | 0x3f0000003f000000;
    }
  }

  double error_of(const GridArrays& arrays, std::int64_t row) const {
    constexpr double kLargest = 1e30;
    const Row wanted = reference_.row(arrays, row);
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double found = arrays.out[row * arrays.stride + static_cast<std::int64_t>(i)];
      const double most = reference_.relative * std::fabs(wanted[i]) + reference_.absolute;
      const double error = std::fabs(found - wanted[i]) / most;
      worst = std::max(worst, error < kLargest ? error : kLargest);  // NaN too
    }
    return worst;
  }

  GridBlock block_;
  Problem problem_;
  const Reference& reference_;
  std::int64_t rows_;  // of a worker
  std::vector<Worker> workers_;
  Shape executed_;
};

}  // namespace

std::unique_ptr<Job> make_grid_job(GridBlock block, const Problem& problem, int workers) {
  return std::make_unique<GridJob>(block, problem, workers);
}

}  // namespace roofbeam
