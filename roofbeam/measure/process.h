// SPDX-License-Identifier: Apache-2.0
// Runs a command of the user's and says what it did with its time. No shell comes into it: the
// words are the program and its arguments.
//
// The command has the caller's standard input; what it prints goes to the caller's standard error
// output, both of its streams, so that standard output stays the answer's. It has a process group
// of its own, and the terminal while it runs, so Ctrl-C reaches it. What it leaves behind when it
// ends (grandchildren, also those that left the group) is killed and reaped: nothing goes on
// running. No other thread of the caller may start processes meanwhile, nor wait for any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/stop.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

struct ProcessCommand {
  std::vector<std::string> words;             // the program first; looked for as in PATH
  std::vector<std::string> environment = {};  // NAME=value, on top of the caller's
};

// An event of the CPU, counted over the command and all it started, in user mode.
struct ProcessCounter {
  std::string name;  // cycles, instructions, llc misses
  std::optional<double> value;
  std::string absent;  // why there is none
};

struct ProcessRun {
  Seconds wall;                // from the command's first instruction to its end
  Seconds user;                // CPU time of it and of all it waited for
  Seconds system;              // likewise, in the kernel
  Bytes peak_memory;           // of its largest process
  std::int64_t waits = 0;      // times a thread gave its CPU up to wait
  std::int64_t preempted = 0;  // times one lost it while it could have gone on

  // From looking at the states of its threads every few milliseconds (of at most 1 % of the time).
  int looks = 0;
  std::vector<Seconds> running;  // time in which this many threads ran or could have run
  Seconds on_disk;               // of it, where none did and one waited in the kernel for a device
  int most_threads = 0;

  std::optional<Bytes> read;            // by system calls, from the page cache too
  std::optional<Bytes> fetched;         // from storage
  std::optional<Bytes> stored;          // to storage
  std::string no_io;                    // why those are absent
  std::optional<Seconds> storage_wait;  // of all threads together, as the kernel accounts it
  std::string no_storage_wait;
  std::vector<ProcessCounter> counters;
  int left_behind = 0;  // processes that were still there at its end

  Seconds cpu() const { return user + system; }
  double running_on_average() const { return cpu() / wall; }
  const ProcessCounter* counter(const std::string& name) const;
};

// The path of a program as execvp finds it. Errors (usage): there is none, or it may not be run.
Result<std::string> find_program(const std::string& name);

// Errors: an empty command, or none that could be started (usage); an exit code that is not 0, or a
// signal (failed, with it); `stop`, or Ctrl-C on the terminal (interrupted, everything killed).
Result<ProcessRun> run_process(const ProcessCommand& command, const StopToken& stop);

}  // namespace roofbeam
