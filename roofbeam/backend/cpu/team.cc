// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/team.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "roofbeam/backend/cpu/core_clock.h"
#include "roofbeam/backend/cpu/spin_barrier.h"
#include "roofbeam/backend/cpu/thread_time.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// Outside the allowed set this fails and the thread stays where the system puts it.
bool pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// On the memory CPU, then back to where the thread was.
Status set_up_on(int memory_cpu, Job& job, int worker) {
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) != 0 || !pin(memory_cpu)) {
    return failed(format("memory cannot be placed from CPU {}", memory_cpu), "",
                  "name a CPU this process may use");
  }
  const auto done = job.set_up(worker);
  sched_setaffinity(0, sizeof own, &own);
  return done;
}

// What one worker noted, on a cache line of its own.
struct alignas(128) Notes {
  std::vector<Span> spans;
  std::optional<double> lost_s;
  std::optional<double> clock_hz;
};

}  // namespace

struct Team::Round {
  Round(Job& a_job, int a_repeats, const StopToken& a_stop, int workers, int timed_workers)
      : job(a_job),
        repeats(a_repeats),
        stop(a_stop),
        together(a_job.mode() == Spans::Mode::together),
        all(workers),
        timed(timed_workers),
        timed_left(timed_workers) {}

  Job& job;
  const int repeats;
  const StopToken& stop;
  const bool together;
  SpinBarrier all;
  SpinBarrier timed;
  std::atomic<int> timed_left;
  std::atomic<bool> go{true};

  // Whether there is another repeat.
  bool goes_on(bool decides) {
    if (!together) return !stop.requested();
    timed.meet();  // nobody may overwrite `go` before all have read it
    // The first timed worker decides for all, so that all leave after the same repeat.
    if (decides) go.store(!stop.requested(), std::memory_order_relaxed);
    timed.meet();
    return go.load(std::memory_order_relaxed);
  }

  void repeat(int worker, bool decides, Notes& notes) {
    const bool watched = !job.sleeps() && thread_time_ns().has_value();
    all.meet();  // those that are not timed have executed once
    std::int64_t seen_ns = monotonic_ns();
    std::int64_t used_ns = watched ? *thread_time_ns() : 0;
    const std::int64_t first_seen = seen_ns, first_used = used_ns;
    for (int i = 0; i < repeats && goes_on(decides); ++i) {
      Span span;
      span.start_ns = monotonic_ns();
      job.execute(worker);
      span.end_ns = monotonic_ns();
      if (watched) {
        const std::int64_t used = *thread_time_ns();
        const std::int64_t lost = (span.end_ns - seen_ns) - (used - used_ns);
        span.disturbed = is_disturbed(span.end_ns - span.start_ns, lost);
        seen_ns = span.end_ns;
        used_ns = used;
      }
      notes.spans.push_back(span);
    }
    if (watched) {
      const std::int64_t lost = (seen_ns - first_seen) - (used_ns - first_used);
      notes.lost_s = 1e-9 * static_cast<double>(std::max<std::int64_t>(lost, 0));
    }
    if (job.wants_clock()) notes.clock_hz = core_clock_hz();
    timed_left.fetch_sub(1, std::memory_order_release);
  }

  void disturb(int worker) {
    job.execute(worker);
    all.meet();
    while (timed_left.load(std::memory_order_acquire) > 0) job.execute(worker);
  }
};

Result<std::unique_ptr<Team>> Team::start(const Placement& placement) {
  if (!placement.memory_cpus.empty() && placement.memory_cpus.size() != placement.cpus.size()) {
    return failed(format("{} memory CPUs for {} workers", placement.memory_cpus.size(),
                         placement.cpus.size()));
  }
  std::unique_ptr<Team> team(new Team);
  team->placement_ = placement;
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

Status Team::set_up(Job& job) {
  std::vector<std::optional<Error>> errors(threads_.size());
  each([&](int worker) {
    const auto index = static_cast<std::size_t>(worker);
    try {
      const auto& memory_cpus = placement_.memory_cpus;
      const auto done =
          memory_cpus.empty() ? job.set_up(worker) : set_up_on(memory_cpus[index], job, worker);
      if (!done) errors[index] = done.error();
    } catch (const std::bad_alloc&) {
      errors[index] =
          Error{ErrorCode::failed, "there is not enough memory", "", "choose a smaller size"};
    }
  });
  for (const auto& error : errors) {
    if (error) return fail(*error);
  }
  return {};
}

Result<Spans> Team::run(Job& job, int repeats, const StopToken& stop) {
  std::vector<int> timed;
  for (int worker = 0; worker < static_cast<int>(threads_.size()); ++worker) {
    if (job.timed(worker)) timed.push_back(worker);
  }
  std::vector<Notes> notes;
  try {
    notes.resize(threads_.size());
    // Reserved here: the workers must neither wait for pages of the heap nor throw.
    for (const int worker : timed) {
      notes[static_cast<std::size_t>(worker)].spans.reserve(static_cast<std::size_t>(repeats));
    }
  } catch (const std::bad_alloc&) {
    return failed("there is not enough memory to note the times in");
  }
  Round round(job, repeats, stop, static_cast<int>(threads_.size()),
              static_cast<int>(timed.size()));
  each([&](int worker) {
    if (job.timed(worker)) {
      round.repeat(worker, worker == timed.front(), notes[static_cast<std::size_t>(worker)]);
    } else {
      round.disturb(worker);
    }
  });
  Spans spans;
  spans.mode = job.mode();
  for (const int worker : timed) {
    Notes& own = notes[static_cast<std::size_t>(worker)];
    spans.workers.push_back(std::move(own.spans));
    if (own.clock_hz) spans.clock_hz.push_back(*own.clock_hz);
    if (own.lost_s) spans.lost_s.push_back(*own.lost_s);
  }
  // Known of all of them or of none: the figures have no names.
  if (spans.clock_hz.size() != timed.size()) spans.clock_hz.clear();
  if (spans.lost_s.size() != timed.size()) spans.lost_s.clear();
  return spans;
}

}  // namespace roofbeam
