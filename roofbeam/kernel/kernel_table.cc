// SPDX-License-Identifier: Apache-2.0
// size: the table is one list, and grows with the kernels.
#include "roofbeam/kernel/kernel_table.h"

#include <cmath>

namespace roofbeam {
namespace {

constexpr double kCacheLine = 64;
constexpr double kGemvRows = 8;  // rows of weights that are multiplied with a vector at once
constexpr double kSumBytes = 4;  // of a result: f32, or 32-bit integers for int8

// Nothing but arithmetic, on values that stay in registers.
Work arithmetic_work(const Shape& shape, DataType) {
  return {Flops(static_cast<double>(shape.n)), Bytes(0), Bytes(0), Bytes(0)};
}

// `read` and `written` arrays, each passed over once; arithmetic on what passes counts in no
// ceiling of bandwidth.
Work stream_work(const Shape& shape, DataType type, int read, int written) {
  const Bytes pass(static_cast<double>(shape.n) * facts(type).bytes);
  const Bytes array(static_cast<double>(shape.m) * facts(type).bytes);
  return {Flops(0), pass * read, pass * written, array * (read + written)};
}

Work read_work(const Shape& shape, DataType type) {
  return stream_work(shape, type, 1, 0);
}
Work write_work(const Shape& shape, DataType type) {
  return stream_work(shape, type, 0, 1);
}
Work copy_work(const Shape& shape, DataType type) {
  return stream_work(shape, type, 1, 1);
}
Work triad_work(const Shape& shape, DataType type) {
  Work work = stream_work(shape, type, 2, 1);
  work.flops = Flops(2.0 * static_cast<double>(shape.n));
  return work;
}

Work vadd_work(const Shape& shape, DataType type) {
  Work work = stream_work(shape, type, 2, 1);
  work.flops = Flops(static_cast<double>(shape.n));
  return work;
}
Work vscale_work(const Shape& shape, DataType type) {
  Work work = stream_work(shape, type, 1, 1);
  work.flops = Flops(static_cast<double>(shape.n));
  return work;
}
Work vdot_work(const Shape& shape, DataType type) {
  Work work = stream_work(shape, type, 2, 0);
  work.flops = Flops(2.0 * static_cast<double>(shape.n));
  return work;
}
// An addition in either path, and every other sign comes unforeseen.
Work branchy_work(const Shape& shape, DataType type) {
  Work work = stream_work(shape, type, 1, 0);
  work.flops = Flops(static_cast<double>(shape.n));
  work.wrong_guesses = 0.5 * static_cast<double>(shape.n);
  return work;
}

Work gemv_work(const Shape& shape, DataType type) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const double times = static_cast<double>(shape.repeats);
  const Bytes read(facts(type).bytes * (n * k + m * k));
  const Bytes written(kSumBytes * m * n);
  Work work = {Flops(2 * m * n * k * times), read * times, written * times, read + written};
  // The vectors stay near, and come again with every group of rows; the weights, with every further
  // group of vectors.
  work.read_again = Bytes(facts(type).bytes * times * (m * k * (std::ceil(n / kGemvRows) - 1)));
  return work;
}

// Rows of a grid into another, an element for each; and a few operands for all rows.
Work rows_work(const Shape& shape, DataType type, double flops_each, double for_all_rows) {
  const double n = static_cast<double>(shape.n);
  const double elements = static_cast<double>(shape.m) * n;
  const double times = static_cast<double>(shape.repeats);
  const double size = facts(type).bytes;
  const Bytes read(size * (elements + for_all_rows * n));
  const Bytes written(size * elements);
  return {Flops(flops_each * elements * times), read * times, written * times, read + written};
}
// What an exponential counts is a matter of taste: none of it is counted.
Work softmax_work(const Shape& shape, DataType type) {
  return rows_work(shape, type, 0, 0);
}
// d = x - first, the sum of d, that of d · d; then (x - mean) · (scale · gamma) + beta.
Work layer_norm_work(const Shape& shape, DataType type) {
  return rows_work(shape, type, 4 + 4, 2);
}
// Four additions and two multiplications. The rim around the grid is not counted.
Work stencil_work(const Shape& shape, DataType type) {
  return rows_work(shape, type, 6, 0);
}

// A load brings a whole line; 8 bytes of it are useful.
Work chase_work(const Shape& shape, DataType) {
  const double loads = static_cast<double>(shape.n);
  Work work = {Flops(0), Bytes(8 * loads), Bytes(0),
               Bytes(kCacheLine * static_cast<double>(shape.m))};
  work.waiting_loads = loads;
  return work;
}

// Events cost time and neither flops nor bytes.
Work event_work(const Shape&, DataType) {
  return {};
}

}  // namespace

