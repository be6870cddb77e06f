// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/process_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct Row {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t kLastLevelReadMisses = PERF_COUNT_HW_CACHE_LL |
                                               (PERF_COUNT_HW_CACHE_OP_READ << 8U) |
                                               (PERF_COUNT_HW_CACHE_RESULT_MISS << 16U);

// The kernel's own names, which it knows the codes of on every CPU. Its generic "cache-misses" is
// another cache on each make of CPU, and for floating-point operations it has no name: they are
// left to perf and likwid, whose files can be read.
constexpr std::array kRows = {
    Row{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    Row{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    Row{"llc misses", PERF_TYPE_HW_CACHE, kLastLevelReadMisses},
};

std::string refused(int code) {
  if (code != EACCES && code != EPERM) return "this CPU or virtual machine does not offer it";
  const auto level = read_file("/proc/sys/kernel/perf_event_paranoid");
  const auto value = level ? parse_integer(*level) : Result<std::int64_t>(fail({}));
  if (value && *value > 2) {
    return format("the kernel forbids it (kernel.perf_event_paranoid is {}; 2 would do)", *value);
  }
  return "the kernel or the container this runs in forbids it";
}

}  // namespace

ProcessCounters::ProcessCounters(pid_t pid) {
  for (const Row& row : kRows) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = row.type;
    attributes.config = row.config;
    attributes.disabled = 1;
    attributes.inherit = 1;
    attributes.enable_on_exec = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const long fd = ::syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    open_.push_back({{row.name, std::nullopt, fd < 0 ? refused(errno) : ""}, int(fd)});
  }
}

ProcessCounters::~ProcessCounters() {
  for (const Open& one : open_) {
    if (one.fd >= 0) ::close(one.fd);
  }
}

std::vector<ProcessCounter> ProcessCounters::read() const {
  std::vector<ProcessCounter> counters;
  for (const Open& one : open_) {
    counters.push_back(one.counter);
    if (one.fd < 0) continue;
    struct {
      std::uint64_t value, enabled, running;
    } got{};
    if (::read(one.fd, &got, sizeof got) != ssize_t(sizeof got) || got.running == 0) {
      counters.back().absent = "other events held the CPU's counters all the time";
      continue;
    }
    // Events that take turns are counted for a part of the time.
    counters.back().value = static_cast<double>(got.value) * static_cast<double>(got.enabled) /
                            static_cast<double>(got.running);
  }
  return counters;
}

}  // namespace roofbeam
