// SPDX-License-Identifier: Apache-2.0
// A worker without fault, for machines without a library.
#include "tests/workers/loop_library.h"

namespace roofbeam {

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<LoopLibrary>();
}

}  // namespace roofbeam