Work matmul_work(const Shape& shape, DataType type) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const ProductElements elements = product_elements(type);
  const Bytes read(facts(elements.a).bytes * m * k + facts(elements.b).bytes * k * n);
  const Bytes written(facts(elements.c).bytes * m * n);
  return {Flops(2.0 * m * n * k), read, written, read + written};
}

const std::vector<KernelSpec>& kernel_table() {
  static const std::vector<KernelSpec> rows = {
      {"matmul",
       "C = A · B: m·n independent dot products of length k",
       {DataType::f32, DataType::bf16, DataType::f64, DataType::int8, DataType::f16},
       matmul_work},
      {"fma",
       "independent chains of multiply-adds in registers: the arithmetic of matrix products",
       {DataType::f64, DataType::f32, DataType::f16},
       arithmetic_work},
      {"add",
       "independent chains of additions in registers",
       {DataType::f64, DataType::f32},
       arithmetic_work,
       "add"},
      {"any",
       "multiply-adds and additions at once: what no arithmetic can exceed",
       {DataType::f64, DataType::f32},
       arithmetic_work,
       "any"},
      {"dot",
       "independent chains of short dot products in registers: the ceiling of small types",
       {DataType::bf16, DataType::int8},
       arithmetic_work},
      {"read", "an array in order, added up", {DataType::f32}, read_work},
      {"write", "one value into an array in order", {DataType::f32}, write_work},
      {"write_nt", "the same past the caches (non-temporal)", {DataType::f32}, write_work},
      {"copy", "an array into another in order", {DataType::f32}, copy_work},
      {"copy_nt", "the same, written past the caches", {DataType::f32}, copy_work},
      {"triad", "a = b + s · c in order", {DataType::f32}, triad_work},
      {"triad_nt", "the same, written past the caches", {DataType::f32}, triad_work},
      {"vadd", "a = b + c in order", {DataType::f32}, vadd_work, "add"},
      // Nothing measures multiplications alone; they take the units of multiply-adds.
      {"vscale", "a = s · b in order", {DataType::f32}, vscale_work, "any"},
      {"vdot", "the sum of b · c in order", {DataType::f32}, vdot_work},
      {"gemv",
       "Y = X · Wᵀ: every row of the weights W times one vector, or times a few",
       {DataType::f32, DataType::bf16, DataType::int8},
       gemv_work,
       "fma",
       &Shape::repeats},
      {"softmax",
       "every row to exponentials of what it is below its largest element, whose sum is 1",
       {DataType::f32},
       softmax_work,
       "any",
       &Shape::repeats},
      {"layer_norm",
       "every row shifted and scaled to mean 0 and variance 1, then · gamma + beta",
       {DataType::f32},
       layer_norm_work,
       "any",
       &Shape::repeats},
      {"stencil",
       "every point of a grid from itself and its four neighbours",
       {DataType::f32},
       stencil_work,
       "any",
       &Shape::repeats},
      {"branchy",
       "one of two short paths for each element, by its sign (constant operands: always the same)",
       {DataType::f32},
       branchy_work,
       "add"},
      {"fma_chain",
       "one chain of multiply-adds a worker, each waiting for the one before it",
       {DataType::f32},
       arithmetic_work},
      {"chase",
       "loads that wait for each other, at random: the latency of a memory",
       {DataType::f32},
       chase_work},
      {"chase_loaded",
       "the same by the first worker while the others read without a pause",
       {DataType::f32},
       chase_work},
      {"branch",
       "a branch a step, taken at random (constant operands: always)",
       {DataType::f32},
       event_work},
      {"barrier", "all workers meet", {DataType::f32}, event_work},
      {"wake", "one worker wakes another that sleeps", {DataType::f32}, event_work},
  };
  return rows;
}

const KernelSpec* find_kernel(std::string_view name) {
  for (const KernelSpec& row : kernel_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace roofbeam
