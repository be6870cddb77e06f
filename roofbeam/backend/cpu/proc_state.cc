// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/proc_state.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/file.h"

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

// The cgroup's own path below a controller's mount, from /proc/self/cgroup; empty where unknown.
std::string cgroup_path(const std::string& text, const std::string& controller) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos) return line.substr(second + 1);
  }
  return "";
}

std::optional<double> read_throttled() {
  auto cgroup = read_file("/proc/self/cgroup", kProcLimit);
  if (!cgroup) return std::nullopt;
  const std::string v1 = cgroup_path(*cgroup, "cpu");
  const std::string v2 = cgroup_path(*cgroup, "");
  // Inside a container the path may not be visible below the mount; the mount's own files are then
  // ours.
  for (const std::string& folder :
       {"/sys/fs/cgroup" + v2, std::string("/sys/fs/cgroup"), "/sys/fs/cgroup/cpu" + v1,
        "/sys/fs/cgroup/cpu,cpuacct" + v1, std::string("/sys/fs/cgroup/cpu"),
        std::string("/sys/fs/cgroup/cpu,cpuacct")}) {
    auto text = read_file(folder + "/cpu.stat", kProcLimit);
    if (!text) continue;
    if (auto throttled = throttled_seconds(*text)) return throttled;
  }
  return std::nullopt;
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
