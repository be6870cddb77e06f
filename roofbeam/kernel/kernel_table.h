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

// Flops are exactly 2·m·n·k; an f32 or bf16 product reads A and B once and writes C once.
Work matmul_work(const Shape& shape, DataType type);

}  // namespace roofbeam
