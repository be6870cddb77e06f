// SPDX-License-Identifier: Apache-2.0
// Finds the files of one cgroup controller for this process, whichever version manages it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/hardware/system.h"

namespace roofbeam {

class Cgroup {
 public:
  // `controller`: cpu, cpuset or memory. `system` must outlive this.
  Cgroup(const System& system, std::string_view controller);

  // Version 2; files have other names than in version 1.
  bool unified() const { return unified_; }
  // Folders below the mount from the process's own group ("/a/b") up to the root (""), which is
  // all there is where /proc is not mounted; empty where the process has no group for the
  // controller.
  const std::vector<std::string>& levels() const { return levels_; }
  std::optional<std::string> read(const std::string& level, std::string_view file) const;

 private:
  const System& system_;
  bool unified_ = false;
  std::vector<std::string> mounts_;
  std::vector<std::string> levels_;
};

}  // namespace roofbeam
