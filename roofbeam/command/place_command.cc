// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/place_command.h"

#include <algorithm>
#include <map>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/model/scaling.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr int kLeastLooks = 5;     // fewer say too little of what its threads did
constexpr double kMostly = 0.5;    // of the time
constexpr double kReadSome = 1e6;  // bytes: a program and its libraries are read too
constexpr double kLineBytes = 64;
constexpr const char* kAllCores = "cores.all";  // what a run's CPU time is divided among

// The time by what ran in it, and the work that was done while several threads did.
struct Shares {
  Seconds waiting;
  Seconds one;
  Seconds several;
  Seconds work_of_several;  // of one thread: time times threads
  bool seen = false;        // by looks; else only from CPU time
};

Shares shares_of(const ProcessRun& run, int cores) {
  Shares shares;
  if (run.looks < kLeastLooks) {
    // Of a short run only its CPU time is known; up to one thread's it is taken for one thread's.
    shares.one = std::min(run.cpu(), run.wall);
    shares.waiting = run.wall - shares.one;
    shares.work_of_several = run.cpu() - shares.one;
    return shares;
  }
  shares.seen = true;
  Seconds all;
  for (std::size_t threads = 0; threads < run.running.size(); ++threads) {
    const Seconds time = run.running[threads];
    all += time;
    if (threads == 0) shares.waiting = time;
    if (threads == 1) shares.one = time;
    if (threads < 2) continue;
    shares.several += time;
    // More threads than cores take turns.
    shares.work_of_several += time * std::min<double>(static_cast<double>(threads), cores);
  }
  // The looks leave out the first moments.
  const double whole = all > Seconds(0) ? run.wall / all : 0;
  for (Seconds* part : {&shares.waiting, &shares.one, &shares.several, &shares.work_of_several}) {
    *part = *part * whole;
  }
  return shares;
}

// One after another: waiting, the part of one thread, the part of several.
Breakdown tree_of(const std::string& name, Seconds waiting, Cause why, Seconds one,
                  Seconds several) {
  std::vector<Breakdown> parts;
  const auto add = [&](const char* what, Cause cause, const char* on, Seconds time) {
    if (time > Seconds(0)) parts.push_back(charge(what, cause, on, exactly(time)));
  };
  add("no thread running", why, "threads.none", waiting);
  add("one thread running", Cause::serial, "threads.one", one);
  add("several threads running", Cause::cannot_tell, "threads.several", several);
  return parts.empty() ? charge(name, Cause::cannot_tell, "threads.none", exactly(Seconds(0)))
                       : sum_of(name, std::move(parts));
}

bool waits_for_files(const ProcessRun& run, const Shares& shares) {
  const bool device = run.on_disk >= kMostly * shares.waiting ||
                      (run.storage_wait && *run.storage_wait >= kMostly * shares.waiting);
  const bool files =
      run.fetched ? *run.fetched >= Bytes(kReadSome) : run.read && *run.read >= Bytes(kReadSome);
  return device && files;
}

std::string share_of(Seconds part, Seconds whole) {
  return show_percent(part / whole);
}

void explain(Verdict& verdict, const ProcessRun& run, const Shares& shares, int cores) {
  verdict.because.push_back(
      format("it took {}, in which {} of CPU time passed: {} running threads on average, of {}",
             show(run.wall), show(run.cpu()), show_number(run.running_on_average()),
             counted(cores, "core", "cores")));
  if (!shares.seen) {
    verdict.because.push_back(
        "it was too short to look at its threads, so what ran at once is "
        "only known from its CPU time");
    return;
  }
  verdict.because.push_back(format("no thread ran in {} of the time, one in {}, several in {}",
                                   share_of(shares.waiting, run.wall),
                                   share_of(shares.one, run.wall),
                                   share_of(shares.several, run.wall)));
  if (run.on_disk > Seconds(0)) {
    verdict.because.push_back(format("in {} of the time it waited in the kernel for a device",
                                     share_of(run.on_disk, run.wall)));
  }
}

void offer(Verdict& verdict, const std::string& name, const Shares& shares, Cause why, int cores) {
  const Breakdown& before = verdict.breakdown;
  const double n = cores;
  const Seconds parallel = shares.work_of_several / n;
  const std::string on_all = format("use all {} cores where several threads ran", cores);
  const std::string split = format("also split what one thread did over all {} cores", cores);
  const std::string upper = "threads that spin while they wait did work: an upper bound";
  if (cores > 1 && shares.several > Seconds(0)) {
    verdict.remedies.push_back(
        {on_all,
         gain(before, tree_of(name, shares.waiting, why, shares.one, parallel)),
         {"the work of several threads can be shared evenly", upper},
         {split}});
  }
  if (cores > 1 && shares.one > Seconds(0)) {
    const Breakdown after = tree_of(name, shares.waiting, why, shares.one / n, parallel);
    const bool two = !verdict.remedies.empty();
    verdict.remedies.push_back(
        {two ? split : format("split what one thread did over all {} cores", cores),
         gain(before, after),
         {"all of that work can be shared evenly", upper},
         two ? std::vector<std::string>{on_all} : std::vector<std::string>{}});
  }
  if (shares.waiting > Seconds(0) && shares.one + shares.several > Seconds(0)) {
    verdict.remedies.push_back(
        without_cause_remedy("have ready what it waits for when no thread runs", before, why));
  }
  sort_by_gain(verdict.remedies);
}

}  // namespace

