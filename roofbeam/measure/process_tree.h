// SPDX-License-Identifier: Apache-2.0
// The processes of a command, as /proc shows them: what their threads are doing now. For
// process.cc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/base/units.h"

namespace roofbeam {

// What the kernel accounted to a process and to all it waited for.
struct ProcessAccount {
  std::optional<Bytes> read;
  std::optional<Bytes> fetched;
  std::optional<Bytes> stored;
  std::optional<Seconds> storage_wait;
};
ProcessAccount account_of(pid_t pid);

// Children of this process.
std::set<pid_t> own_children();

class ProcessTree {
 public:
  // The process `root` leads a process group of its own.
  explicit ProcessTree(pid_t root);

  struct Look {
    int running = 0;  // threads that run or could
    int on_disk = 0;  // threads in an uninterruptible sleep
    int threads = 0;
  };
  Look look();

 private:
  void find_members();

  pid_t root_;
  std::set<pid_t> members_;
  std::set<pid_t> strangers_;
};

}  // namespace roofbeam
