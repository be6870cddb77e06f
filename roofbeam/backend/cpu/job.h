// SPDX-License-Identifier: Apache-2.0
// A problem made ready for several workers of the CPU: what each does on its own thread.
#pragma once

#include "roofbeam/backend/backend.h"

namespace roofbeam {

class Job {
 public:
  virtual ~Job() = default;
  // On the worker's own thread, once: allocates and first touches what the worker will use.
  virtual Status set_up(int worker) = 0;
  // On the worker's own thread: its share of one execution.
  virtual void execute(int worker) = 0;
  // On the caller's thread while no worker runs.
  virtual Check check() = 0;
  virtual Spans::Mode mode() const = 0;
  virtual Shape executed_shape() const = 0;
  // Whether the spans of this worker are wanted; one that only disturbs others has none.
  virtual bool timed(int worker) const {
    (void)worker;
    return true;
  }
  // Whether the clock is to be read after the last repeat.
  virtual bool wants_clock() const { return false; }
  // Whether workers sleep on purpose: then CPU time they did not use says nothing.
  virtual bool sleeps() const { return false; }
};

}  // namespace roofbeam