Point point_of_run(const ProcessRun& run, const std::string& name, int cores) {
  const Shares shares = shares_of(run, cores);
  const bool files = waits_for_files(run, shares);
  const Cause why = files ? Cause::data_loading : Cause::other;
  Point point;
  point.name = name;
  point.workers = cores;
  point.no_prediction = "nothing was counted of what it does";
  point.time = exactly(run.wall);
  Verdict verdict;
  verdict.breakdown = tree_of(name, shares.waiting, why, shares.one, shares.several);
  // CPU time is accounted in steps: a run of nothing else still has some.
  const Seconds least = std::max(run.cpu() / cores, Seconds(1e-6));
  verdict.headroom = exactly(std::max(1.0, run.wall / least));
  explain(verdict, run, shares, cores);
  if (shares.waiting >= kMostly * run.wall) {
    if (files) {
      verdict.bound_by = Cause::data_loading;
      verdict.bound_level = kAllCores;
      verdict.because.push_back("mostly it waited, and it read files meanwhile");
    } else {
      verdict.because.push_back(
          "mostly it waited: for a timer, a lock, a network or a terminal, "
          "which nothing here tells apart");
    }
  } else if (shares.seen && cores > 1 && shares.one >= kMostly * run.wall) {
    verdict.bound_by = Cause::serial;
    verdict.bound_level = kAllCores;
    const double p = shares.work_of_several / (shares.one + shares.work_of_several);
    verdict.because.push_back(format(
        "mostly one thread ran: {} of its work ran on several, and by Amdahl's law {} cores are "
        "then at most {} as fast as one",
        show_percent(p), cores, show_ratio(amdahl_speedup(p, cores))));
  } else {
    verdict.because.push_back(
        "it kept the cores busy; whether with arithmetic or with waiting for "
        "memory only counts would tell: --flop and --bytes, or perf stat -x,");
  }
  offer(verdict, name, shares, why, cores);
  point.verdict = std::move(verdict);
  return point;
}

std::optional<Operation> operation_of_run(const ProcessRun& run, const std::string& name) {
  const ProcessCounter* misses = run.counter("llc misses");
  if (misses == nullptr || !misses->value || *misses->value <= 0) return std::nullopt;
  Operation operation;
  operation.name = name;
  operation.dtype = "f32";
  const Bytes bytes(*misses->value * kLineBytes);
  operation.traffic = {{kMainMemory, bytes, Bytes(0)}};
  // What missed the last cache did not fit in it.
  operation.footprint = std::max(bytes, run.peak_memory);
  return operation;
}

std::vector<std::string> remarks_of_run(const ProcessRun& run) {
  std::vector<std::string> remarks;
  remarks.push_back(
      format("its largest process held {}; its threads waited {} and were "
             "interrupted {}",
             show_binary(run.peak_memory), counted(run.waits, "time", "times"),
             counted(run.preempted, "time", "times")));
  if (run.fetched && run.stored && run.read) {
    remarks.push_back(format("it read {} by system calls, {} of it from storage, and stored {}",
                             show(*run.read), show(*run.fetched), show(*run.stored)));
  } else {
    remarks.push_back("what it read is not known: " + run.no_io);
  }
  remarks.push_back(run.storage_wait
                        ? format("its threads waited {} for storage", show(*run.storage_wait))
                        : "how long it waited for storage is not known: " + run.no_storage_wait);
  std::map<std::string, std::vector<std::string>> missing;
  std::vector<std::string> counted_events;
  for (const ProcessCounter& counter : run.counters) {
    if (counter.value) {
      counted_events.push_back(show_si(*counter.value, counter.name));
    } else {
      missing[counter.absent].push_back(counter.name);
    }
  }
  if (!counted_events.empty()) {
    remarks.push_back("counted in user mode: " + join(counted_events, ", "));
  }
  for (const auto& [why, names] : missing) {
    remarks.push_back(format("not counted: {}: {}", join(names, ", "), why));
  }
  if (run.left_behind > 0) {
    remarks.push_back(format("it left {} behind, ended now; their time is not in its own",
                             counted(run.left_behind, "process", "processes")));
  }
  return remarks;
}

}  // namespace roofbeam
