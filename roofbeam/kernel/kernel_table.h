// SPDX-License-Identifier: Apache-2.0
// Every kernel roofbeam knows: a row each.
#pragma once

#include <string_view>
#include <vector>

#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

const std::vector<KernelSpec>& kernel_table();
// The row called `name`; null where there is none.
const KernelSpec* find_kernel(std::string_view name);

// Flops are exactly 2·m·n·k (in int8 operations); A and B are read once and C is written once, in
// int8 with 4 bytes an element (product_elements).
Work matmul_work(const Shape& shape, DataType type);

}  // namespace roofbeam
