// SPDX-License-Identifier: Apache-2.0
// The kernels that `roofline` places: which, in which type, of which sizes. A row each. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/hardware/box.h"
#include "roofbeam/kernel/kernel_spec.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

struct KernelRow {
  std::string_view name;    // for people, and what --only takes: matrix x vector
  std::string_view kernel;  // of the kernel table
  DataType dtype;
  std::vector<std::string_view> memories;  // its data is made to lie in each of them in turn
  std::int64_t batch = 1;                  // vectors that the weights are multiplied with
  std::int64_t size = 0;  // of weights that have one size whatever the memories: n and k
  // What its flops are made of where the kernel table cannot know: chain or uncounted
  // (model/expected.h).
  std::string_view arithmetic = "";
};
const std::vector<KernelRow>& kernel_rows();

// A row at one of its sizes.
struct KernelCase {
  const KernelRow* row = nullptr;
  std::string memory;  // that its data is made to lie in; empty where the row has one size
  Problem problem;     // one pass over its data
};
// The cases of a row on this device: those memories it has.
std::vector<KernelCase> cases_of(const KernelRow& row, const Box& box, int workers);

// How many of `workers` work at it: where one load waits for the one before, only the first.
int workers_at(const KernelSpec& spec, int workers);

// What the model takes of it, and its shape in words.
Operation operation_of(const KernelRow& row, const Problem& problem);
std::string shape_text(const Problem& problem);

}  // namespace roofbeam
