// SPDX-License-Identifier: Apache-2.0
// What every measuring command begins with: backends, a device, and the ceilings of that device.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/backend/registry.h"
#include "roofbeam/base/progress.h"
#include "roofbeam/base/stop.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// How a command is called from outside: when to end and whom to tell.
struct Caller {
  StopToken stop;
  ProgressSink& progress;
};

struct DeviceOptions {
  std::string device;   // as --device; empty for the default
  int threads = 0;      // 0: every usable core
  std::string profile;  // a file to take the ceilings from; empty: the saved one, else measure
};

struct Session {
  Backends backends;
  Device device;
  int threads = 1;
};

struct KnownCeilings {
  DeviceProfile device;
  // The highest that the probes of this run found of what was measured more than once: the
  // bandwidth of a shared memory falls again, and what lies above today's did not break the
  // promise.
  std::map<std::string, Ceiling> highest = {};
  Warnings warnings = {};  // profile_of_another_machine
  // With those in place of what was measured last.
  DeviceProfile at_best() const;
};

// Opens the device; more threads than usable cores is an error that says what may be used and why.
Result<Session> open_session(const DeviceOptions& options, const StopToken& stop);

// The ceilings of the session's device: from options.profile, else a fresh saved profile, else
// measured now, saved and told in one line. A fake machine is always measured and never saved.
// `anew` skips the saved one.
Result<KnownCeilings> ceilings_of(Session& session, const DeviceOptions& options,
                                  const Caller& caller, bool anew = false);

// `known` with those of `names` that it lacks: measured now, as far as this device has them at all,
// and added to the saved profile. Nothing is measured beside options.profile. `anew` measures all
// of them: for what has to be near in time, as the bandwidth of a shared memory.
Status complete_ceilings(Session& session, KnownCeilings& known, const std::set<std::string>& names,
                         const DeviceOptions& options, const Caller& caller, bool anew = false);

// Whether ceilings_of would find them without measuring.
bool has_ceilings(const Session& session, const DeviceOptions& options);

bool is_fake(const Device& device);

// Of a profile, as people are told it.
std::string why_not_saved(const Error& error);

DeviceFacts facts_of(const Device& device);

}  // namespace roofbeam
