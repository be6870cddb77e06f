// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/event_jobs.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "roofbeam/backend/cpu/spin_barrier.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct alignas(128) Count {
  std::int64_t value = 0;
};

class BarrierJob : public Job {
 public:
  BarrierJob(const Problem& problem, int workers)
      : crossings_(std::max<std::int64_t>(1, problem.shape.n)),
        barrier_(workers),
        crossed_(static_cast<std::size_t>(workers)) {}

  Status set_up(int) override { return {}; }

  void execute(int worker) override {
    for (std::int64_t i = 0; i < crossings_; ++i) barrier_.meet();
    crossed_[static_cast<std::size_t>(worker)].value += crossings_;
  }

  Check check() override {
    Check check{true, true, "crossings, counted by each worker", 0, ""};
    for (const Count& count : crossed_) {
      if (count.value != barrier_.crossings()) check.error += 2;
    }
    check.passed = check.error == 0;
    if (!check.passed) check.complaint = "a worker crossed the barrier more or less often than all";
    return check;
  }

  // Only there do all execute the same number of times: one that stopped earlier would leave the
  // others waiting.
  Spans::Mode mode() const override { return Spans::Mode::together; }
  Shape executed_shape() const override { return {1, crossings_, 1}; }

 private:
  std::int64_t crossings_;
  SpinBarrier barrier_;
  std::vector<Count> crossed_;
};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

class WakeJob : public Job {
 public:
  explicit WakeJob(const Problem& problem)
      : rounds_(std::max<std::int64_t>(1, problem.shape.n / 2)) {}

  Status set_up(int) override { return {}; }

  void execute(int worker) override {
    if (worker > 1) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      return;
    }
    const auto own = static_cast<std::uint32_t>(worker);
    for (std::int64_t i = 0; i < rounds_; ++i) {
      if (own == 0) hand_over(1);
      sleep_until(own);
      if (own == 1) hand_over(0);
      ++waits_[own].value;
    }
  }

  Check check() override {
    Check check{true, true, "hand-overs, counted by both", 0, ""};
    check.passed =
        waits_[0].value == waits_[1].value && waits_[0].value % rounds_ == 0 && turn_.load() == 0;
    if (!check.passed) {
      check.error = 2;
      check.complaint = "one worker handed over more often than the other";
    }
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::together; }
  Shape executed_shape() const override { return {1, 2 * rounds_, 1}; }
  bool timed(int worker) const override { return worker < 2; }
  bool sleeps() const override { return true; }

 private:
  // Until one that slept was woken: the other may still be on its way to sleep.
  void hand_over(std::uint32_t to) {
    turn_.store(to, std::memory_order_release);
    while (futex(FUTEX_WAKE_PRIVATE) == 0 && turn_.load(std::memory_order_acquire) == to) {
      std::this_thread::yield();
    }
  }

  // Sleeps at least once, whoever's turn it is: the word that is slept on never changes.
  void sleep_until(std::uint32_t turn) {
    do {
      futex(FUTEX_WAIT_PRIVATE);
    } while (turn_.load(std::memory_order_acquire) != turn);
  }

  // Wakes one, or sleeps.
  long futex(int operation) {
    const int value = operation == FUTEX_WAKE_PRIVATE ? 1 : 0;
    return syscall(SYS_futex, &bed_, operation, value, nullptr, nullptr, 0);
  }

  std::int64_t rounds_;
  alignas(128) std::atomic<std::uint32_t> turn_{0};  // whose turn it is: worker 0 or 1
  alignas(128) std::atomic<std::uint32_t> bed_{0};   // what they sleep on
  Count waits_[2];
};

}  // namespace

Result<std::unique_ptr<Job>> make_barrier_job(const Problem& problem, int workers) {
  if (workers < 2) {
    return failed("a barrier needs two workers, and there is one core", "",
                  "use two cores or more");
  }
  return std::make_unique<BarrierJob>(problem, workers);
}

Result<std::unique_ptr<Job>> make_wake_job(const Problem& problem, int workers) {
  if (workers < 2) {
    return failed("to wake another needs two workers, and there is one core", "",
                  "use two cores or more");
  }
  return std::make_unique<WakeJob>(problem);
}

}  // namespace roofbeam
