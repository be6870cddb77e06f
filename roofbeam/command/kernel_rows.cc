// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/kernel_rows.h"

#include "roofbeam/base/format.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/shapes.h"
#include "roofbeam/model/expected.h"

namespace roofbeam {

const std::vector<KernelRow>& kernel_rows() {
  using enum DataType;
  using Memories = std::vector<std::string_view>;
  static const Memories each = {"l1", "l2", "l3", "dram"};
  static const Memories far = {"l2", "dram"};  // products of a few vectors
  static const Memories outside = {"dram"};
  static const Memories one = {};
  static const std::vector<KernelRow> rows = {
      {"add", "vadd", f32, each},
      {"scale", "vscale", f32, each},
      {"dot", "vdot", f32, each},
      {"triad", "triad", f32, each},
      {"matrix x vector", "gemv", f32, each},
      {"matrix x vector", "gemv", bf16, each},
      {"matrix x vector", "gemv", int8, each},
      {"matrix x 8", "gemv", f32, far, 8},
      {"matrix x 32", "gemv", f32, far, 32},
      {"matrix x 32", "gemv", bf16, outside, 32},
      {"matrix x 128", "matmul", f32, one, 128, 2048, kProduct},
      {"matrix x 512", "matmul", f32, one, 512, 2048, kProduct},
      {"matrix x 4096", "matmul", f32, one, 4096, 2048, kProduct},
      {"softmax", "softmax", f32, each, 1, 0, kUncounted},
      {"layer norm", "layer_norm", f32, each, 1, 0, kUncounted},
      {"stencil", "stencil", f32, each},
      {"square product", "matmul", f32, one, 1536, 1536, kProduct},
      {"square product", "matmul", bf16, one, 1536, 1536, kProduct},
      {"square product", "matmul", int8, one, 1536, 1536, kProduct},
      {"branchy", "branchy", f32, outside},
      {"pointer chase", "chase", f32, each},
      {"dependent chain", "fma_chain", f32, one, 1, 0, kChain},
  };
  return rows;
}

std::vector<KernelCase> cases_of(const KernelRow& row, const Box& box, int workers) {
  Problem problem;
  problem.spec = find_kernel(row.kernel);
  problem.dtype = row.dtype;
  if (row.memories.empty()) {
    if (row.size > 0) problem.shape = {row.batch, row.size, row.size};
    return {{&row, "", problem}};
  }
  std::vector<KernelCase> cases;
  for (const std::string_view memory : row.memories) {
    const int sharing = workers_at(*problem.spec, workers);
    const auto each = footprint_each(box, memory, sharing, Effort::quick);
    if (!each) continue;
    problem.shape = shape_over(*problem.spec, row.dtype, *each, sharing, row.batch);
    cases.push_back({&row, std::string(memory), problem});
  }
  return cases;
}

int workers_at(const KernelSpec& spec, int workers) {
  return spec.name == "chase" ? 1 : workers;
}

Operation operation_of(const KernelRow& row, const Problem& problem) {
  const Work work = problem.work();
  Operation operation;
  operation.name = row.name;
  operation.dtype = std::string(name(row.dtype));
  operation.flops = work.flops;
  operation.traffic = {{kMainMemory, work.bytes_read, work.bytes_written}};
  if (work.read_again > Bytes(0)) {
    operation.traffic.push_back({"l1", work.bytes_read + work.read_again, work.bytes_written});
  }
  operation.footprint = work.footprint;
  operation.arithmetic = row.arithmetic.empty() ? problem.spec->arithmetic : row.arithmetic;
  operation.stays_put = !row.memories.empty();
  operation.waiting_loads = work.waiting_loads;
  operation.wrong_guesses = work.wrong_guesses;
  return operation;
}

std::string shape_text(const Problem& problem) {
  const Shape& s = problem.shape;
  const std::string_view kernel = problem.spec->name;
  if (kernel == "matmul") return format("{} x {} times {} x {}", s.m, s.k, s.k, s.n);
  if (kernel == "gemv") return format("{} x {} times {} x {}", s.n, s.k, s.k, s.m);
  const Work work = problem.work();
  if (work.footprint <= Bytes(0)) return format("{} operations", s.n);
  return format("{} of data", show_binary(work.footprint));
}

}  // namespace roofbeam
