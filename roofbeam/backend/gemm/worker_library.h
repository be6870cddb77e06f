// SPDX-License-Identifier: Apache-2.0
// What a GEMM library is to its worker program: one file worker_<library>.cc implements this and
// alone includes the library's header. worker_main.cc brings operands, clock, check and pipe.
#pragma once

#include <memory>
#include <string>

#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/base/result.h"
#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

class WorkerLibrary {
 public:
  virtual ~WorkerLibrary() = default;
  // Only data types this library can compute on this CPU.
  virtual WorkerDescription describe() = 0;
  // C = A · B, row-major without gaps, of product_elements(type); they stay where they are until
  // the end. What can be done once is done here. Answers what computes it, "" where the library
  // does not say.
  virtual Result<std::string> prepare(const Shape& shape, DataType type, void* a, void* b,
                                      void* c) = 0;
  // One product, finished when it returns.
  virtual Status multiply() = 0;
};

// The one library this program was built with.
std::unique_ptr<WorkerLibrary> open_library();

}  // namespace roofbeam
