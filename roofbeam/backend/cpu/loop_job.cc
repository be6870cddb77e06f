// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/loop_job.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/kernel/freivalds.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

class LoopJob : public Job {
 public:
  LoopJob(ProductLoop loop, const Problem& problem, int workers)
      : loop_(loop), problem_(problem), workers_(workers), shape_(problem.shape) {}

  // Fills the operands; times a row to decide how many rows there is time for.
  Status begin() {
    const Shape& s = problem_.shape;
    for (auto [memory, elements] :
         {std::pair{&a_, s.m * s.k}, {&b_, s.k * s.n}, {&c_, s.m * s.n}}) {
      auto allocated = Memory::allocate(static_cast<std::size_t>(elements) * sizeof(float));
      if (!allocated) return fail(allocated.error());
      *memory = std::move(*allocated);
    }
    fill(Operand::a, s.m * s.k, a_);
    fill(Operand::b, s.k * s.n, b_);
    const std::int64_t start = monotonic_ns();
    loop_(0, 1, s.n, s.k, a_.as<float>(), b_.as<float>(), c_.as<float>());
    const double row = std::max(1e-9, 1e-9 * static_cast<double>(monotonic_ns() - start));
    const auto rows = static_cast<std::int64_t>(kLoopSeconds / row) * workers_;
    shape_.m = std::clamp<std::int64_t>(rows, std::min<std::int64_t>(workers_, s.m), s.m);
    return {};
  }

  Status set_up(int) override { return {}; }

  void execute(int worker) override {
    const std::int64_t first = shape_.m * worker / workers_;
    const std::int64_t last = shape_.m * (worker + 1) / workers_;
    float* c = c_.as<float>();
    loop_(first, last, shape_.n, shape_.k, a_.as<float>(), b_.as<float>(), c);
    if (problem_.dtype != DataType::bf16) return;
    for (std::int64_t i = first * shape_.n; i < last * shape_.n; ++i) {
      c[i] = float_from_bf16(bf16_from_float(c[i]));
    }
  }

  Check check() override {
    // The operands were rounded when they were made, so f32 views hold their exact values; only the
    // result's rounding is that of the type.
    const MatrixView a{a_.as<float>(), shape_.m, shape_.k, DataType::f32};
    const MatrixView b{b_.as<float>(), shape_.k, shape_.n, DataType::f32};
    if (problem_.dtype != DataType::bf16) {
      return check_product(a, b, {c_.as<float>(), shape_.m, shape_.n, DataType::f32},
                           problem_.seed);
    }
    std::vector<std::uint16_t> c(static_cast<std::size_t>(shape_.m * shape_.n));
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = bf16_from_float(c_.as<float>()[i]);
    return check_product(a, b, {c.data(), shape_.m, shape_.n, DataType::bf16}, problem_.seed);
  }

  Spans::Mode mode() const override { return Spans::Mode::together; }
  Shape executed_shape() const override { return shape_; }

 private:
  void fill(Operand operand, std::int64_t count, Memory& memory) {
    auto* values = memory.as<float>();
    if (problem_.dtype != DataType::bf16) {
      fill_operand(operand, DataType::f32, problem_.operands, problem_.seed, 0, count, values);
      return;
    }
    constexpr std::int64_t kPiece = 4096;
    std::vector<std::uint16_t> piece(kPiece);
    for (std::int64_t first = 0; first < count; first += kPiece) {
      const std::int64_t size = std::min(kPiece, count - first);
      fill_operand(operand, DataType::bf16, problem_.operands, problem_.seed, first, size,
                   piece.data());
      floats_from_bf16(piece.data(), size, values + first);
    }
  }

  ProductLoop loop_;
  Problem problem_;
  int workers_;
  Shape shape_;
  Memory a_;
  Memory b_;
  Memory c_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_loop_job(ProductLoop loop, const Problem& problem, int workers) {
  auto job = std::make_unique<LoopJob>(loop, problem, workers);
  if (auto ready = job->begin(); !ready) return fail(ready.error());
  return job;
}

}  // namespace roofbeam
