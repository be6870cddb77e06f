// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/team.h"

#include <sched.h>

#include <new>
#include <optional>
#include <system_error>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr int kSpinsBeforeYield = 20000;

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  // Outside the allowed set this fails and the thread stays where the system puts it.
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

Result<std::unique_ptr<Team>> Team::start(const Placement& placement) {
  std::unique_ptr<Team> team(new Team);
  try {
    for (std::size_t i = 0; i < placement.cpus.size(); ++i) {
      team->threads_.emplace_back([self = team.get(), i, cpu = placement.cpus[i]] {
        self->serve(static_cast<int>(i), cpu);
      });
    }
  } catch (const std::system_error& error) {
    return failed(format("the system allows no more threads: {}", error.what()), "",
                  "raise the limit of processes, or use less with --threads");
  }
  return team;
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::serve(int worker, int cpu) {
  pin(cpu);
  int seen = 0;
  while (true) {
    const std::function<void(int)>* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closing_ || round_ != seen; });
      if (closing_) return;
      seen = round_;
      work = work_;
    }
    (*work)(worker);
    {
      const std::lock_guard lock(mutex_);
      ++finished_;
    }
    changed_.notify_all();
  }
}

void Team::each(const std::function<void(int)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  finished_ = 0;
  ++round_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return finished_ == static_cast<int>(threads_.size()); });
}

void Team::meet() {
  const int generation = generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int>(threads_.size())) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(generation + 1, std::memory_order_release);
    return;
  }
  for (int spins = 0; generation_.load(std::memory_order_acquire) == generation;) {
    if (spins < kSpinsBeforeYield) {
      ++spins;
    } else {
      std::this_thread::yield();
    }
  }
}

Status Team::set_up(Job& job) {
  std::vector<std::optional<Error>> errors(threads_.size());
  each([&](int worker) {
    std::optional<Error>& error = errors[static_cast<std::size_t>(worker)];
    try {
      if (auto done = job.set_up(worker); !done) error = done.error();
    } catch (const std::bad_alloc&) {
      error = Error{ErrorCode::failed, "there is not enough memory", "", "choose a smaller size"};
    }
  });
  for (const auto& error : errors) {
    if (error) return fail(*error);
  }
  return {};
}

Result<Spans> Team::run(Job& job, int repeats, const StopToken& stop) {
  Spans spans;
  spans.mode = job.mode();
  try {
    spans.workers.resize(threads_.size());
    // Reserved here: the workers must neither wait for pages of the heap nor throw.
    for (auto& worker : spans.workers) worker.reserve(static_cast<std::size_t>(repeats));
  } catch (const std::bad_alloc&) {
    return failed("there is not enough memory to note the times in");
  }
  const bool together = spans.mode == Spans::Mode::together;
  std::atomic<bool> go{true};
  each([&](int worker) {
    std::vector<Span>& own = spans.workers[static_cast<std::size_t>(worker)];
    meet();
    for (int i = 0; i < repeats; ++i) {
      if (together) {
        // The first worker decides for all, so that all leave after the same repeat.
        if (worker == 0) go.store(!stop.requested(), std::memory_order_relaxed);
        meet();
        if (!go.load(std::memory_order_relaxed)) break;
      } else if (stop.requested()) {
        break;
      }
      Span span;
      span.start_ns = monotonic_ns();
      job.execute(worker);
      span.end_ns = monotonic_ns();
      own.push_back(span);
      if (together) meet();  // nobody may overwrite `go` before all have read it
    }
  });
  return spans;
}

}  // namespace roofbeam
