// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/store.h"

#include <sys/utsname.h>

#include <cstdint>
#include <cstdlib>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// FNV-1a, 64 bits: only to make a file name of a key. The key itself is compared after reading.
std::string file_name(const std::string& key) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(hash >> shift) & 15U];
  return format("profile-{}.json", digits);
}

}  // namespace

bool disturbed(const MachineProfile& profile) {
  for (const DeviceProfile& device : profile.devices) {
    // What the device does not have it will not have tomorrow either.
    if (device.absent.size() > device.unsupported.size()) return true;
    for (const auto& [name, ceiling] : device.ceilings) {
      if (ceiling.standing != Standing::usable) return true;
    }
  }
  return false;
}

std::string profile_key(const Box& box, const std::string& version) {
  utsname system{};
  uname(&system);
  std::vector<std::string> affinity;
  for (int cpu : box.limits.affinity) affinity.push_back(std::to_string(cpu));
  std::vector<std::string> placement;
  for (int cpu : box.limits.placement) placement.push_back(std::to_string(cpu));
  return format("cpu={}; cores={}; affinity={}; placement={}; quota={}; kernel={}; roofbeam={}",
                box.topology.cpu_name, box.topology.cores.size(), join(affinity, ","),
                join(placement, ","), box.limits.quota_cpus.value_or(0.0),
                std::string(system.release), version);
}

std::string state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/') {
    return std::string(state) + "/roofbeam";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    return std::string(home) + "/.local/state/roofbeam";
  }
  return "";
}

Result<MachineProfile> load_profile(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  auto json = parse_json(*text, path);
  if (!json) return fail(json.error());
  auto profile = profile_from(*json, path);
  if (!profile && profile.error().hint.empty()) {
    profile.error().hint = "measure again, or give another with --profile";
  }
  return profile;
}

std::optional<MachineProfile> load_fresh(const std::string& folder, const std::string& key,
                                         std::int64_t now) {
  if (folder.empty()) return std::nullopt;
  auto profile = load_profile(folder + "/" + file_name(key));
  if (!profile || profile->key != key) return std::nullopt;
  const std::int64_t age = now - profile->measured_at;
  if (age < 0 || age > (disturbed(*profile) ? kDisturbedFreshSeconds : kFreshSeconds)) {
    return std::nullopt;
  }
  return *profile;
}

Result<std::string> save_profile(const std::string& folder, const MachineProfile& profile) {
  if (folder.empty()) return failed("neither XDG_STATE_HOME nor HOME is set");
  const std::string path = folder + "/" + file_name(profile.key);
  auto done = write_file_atomic(path, write_json(to_json(profile)) + "\n");
  if (!done) return fail(done.error());
  return path;
}

}  // namespace roofbeam
