// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

// Multiply-adds on values that stay in registers: nothing but arithmetic. n counts multiply-adds.
Work fma_work(const Shape& shape, DataType) {
  return {Flops(2.0 * static_cast<double>(shape.n)), Bytes(0), Bytes(0), Bytes(0)};
}

// Reads the next n elements of an array of m · n, and adds them up; the additions count in no
// ceiling.
Work read_work(const Shape& shape, DataType type) {
  const Bytes bytes(static_cast<double>(shape.n) * facts(type).bytes);
  return {Flops(0), bytes, Bytes(0), bytes * static_cast<double>(shape.m)};
}

}  // namespace

Work matmul_work(const Shape& shape, DataType type) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const double size = facts(type).bytes;
  const Bytes read(size * (m * k + k * n));
  const Bytes written(size * m * n);
  return {Flops(2.0 * m * n * k), read, written, read + written};
}

const std::vector<KernelSpec>& kernel_table() {
  static const std::vector<KernelSpec> rows = {
      {"matmul",
       "C = A · B: m·n independent dot products of length k",
       {DataType::f32, DataType::bf16},
       matmul_work},
      {"fma",
       "independent chains of multiply-adds in registers: the arithmetic ceiling",
       {DataType::f32},
       fma_work},
      {"dot",
       "independent chains of two-element dot products in registers: the ceiling of bf16",
       {DataType::bf16},
       fma_work},
      {"read",
       "an array in order, a part at a time: the read bandwidth ceiling",
       {DataType::f32},
       read_work},
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
