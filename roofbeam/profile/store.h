// SPDX-License-Identifier: Apache-2.0
// Where profiles live between runs: ${XDG_STATE_HOME:-~/.local/state}/roofbeam/, a file for each
// key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

constexpr std::int64_t kFreshSeconds = std::int64_t{30} * 24 * 3600;
// Of a profile in which something was disturbed: worth using now, not for a month.
constexpr std::int64_t kDisturbedFreshSeconds = 3600;

// What a profile holds for: CPU, affinity, placement (cpuset), quota, kernel, roofbeam's version.
// Another key is another machine as far as ceilings go.
std::string profile_key(const Box& box, const std::string& version);

// Some ceiling is absent or was measured under a disturbance.
bool disturbed(const MachineProfile& profile);

// The folder, from the environment; empty where there is neither XDG_STATE_HOME nor HOME.
std::string state_folder();

// The saved profile of this key that is younger than kFreshSeconds at `now`; absent where there is
// none or where it cannot be read (it is then measured anew).
std::optional<MachineProfile> load_fresh(const std::string& folder, const std::string& key,
                                         std::int64_t now);
Result<MachineProfile> load_profile(const std::string& path);
// Returns the path written. Fails without a writable home: the caller says so once and goes on.
Result<std::string> save_profile(const std::string& folder, const MachineProfile& profile);

}  // namespace roofbeam
