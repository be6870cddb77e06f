// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "roofbeam/cli/program.h"

namespace {

std::atomic<bool> stop_requested{false};

// The first Ctrl-C asks; a second one ends the program at once.
void ask_to_stop(int signal) {
  stop_requested.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write, told where it happens
  return roofbeam::run_program(std::vector<std::string>(argv + 1, argv + argc), stop_requested);
}
