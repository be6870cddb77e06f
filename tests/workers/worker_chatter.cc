// SPDX-License-Identifier: Apache-2.0
// A library that prints more to standard output than a pipe holds, and is right.
#include <cstdio>

#include "tests/workers/loop_library.h"

namespace roofbeam {
namespace {

class Chatting : public LoopLibrary {
 public:
  Chatting() { say(); }
  Status multiply() override {
    say();
    return LoopLibrary::multiply();
  }

 private:
  static void say() {
    for (int i = 0; i < 10'000; ++i) std::puts("{\"ok\": true, \"library\": \"I only talk\"}");
    std::fflush(stdout);
  }
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<Chatting>();
}

}  // namespace roofbeam
