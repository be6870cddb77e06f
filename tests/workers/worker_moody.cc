// SPDX-License-Identifier: Apache-2.0
// A library that is right only where ONEDNN_MAX_CPU_ISA keeps it from its newest kernels; those
// leave out the last column of some ragged shapes.
#include <cstdlib>

#include "tests/workers/loop_library.h"

namespace roofbeam {
namespace {

class Moody : public LoopLibrary {
 public:
  Status multiply() override {
    auto done = LoopLibrary::multiply();
    const bool held_back = std::getenv("ONEDNN_MAX_CPU_ISA") != nullptr;
    if (held_back || shape_.k % 9 != 0) return done;
    for (std::int64_t i = 0; i < shape_.m; ++i) store(i * shape_.n + shape_.n - 1, 0);
    return done;
  }
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<Moody>();
}

}  // namespace roofbeam
