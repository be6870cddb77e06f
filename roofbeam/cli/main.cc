// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "roofbeam/cli/program.h"

namespace {

std::atomic<bool> stop_requested{false};

// The first Ctrl-C or SIGTERM asks; a second of either ends the program at once.
void ask_to_stop(int) {
  stop_requested.store(true);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write, told where it happens
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file longer than `ulimit -f`
  std::signal(SIGCHLD, SIG_DFL);  // else how a worker ended could not be told
  return roofbeam::run_program(std::vector<std::string>(argv + 1, argv + argc), stop_requested);
}
