// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/machine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/version.h"
#include "roofbeam/command/beside.h"
#include "roofbeam/command/session.h"
#include "roofbeam/hardware/known.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/profile/store.h"

namespace roofbeam {
namespace {

using Memories = std::map<std::string, Bytes>;

Result<std::vector<const KnownDevice*>> known_beside(const std::vector<std::string>& names) {
  std::vector<const KnownDevice*> found;
  for (const std::string& name : names) {
    auto one = one_known(name, "--beside");
    if (!one) return fail(one.error());
    found.push_back(*one);
  }
  return found;
}

Result<std::vector<Device>> devices_of(const Backends& backends, const std::string& wanted) {
  if (wanted.empty() || wanted == "all") {
    std::vector<Device> devices = all_devices(backends);
    if (devices.empty()) return failed("no device was found");
    return devices;
  }
  auto device = choose_device(backends, wanted);
  if (!device) return fail(device.error());
  return std::vector<Device>{*device};
}

// The larger of two that may be absent.
void raise(std::optional<double>& to, const std::optional<double>& other) {
  if (other && other > to) to = other;
}

// The worst that any ceiling of the device was measured under, as one.
Conditions worst_conditions(const DeviceProfile& device) {
  Conditions worst;
  std::map<int, double> taken;
  for (const auto& [name, ceiling] : device.ceilings) {
    const Conditions& conditions = ceiling.conditions;
    if (conditions.cpus.size() > worst.cpus.size()) worst.cpus = conditions.cpus;
    for (const auto& one : conditions.taken) taken[one.cpu] = std::max(taken[one.cpu], one.share);
    raise(worst.neighbour_cpus, conditions.neighbour_cpus);
    raise(worst.steal_share, conditions.steal_share);
    raise(worst.throttled_share, conditions.throttled_share);
    if (conditions.clock_ratio) {
      worst.clock_ratio = std::min(worst.clock_ratio.value_or(1), *conditions.clock_ratio);
    }
  }
  for (const auto& [cpu, share] : taken) worst.taken.push_back({cpu, share});
  return worst;
}

// Adds what disturbed the measuring, each kind once, at its worst.
void judge_device(const DeviceProfile& device, AnswerState& state) {
  bool disturbed = false;
  for (const auto& [name, ceiling] : device.ceilings) {
    state.standing = worse(state.standing, ceiling.standing);
    disturbed = disturbed || ceiling.standing != Standing::usable;
  }
  if (!disturbed) return;
  for (const Warning& warning : disturbances(worst_conditions(device))) {
    state.warnings.push_back(
        {warning.code, format("{}, at its worst: {}", device.id, warning.text)});
  }
}

void save(bool fake, bool part, MachineAnswer& answer) {
  if (fake || part || !answer.state.complete) {
    answer.not_saved = fake   ? "a fake machine never is"
                       : part ? "only some ceilings were measured"
                              : "it was stopped before its end";
    return;
  }
  MachineProfile kept = answer.profile;
  if (auto before = load_fresh(state_folder(), kept.key, wall_seconds())) {
    for (const DeviceProfile& device : before->devices) {
      if (kept.find(device.id) == nullptr) kept.devices.push_back(device);
    }
  }
  auto saved = save_profile(state_folder(), kept);
  if (saved) {
    answer.saved_at = *saved;
  } else {
    answer.not_saved = why_not_saved(saved.error());
  }
}

// Measures every device in turn. A stop keeps what is finished.
Status measure_all(const Backends& backends, const std::vector<Device>& devices,
                   const MachineOptions& options, const Caller& caller, MachineAnswer& answer) {
  Error first;
  for (const Device& device : devices) {
    if (caller.stop.requested()) break;
    auto measured = measure_ceilings(backends, device, options.effort, options.only, caller.stop,
                                     caller.progress);
    if (measured) {
      answer.profile.devices.push_back(std::move(*measured));
    } else if (measured.error().code != ErrorCode::interrupted) {
      answer.state.warnings.push_back(
          {"not_measured", format("{}: {}", device.id, measured.error().what)});
      if (first.what.empty()) first = measured.error();
    }
  }
  if (caller.stop.requested()) {
    if (answer.profile.devices.empty()) {
      return fail({ErrorCode::interrupted, "stopped before a ceiling was measured", "", ""});
    }
    answer.state.complete = false;
    answer.state.warnings.push_back(
        {"incomplete", "stopped: what stands here was finished before"});
  }
  if (answer.profile.devices.empty()) return fail(first);
  return {};
}

Status measure_machine(const MachineOptions& options, const Caller& caller, MachineAnswer& answer,
                       Memories& memories) {
  const std::string wanted = options.device == "all" ? "" : options.device;
  auto backends = open_backends(wanted, caller.stop);
  if (!backends) return fail(backends.error());
  auto devices = devices_of(*backends, wanted);
  if (!devices) return fail(devices.error());
  const bool fake = is_fake(devices->front());
  answer.profile.version = std::string(version());
  answer.profile.key = fake ? "device=" + devices->front().id
                            : profile_key(devices->front().box, answer.profile.version);
  for (const Device& device : *devices) memories[device.id] = device.box.topology.memory;
  auto done = measure_all(*backends, *devices, options, caller, answer);
  if (!done) return done;
  // A fake machine is the same on any day.
  answer.profile.measured_at = fake ? 0 : wall_seconds();
  save(fake, !options.only.empty(), answer);
  return {};
}

}  // namespace

Result<MachineAnswer> machine(const MachineOptions& options, const Caller& caller) {
  auto sheets = known_beside(options.beside);
  if (!sheets) return fail(sheets.error());
  MachineAnswer answer;
  Memories memories;
  if (options.profile.empty()) {
    auto done = measure_machine(options, caller, answer, memories);
    if (!done) return fail(done.error());
  } else {
    auto profile = load_profile(options.profile);
    if (!profile) return fail(profile.error());
    answer.profile = std::move(*profile);
    answer.not_saved = "it was read from " + options.profile;
  }
  for (const DeviceProfile& device : answer.profile.devices) {
    judge_device(device, answer.state);
    answer.headlines.push_back(headline_of(device));
    if (sheets->empty()) continue;
    const auto memory = memories.find(device.id);
    answer.beside.push_back(
        beside_of(device, answer.headlines.back(),
                  memory == memories.end() ? std::nullopt : std::optional<Bytes>(memory->second)));
  }
  for (const KnownDevice* sheet : *sheets) answer.beside.push_back(beside_of(*sheet));
  return answer;
}

}  // namespace roofbeam
