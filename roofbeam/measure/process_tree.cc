// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct Stat {
  char state = '?';
  pid_t parent = -1;
  pid_t group = -1;
  std::int64_t storage_wait_ticks = 0;
};

// proc(5): "pid (name) state ppid pgrp …"; the name may hold anything, also a closing bracket.
std::optional<Stat> stat_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 1024> bytes{};
  const ssize_t got = ::read(fd, bytes.data(), bytes.size());
  ::close(fd);
  std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> fields = split(text.substr(name_end + 2), ' ');
  constexpr std::size_t kStorageWait = 39;  // field 42 of the whole line
  if (fields.size() < 3 || fields[0].empty()) return std::nullopt;
  Stat stat;
  stat.state = fields[0][0];
  stat.parent = static_cast<pid_t>(parse_integer(fields[1]).value_or(-1));
  stat.group = static_cast<pid_t>(parse_integer(fields[2]).value_or(-1));
  if (fields.size() > kStorageWait) {
    stat.storage_wait_ticks = parse_integer(fields[kStorageWait]).value_or(0);
  }
  return stat;
}

// The entries of a folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return numbers;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (auto number = parse_integer(entry->d_name)) numbers.push_back(pid_t(*number));
  }
  ::closedir(open);
  return numbers;
}

std::string folder_of(pid_t pid) {
  return format("/proc/{}", pid);
}

}  // namespace

ProcessAccount account_of(pid_t pid) {
  ProcessAccount account;
  if (const auto io = read_file(folder_of(pid) + "/io")) {
    for (const std::string& line : split(*io, '\n')) {
      const std::vector<std::string> parts = split(line, ':');
      if (parts.size() != 2) continue;
      const auto bytes = parse_real(parts[1]);
      if (!bytes) continue;
      if (parts[0] == "rchar") account.read = Bytes(*bytes);
      if (parts[0] == "read_bytes") account.fetched = Bytes(*bytes);
      if (parts[0] == "write_bytes") account.stored = Bytes(*bytes);
    }
  }
  const auto switched = read_file("/proc/sys/kernel/task_delayacct");
  const auto stat = stat_of(folder_of(pid) + "/stat");
  if (stat && switched && trim(*switched) == "1") {
    account.storage_wait = Seconds(static_cast<double>(stat->storage_wait_ticks) /
                                   static_cast<double>(::sysconf(_SC_CLK_TCK)));
  }
  return account;
}

std::set<pid_t> own_children() {
  std::set<pid_t> children;
  for (const pid_t pid : numbers_in("/proc")) {
    const auto stat = stat_of(folder_of(pid) + "/stat");
    if (stat && stat->parent == ::getpid()) children.insert(pid);
  }
  return children;
}

ProcessTree::ProcessTree(pid_t root) : root_(root), members_({root}) {
  for (const pid_t pid : numbers_in("/proc")) {
    if (pid != root) strangers_.insert(pid);
  }
}

// A process belongs to the tree by its group or its parent, and stays in it whatever it becomes.
void ProcessTree::find_members() {
  const std::vector<pid_t> all = numbers_in("/proc");
  const std::set<pid_t> alive(all.begin(), all.end());
  std::erase_if(strangers_, [&](pid_t pid) { return alive.count(pid) == 0; });
  std::erase_if(members_, [&](pid_t pid) { return alive.count(pid) == 0; });
  for (const pid_t pid : alive) {  // parents mostly come before their children
    if (members_.count(pid) + strangers_.count(pid) > 0) continue;
    const auto stat = stat_of(folder_of(pid) + "/stat");
    if (!stat) continue;
    const bool ours = stat->group == root_ || members_.count(stat->parent) > 0;
    (ours ? members_ : strangers_).insert(pid);
  }
}

ProcessTree::Look ProcessTree::look() {
  find_members();
  Look look;
  for (const pid_t pid : members_) {
    const std::string tasks = folder_of(pid) + "/task";
    for (const pid_t task : numbers_in(tasks)) {
      const auto stat = stat_of(format("{}/{}/stat", tasks, task));
      if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
      ++look.threads;
      look.running += stat->state == 'R';
      look.on_disk += stat->state == 'D';
    }
  }
  return look;
}

}  // namespace roofbeam
