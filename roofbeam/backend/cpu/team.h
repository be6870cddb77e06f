// SPDX-License-Identifier: Apache-2.0
// Pinned worker threads that run a job and time it themselves. Between calls they sleep.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

class Team {
 public:
  // One thread for each CPU of the placement, pinned to it where the system lets us. Fails where it
  // allows no more threads, or where the placement names other than one memory CPU a worker.
  static Result<std::unique_ptr<Team>> start(const Placement& placement);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Every worker sets its part up, on its memory CPU where the placement names one; the first
  // failure is returned. A memory CPU this process may not use is one.
  Status set_up(Job& job);
  // Every timed worker executes its share `repeats` times and notes each start and end, whether it
  // lost its CPU in between (thread_time.h) and, where the job wants it, its core's clock after the
  // last. In mode `together` a barrier stands before each repeat. A stop ends all workers after the
  // same repeat in mode `together`, else each after the one it is in.
  // Workers that are not timed execute for as long as timed ones are at work: once before those
  // begin, then again and again, without barriers. So theirs must be short.
  // Fails where there is no memory to note them in.
  Result<Spans> run(Job& job, int repeats, const StopToken& stop);

 private:
  struct Round;  // what the workers of one run share

  Team() = default;
  void serve(int worker, int cpu);
  // Runs work(worker) on all and waits for all. `work` must not throw.
  void each(const std::function<void(int)>& work);

  Placement placement_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* work_ = nullptr;
  int round_ = 0;
  int finished_ = 0;
  bool closing_ = false;
};

}  // namespace roofbeam
