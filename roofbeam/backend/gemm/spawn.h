// SPDX-License-Identifier: Apache-2.0
// Starts a program on given CPUs, with one channel for its input and output and one for its
// complaints.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "roofbeam/base/result.h"

namespace roofbeam {

struct Spawned {
  pid_t pid = -1;
  int talk = -1;        // a socket: its standard input and output
  int complaints = -1;  // its standard error output, to be read without waiting
};

std::vector<std::string> current_environment();  // NAME=value

// `cpus` are operating-system numbers; empty: wherever we may run. The program has its own process
// group, ignores Ctrl-C, inherits no other file, writes no core, and is killed when the calling
// thread ends. A program that cannot be started ends with exit code 126 and says why in
// `complaints`.
Result<Spawned> spawn(const std::string& path, const std::vector<std::string>& environment,
                      const std::vector<int>& cpus);

}  // namespace roofbeam
