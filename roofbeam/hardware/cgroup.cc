// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/cgroup.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// No path of the kernel is longer.
constexpr std::size_t kLongestPath = 4096;

// A line of /proc/self/cgroup: "4:cpu,cpuacct:/a/b", or "0::/a/b" for version 2.
struct Line {
  std::string controllers;
  std::string path;
};

std::optional<Line> parse_line(std::string_view text) {
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view path = text.substr(second + 1);
  if (path.empty() || path.front() != '/') return std::nullopt;
  return Line{std::string(text.substr(first + 1, second - first - 1)), std::string(path)};
}

bool names(const Line& line, std::string_view controller) {
  const std::vector<std::string> all = split(line.controllers, ',');
  return std::find(all.begin(), all.end(), controller) != all.end();
}

// "/a/b" → "/a/b", "/a", "". A path that climbs ("/../x") lies outside of what the mount shows.
std::vector<std::string> levels_of(std::string path) {
  if (path.size() > kLongestPath || (path + "/").find("/../") != std::string::npos) return {""};
  while (!path.empty() && path.back() == '/') path.pop_back();
  std::vector<std::string> levels;
  while (!path.empty()) {
    levels.push_back(path);
    path.resize(path.rfind('/'));
  }
  levels.emplace_back("");
  return levels;
}

}  // namespace

// A controller is in a version-1 hierarchy or in the version-2 one, never in both. The places are
// where every distribution and container runtime mounts them.
Cgroup::Cgroup(const System& system, std::string_view controller) : system_(system) {
  const auto text = system.read("/proc/self/cgroup");
  if (!text) {
    unified_ = system.read("/sys/fs/cgroup/cgroup.controllers").has_value();
    mounts_ = {unified_ ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + std::string(controller)};
    levels_ = {""};
    return;
  }
  std::optional<Line> found;
  for (const std::string& row : split(*text, '\n')) {
    auto line = parse_line(row);
    if (!line) continue;
    if (names(*line, controller)) {
      found = std::move(line);
      break;
    }
    if (line->controllers.empty()) found = std::move(line);
  }
  if (!found) return;
  unified_ = found->controllers.empty();
  if (unified_) {
    mounts_ = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
  } else {
    mounts_ = {"/sys/fs/cgroup/" + std::string(controller), "/sys/fs/cgroup/" + found->controllers};
  }
  levels_ = levels_of(found->path);
}

std::optional<std::string> Cgroup::read(const std::string& level, std::string_view file) const {
  for (const std::string& mount : mounts_) {
    if (auto text = system_.read(mount + level + "/" + std::string(file))) return text;
  }
  return std::nullopt;
}

}  // namespace roofbeam
