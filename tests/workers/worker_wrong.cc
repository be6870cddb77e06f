// SPDX-License-Identifier: Apache-2.0
// A library that leaves a block of the product as zero.
#include <cstdint>

#include "tests/workers/loop_library.h"

namespace roofbeam {
namespace {

class Wrong : public LoopLibrary {
 public:
  Status multiply() override {
    auto done = LoopLibrary::multiply();
    for (std::int64_t i = 0; i < shape_.m / 2; ++i) {
      for (std::int64_t j = 0; j < shape_.n / 2; ++j) store(i * shape_.n + j, 0);
    }
    return done;
  }
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<Wrong>();
}

}  // namespace roofbeam
