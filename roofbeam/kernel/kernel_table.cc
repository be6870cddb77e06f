// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

constexpr double kCacheLine = 64;

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

// A load brings a whole line; 8 bytes of it are useful.
Work chase_work(const Shape& shape, DataType) {
  return {Flops(0), Bytes(8.0 * static_cast<double>(shape.n)), Bytes(0),
          Bytes(kCacheLine * static_cast<double>(shape.m))};
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
       arithmetic_work},
      {"any",
       "multiply-adds and additions at once: what no arithmetic can exceed",
       {DataType::f64, DataType::f32},
       arithmetic_work},
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
