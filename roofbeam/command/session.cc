// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/session.h"

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/version.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/profile/store.h"

namespace roofbeam {
namespace {

Result<KnownCeilings> from_file(const std::string& path, const Device& device,
                                const std::string& key) {
  auto profile = load_profile(path);
  if (!profile) return fail(profile.error());
  const DeviceProfile* found = profile->find(device.id);
  if (found == nullptr) {
    return usage_error(format("this profile holds nothing of the device \"{}\"", device.id), path,
                       "choose another --device or another --profile");
  }
  KnownCeilings known{*found, {}, {}};
  if (profile->key != key) {
    known.warnings.push_back({"profile_of_another_machine",
                              format("the ceilings in {} were measured on another machine or under "
                                     "other limits ({})",
                                     path, profile->key)});
  }
  return known;
}

// Keeps the profile for the next command, and says where, or why not.
void keep(const DeviceProfile& measured, const std::string& key, ProgressSink& progress) {
  MachineProfile profile{std::string(version()), key, wall_seconds(), {measured}};
  auto saved = save_profile(state_folder(), profile);
  if (saved) {
    const char* how_long = disturbed(profile) ? "an hour, since they were disturbed" : "30 days";
    progress.note(format("measured this machine's ceilings; saved in {} for {}", *saved, how_long));
  } else {
    progress.note(
        format("measured this machine's ceilings; not saved: {}", why_not_saved(saved.error())));
  }
}

const Ceiling* known_of(const DeviceProfile& device, const std::string& name) {
  const auto found = device.ceilings.find(name);
  return found == device.ceilings.end() ? nullptr : &found->second;
}

// Measured anew without a sustained rate: as large a share of its burst as before.
Ceiling with_share_of(Ceiling anew, const Ceiling* before) {
  if (anew.sustained || before == nullptr || !before->sustained) return anew;
  const double share = before->sustained->value / before->burst.value;
  anew.sustained = scale(anew.burst, share);
  anew.sustained_provenance = "inferred";
  return anew;
}

// Times have their best below, and drift with nobody: they are kept as they were measured last.
void raise(Ceiling& highest, const Ceiling& seen) {
  const bool first = highest.unit.empty();
  if (first || seen.unit == "s" || seen.burst.value > highest.burst.value) highest = seen;
}

// Puts these ceilings into the saved profile of this key, where there is a fresh one.
void add_to_saved(const DeviceProfile& device, const std::string& key) {
  auto saved = load_fresh(state_folder(), key, wall_seconds());
  if (!saved) return;
  for (DeviceProfile& other : saved->devices) {
    if (other.id != device.id) continue;
    other.ceilings = device.ceilings;
    other.absent = device.absent;
    other.unsupported = device.unsupported;
  }
  // Where it cannot be kept the next command measures them again.
  if (auto kept = save_profile(state_folder(), *saved); !kept) return;
}

}  // namespace

bool is_fake(const Device& device) {
  return device.id.rfind("fake:", 0) == 0;
}

std::string why_not_saved(const Error& error) {
  return error.where.empty() ? error.what : format("{} ({})", error.what, error.where);
}

DeviceFacts facts_of(const Device& device) {
  return {device.id, std::string(name(device.kind)), device.name, device.box.limits.usable_cores,
          device.box.limits.bound_by};
}

Result<Session> open_session(const DeviceOptions& options, const StopToken& stop) {
  auto backends = open_backends(options.device, stop);
  if (!backends) return fail(backends.error());
  auto device = choose_device(*backends, options.device);
  if (!device) return fail(device.error());
  Session session{std::move(*backends), std::move(*device), options.threads};
  const Limits& limits = session.device.box.limits;
  if (session.threads == 0) session.threads = limits.usable_cores;
  if (session.threads < 1) {
    return usage_error(format("{} is no number of threads", session.threads), "--threads",
                       "1 or more");
  }
  if (session.threads > limits.usable_cores) {
    return usage_error(format("{} threads on {} usable cores would only take turns",
                              session.threads, limits.usable_cores),
                       "--threads",
                       format("at most {} here (set by {})", limits.usable_cores, limits.bound_by));
  }
  return session;
}

DeviceProfile KnownCeilings::at_best() const {
  DeviceProfile best = device;
  for (const auto& [name, ceiling] : highest) best.ceilings[name] = ceiling;
  return best;
}

bool has_ceilings(const Session& session, const DeviceOptions& options) {
  if (!options.profile.empty()) return true;
  if (is_fake(session.device)) return false;
  const std::string key = profile_key(session.device.box, std::string(version()));
  const auto saved = load_fresh(state_folder(), key, wall_seconds());
  return saved && saved->find(session.device.id) != nullptr;
}

Result<KnownCeilings> ceilings_of(Session& session, const DeviceOptions& options,
                                  const Caller& caller, bool anew) {
  const bool fake = is_fake(session.device);
  const std::string key = profile_key(session.device.box, std::string(version()));
  if (!options.profile.empty()) return from_file(options.profile, session.device, key);
  if (!fake && !anew) {
    if (auto saved = load_fresh(state_folder(), key, wall_seconds())) {
      if (const DeviceProfile* found = saved->find(session.device.id)) {
        return KnownCeilings{*found, {}, {}};
      }
    }
  }
  auto measured = measure_ceilings(session.backends, session.device, Effort::quick, {}, caller.stop,
                                   caller.progress);
  if (!measured) return fail(measured.error());
  if (caller.stop.requested()) {
    return fail({ErrorCode::interrupted, "stopped while the ceilings were measured", "", ""});
  }
  if (!fake) keep(*measured, key, caller.progress);
  return KnownCeilings{*measured, {}, {}};
}

Status complete_ceilings(Session& session, KnownCeilings& known, const std::set<std::string>& names,
                         const DeviceOptions& options, const Caller& caller, bool anew) {
  if (!options.profile.empty()) return {};
  DeviceProfile& device = known.device;
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    const bool known_already = device.ceilings.count(name) + device.unsupported.count(name) > 0;
    if ((anew && device.unsupported.count(name) == 0) || !known_already) wanted.push_back(name);
  }
  if (wanted.empty()) return {};
  auto more = measure_ceilings(session.backends, session.device, Effort::quick, wanted, caller.stop,
                               caller.progress, anew ? Sustained::left_out : Sustained::measured);
  if (!more) return fail(more.error());
  for (const auto& [name, ceiling] : more->ceilings) {
    for (const Ceiling* seen : {known_of(device, name), &ceiling}) {
      if (seen != nullptr) raise(known.highest[name], *seen);
    }
    device.ceilings[name] = with_share_of(ceiling, known_of(device, name));
    device.absent.erase(name);
  }
  device.absent.insert(more->absent.begin(), more->absent.end());
  device.unsupported.insert(more->unsupported.begin(), more->unsupported.end());
  infer_sustained(device);
  if (caller.stop.requested()) {
    return fail({ErrorCode::interrupted, "stopped while the ceilings were measured", "", ""});
  }
  if (!is_fake(session.device)) {
    add_to_saved(device, profile_key(session.device.box, std::string(version())));
  }
  return {};
}

}  // namespace roofbeam
