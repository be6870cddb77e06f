// SPDX-License-Identifier: Apache-2.0
// A problem in a line, for the tests of this folder.
#pragma once

#include <string_view>

#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {

inline Problem test_problem(std::string_view kernel, Shape shape, DataType dtype = DataType::f32,
                            Operands operands = Operands::random) {
  Problem made;
  made.spec = find_kernel(kernel);
  made.shape = shape;
  made.dtype = dtype;
  made.operands = operands;
  return made;
}

}  // namespace roofbeam
