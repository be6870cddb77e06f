// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/loop_job.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/kernel/freivalds.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

std::uint16_t narrowed(DataType dtype, float value) {
  return dtype == DataType::bf16 ? bf16_from_float(value) : f16_from_float(value);
}
float widened(DataType dtype, std::uint16_t bits) {
  return dtype == DataType::bf16 ? float_from_bf16(bits) : float_from_f16(bits);
}

// A, B and C are what the loop computes in: the type's own elements, but f32 for bf16 and f16.
template <class A, class B, class C>
class LoopJob : public Job {
 public:
  LoopJob(ProductLoop<A, B, C> loop, const Problem& problem, int workers)
      : loop_(loop), problem_(problem), workers_(workers), shape_(problem.shape) {}

  // Fills the operands; times a row to decide how many rows there is time for.
  Status begin() {
    const Shape& s = problem_.shape;
    for (auto [memory, bytes] : {std::pair{&a_, s.m * s.k * std::int64_t{sizeof(A)}},
                                 {&b_, s.k * s.n * std::int64_t{sizeof(B)}},
                                 {&c_, s.m * s.n * std::int64_t{sizeof(C)}}}) {
      auto allocated = Memory::allocate(static_cast<std::size_t>(bytes));
      if (!allocated) return fail(allocated.error());
      *memory = std::move(*allocated);
    }
    fill<A>(Operand::a, s.m * s.k, a_);
    fill<B>(Operand::b, s.k * s.n, b_);
    const std::int64_t start = monotonic_ns();
    loop_(0, 1, s.n, s.k, a_.as<A>(), b_.as<B>(), c_.as<C>());
    const double row = std::max(1e-9, 1e-9 * static_cast<double>(monotonic_ns() - start));
    const auto rows = static_cast<std::int64_t>(kLoopSeconds / row) * workers_;
    shape_.m = std::clamp<std::int64_t>(rows, std::min<std::int64_t>(workers_, s.m), s.m);
    return {};
  }

  Status set_up(int) override { return {}; }

  void execute(int worker) override {
    const std::int64_t first = shape_.m * worker / workers_;
    const std::int64_t last = shape_.m * (worker + 1) / workers_;
    C* c = c_.as<C>();
    loop_(first, last, shape_.n, shape_.k, a_.as<A>(), b_.as<B>(), c);
    if (!halves()) return;
    for (std::int64_t i = first * shape_.n; i < last * shape_.n; ++i) {
      c[i] = static_cast<C>(
          widened(problem_.dtype, narrowed(problem_.dtype, static_cast<float>(c[i]))));
    }
  }

  Check check() override {
    ProductElements elements = product_elements(problem_.dtype);
    // The operands were rounded when they were made, so f32 views hold their exact values; only the
    // result's rounding is that of the type.
    if (halves()) elements.a = elements.b = Element::f32;
    const MatrixView a{a_.as<A>(), shape_.m, shape_.k, elements.a};
    const MatrixView b{b_.as<B>(), shape_.k, shape_.n, elements.b};
    const C* values = c_.as<C>();
    if (!halves()) {
      return check_product(a, b, {values, shape_.m, shape_.n, elements.c}, problem_.seed);
    }
    std::vector<std::uint16_t> c(static_cast<std::size_t>(shape_.m * shape_.n));
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = narrowed(problem_.dtype, static_cast<float>(values[i]));
    }
    return check_product(a, b, {c.data(), shape_.m, shape_.n, elements.c}, problem_.seed);
  }

  Spans::Mode mode() const override { return Spans::Mode::together; }
  Shape executed_shape() const override { return shape_; }

 private:
  bool halves() const {
    return problem_.dtype == DataType::bf16 || problem_.dtype == DataType::f16;
  }

  template <class T>
  void fill(Operand operand, std::int64_t count, Memory& memory) {
    T* values = memory.as<T>();
    if (!halves()) {
      fill_operand(operand, problem_.dtype, problem_.operands, problem_.seed, 0, count, values);
      return;
    }
    constexpr std::int64_t kPiece = 4096;
    std::vector<std::uint16_t> piece(kPiece);
    for (std::int64_t first = 0; first < count; first += kPiece) {
      const std::int64_t size = std::min(kPiece, count - first);
      fill_operand(operand, problem_.dtype, problem_.operands, problem_.seed, first, size,
                   piece.data());
      for (std::int64_t i = 0; i < size; ++i) {
        values[first + i] =
            static_cast<T>(widened(problem_.dtype, piece[static_cast<std::size_t>(i)]));
      }
    }
  }

  ProductLoop<A, B, C> loop_;
  Problem problem_;
  int workers_;
  Shape shape_;
  Memory a_;
  Memory b_;
  Memory c_;
};

template <class A, class B, class C>
Result<std::unique_ptr<Job>> made(ProductLoop<A, B, C> loop, const Problem& problem, int workers) {
  auto job = std::make_unique<LoopJob<A, B, C>>(loop, problem, workers);
  if (auto ready = job->begin(); !ready) return fail(ready.error());
  return job;
}

}  // namespace

Bytes loop_bytes(const Problem& problem) {
  const bool halves = problem.dtype == DataType::bf16 || problem.dtype == DataType::f16;
  return problem.spec->work(problem.shape, halves ? DataType::f32 : problem.dtype).footprint;
}

Result<std::unique_ptr<Job>> make_loop_job(const ProductLoops& loops, const Problem& problem,
                                           int workers) {
  if (problem.dtype == DataType::f64) return made(loops.f64, problem, workers);
  if (problem.dtype == DataType::int8) return made(loops.int8, problem, workers);
  return made(loops.f32, problem, workers);
}

}  // namespace roofbeam
