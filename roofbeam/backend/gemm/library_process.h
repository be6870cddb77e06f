// SPDX-License-Identifier: Apache-2.0
// A running worker program: started on given CPUs, asked one request at a time, killed and reaped
// when it is no longer wanted. Whatever it does (crash, babble, hang, never start) comes back as an
// Error.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/stop.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

struct WorkerProgram {
  std::string path;
  std::string title;  // of the library, for people: "oneDNN"
  std::string hint;   // what to try where the library fails
};

// The environment of a worker that computes on `cpus`: as many threads, one pinned to each, that
// sleep while they wait (libgomp otherwise spins for milliseconds after every product, which would
// disturb whatever is measured next). An empty list stands for one thread that may run anywhere.
// All else, OPENBLAS_CORETYPE above all, stays as the user set it, but for `setting`. `base` and
// the result hold NAME=value.
std::vector<std::string> worker_environment(const std::vector<std::string>& base,
                                            const std::vector<int>& cpus,
                                            const Setting& setting = {});

class LibraryProcess {
 public:
  // The worker has a process group of its own, so that Ctrl-C on a terminal does not reach it, and
  // is killed when the thread that called this ends.
  static Result<std::unique_ptr<LibraryProcess>> start(WorkerProgram program,
                                                       const std::vector<int>& cpus,
                                                       const Setting& setting = {});
  ~LibraryProcess();
  LibraryProcess(const LibraryProcess&) = delete;
  LibraryProcess& operator=(const LibraryProcess&) = delete;

  // Sends a request and waits for its reply, which may still say no (protocol.h). `stop` is looked
  // at every 50 ms. After an error the worker is gone, except where it had a reply to make that
  // fits.
  Result<Json> ask(const Json& request, std::optional<Seconds> limit, const StopToken& stop);

  pid_t pid() const { return pid_; }
  // CPU time its threads have used; 0 once it has been reaped, and is in our children's.
  Seconds cpu_time() const;

 private:
  LibraryProcess(WorkerProgram program, pid_t pid, int talk, int complaints)
      : program_(std::move(program)), pid_(pid), talk_(talk), complaints_(complaints) {}

  Status send(const Json& request);
  Result<std::string> read_line(std::optional<Seconds> limit, const StopToken& stop);
  // Takes what is there to read: false at the end of the replies.
  bool take_replies();
  void take_complaints();
  // Kills and reaps. The wait status where the worker ended by itself.
  std::optional<int> end(bool let_it_finish);
  Error ended();
  Error error(const std::string& what);

  WorkerProgram program_;
  pid_t pid_ = -1;       // -1 once reaped
  int talk_ = -1;        // requests and replies
  int complaints_ = -1;  // its standard error output
  std::string pending_;  // of a reply, not yet whole
  std::string said_;     // the end of what it wrote to its standard error output
};

}  // namespace roofbeam
