// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/proc_state.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/file.h"
#include "roofbeam/hardware/cgroup.h"
#include "roofbeam/hardware/system.h"

namespace roofbeam {
namespace {

constexpr std::size_t kProcLimit = std::size_t{4} << 20;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// This process and its children that have ended; a living worker is added when it is reaped.
double own_cpu_seconds() {
  double sum = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (getrusage(who, &usage) == 0) sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

// Of all groups from ours up to the root: any of their quotas stops us. Their sum grows with each,
// which the largest of them would not.
std::optional<double> read_throttled() {
  const ThisSystem system;
  const Cgroup cpu(system, "cpu");
  std::optional<double> sum;
  for (const std::string& level : cpu.levels()) {
    const auto text = cpu.read(level, "cpu.stat");
    const auto here = text ? throttled_seconds(*text) : std::nullopt;
    if (here) sum = sum.value_or(0) + *here;
  }
  return sum;
}

}  // namespace

std::optional<CpuTimes> times_of_cpus(const std::string& proc_stat, const std::vector<int>& cpus,
                                      double ticks_per_second) {
  CpuTimes sum;
  std::size_t found = 0;
  std::istringstream lines(proc_stat);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind("cpu", 0) != 0 || line.size() < 4 || line[3] == ' ') continue;
    std::istringstream fields(line.substr(3));
    int cpu = -1;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(fields >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) {
      continue;
    }
    if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) continue;
    ++found;
    sum.busy_s += (user + nice + system + irq + softirq) / ticks_per_second;
    sum.steal_s += steal / ticks_per_second;
  }
  if (found != cpus.size() || cpus.empty()) return std::nullopt;
  return sum;
}

std::optional<double> throttled_seconds(const std::string& cpu_stat) {
  std::istringstream lines(cpu_stat);
  std::string key;
  double value = 0;
  while (lines >> key >> value) {
    if (key == "throttled_usec") return value * 1e-6;
    if (key == "throttled_time") return value * 1e-9;
  }
  return std::nullopt;
}

DeviceState read_proc_state(const std::vector<int>& cpus) {
  DeviceState state;
  state.own_s = own_cpu_seconds();
  if (auto text = read_file("/proc/stat", kProcLimit)) {
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    if (auto times = times_of_cpus(*text, cpus, ticks)) {
      state.busy_s = times->busy_s;
      state.steal_s = times->steal_s;
    }
  }
  state.throttled_s = read_throttled();
  state.at_ns = monotonic_ns();
  return state;
}

}  // namespace roofbeam
