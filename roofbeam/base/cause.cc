// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/cause.h"

#include <array>

namespace roofbeam {
namespace {

struct Row {
  Cause cause;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array kRows = {
    Row{Cause::compute, "compute", "arithmetic: the units that multiply and add are busy"},
    Row{Cause::bandwidth, "bandwidth", "moving bytes from or to a memory"},
    Row{Cause::latency, "latency", "waiting for one thing before the next can start"},
    Row{Cause::launch, "launch", "starting work on the device"},
    Row{Cause::transfer, "transfer", "copying between host and device"},
    Row{Cause::sync, "sync", "waiting for the device or another thread to finish"},
    Row{Cause::communication, "communication", "exchanging data between devices"},
    Row{Cause::data_loading, "data_loading", "waiting for the next batch of input"},
    Row{Cause::host, "host", "the host program's own code"},
    Row{Cause::allocator, "allocator", "allocating or freeing memory"},
    Row{Cause::queue, "queue", "a gap between work already queued"},
    Row{Cause::serial, "serial", "the share of the work that only one worker can do"},
    Row{Cause::contention, "contention", "waiting for something shared"},
    Row{Cause::coherency, "coherency", "keeping workers' views of shared data equal"},
    Row{Cause::variation, "variation", "uneven pieces of work"},
    Row{Cause::capacity, "capacity", "it does not fit in memory"},
    Row{Cause::power, "power", "the clock is held down by power or heat"},
    Row{Cause::quota, "quota", "the CPU time this process may use"},
    Row{Cause::none_reached, "none_reached", "no ceiling is reached: under half of every roof"},
    Row{Cause::cannot_tell, "cannot_tell", "the evidence does not decide"},
    Row{Cause::other, "other", "something that has no name here"},
};

}  // namespace

std::string_view name(Cause cause) {
  return kRows.at(static_cast<std::size_t>(cause)).name;
}

std::string_view sentence(Cause cause) {
  return kRows.at(static_cast<std::size_t>(cause)).sentence;
}

std::optional<Cause> cause_from(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.cause;
  }
  return std::nullopt;
}

const std::vector<Cause>& all_causes() {
  static const std::vector<Cause> causes = [] {
    std::vector<Cause> all;
    for (const Row& row : kRows) all.push_back(row.cause);
    return all;
  }();
  return causes;
}

}  // namespace roofbeam
