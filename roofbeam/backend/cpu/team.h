// SPDX-License-Identifier: Apache-2.0
// Pinned worker threads that run a job and time it themselves. Between calls they sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

class Team {
 public:
  // One thread for each CPU of the placement, pinned to it where the system lets us.
  explicit Team(const Placement& placement);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Every worker sets its part up; the first failure is returned.
  Status set_up(Job& job);
  // Every worker executes its share `repeats` times and notes each start and end. In mode
  // `together` a barrier stands before each repeat. A stop ends all workers after the same repeat.
  Spans run(Job& job, int repeats, const StopToken& stop);

 private:
  void serve(int worker, int cpu);
  void each(const std::function<void(int)>& work);  // runs work(worker) on all, waits for all
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
