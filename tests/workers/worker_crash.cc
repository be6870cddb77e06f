// SPDX-License-Identifier: Apache-2.0
// A library that crashes in its product, after a word on standard error.
#include <signal.h>

#include <cstdio>

#include "tests/workers/loop_library.h"

namespace roofbeam {
namespace {

class Crashing : public LoopLibrary {
 public:
  Status multiply() override {
    std::fputs("about to\tcrash\n", stderr);
    ::raise(SIGSEGV);
    return {};
  }
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<Crashing>();
}

}  // namespace roofbeam
