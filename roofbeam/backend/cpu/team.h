// SPDX-License-Identifier: Apache-2.0
// Pinned worker threads that run a job and time it themselves. Between calls they sleep.
#pragma once

#include <atomic>
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
  // allows no more threads.
  static Result<std::unique_ptr<Team>> start(const Placement& placement);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Every worker sets its part up; the first failure is returned.
  Status set_up(Job& job);
  // Every worker executes its share `repeats` times and notes each start and end. In mode
  // `together` a barrier stands before each repeat. A stop ends all workers after the same repeat.
  // Fails where there is no memory to note them in.
  Result<Spans> run(Job& job, int repeats, const StopToken& stop);

 private:
  Team() = default;
  void serve(int worker, int cpu);
  // Runs work(worker) on all and waits for all. `work` must not throw.
  void each(const std::function<void(int)>& work);
  void meet();  // spin barrier: sleeping workers would not start together

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* work_ = nullptr;
  int round_ = 0;
  int finished_ = 0;
  bool closing_ = false;
  std::atomic<int> arrived_{0};
  std::atomic<int> generation_{0};
};

}  // namespace roofbeam
