// SPDX-License-Identifier: Apache-2.0
// A library whose product takes a minute.
#include <unistd.h>

#include "tests/workers/loop_library.h"

namespace roofbeam {
namespace {

class Slow : public LoopLibrary {
 public:
  Status multiply() override {
    ::sleep(60);
    return {};
  }
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<Slow>();
}

}  // namespace roofbeam
