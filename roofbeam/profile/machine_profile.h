// SPDX-License-Identifier: Apache-2.0
// The ceilings of a machine, each an estimate with what it was measured under. Names follow one
// grammar: compute.<dtype>.<fma|dot|…>.<scope>, bandwidth.<level>.<read|…>.<scope>, scope core |
// all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/base/units.h"
#include "roofbeam/hardware/box.h"
#include "roofbeam/stats/estimate.h"

namespace roofbeam {

// What a measurement ran under; the differences of backend/backend.h's DeviceState.
struct Conditions {
  // A CPU that something else took from its worker, and for which share of the time.
  struct Taken {
    int cpu = 0;
    double share = 0;

    bool operator==(const Taken&) const = default;
  };
  std::vector<int> cpus;                  // one worker pinned to each
  std::vector<Taken> taken;               // those of over 2 %
  std::optional<double> neighbour_cpus;   // CPUs' worth of these cores that other processes used
  std::optional<double> steal_share;      // of these cores' time, taken by the hypervisor
  std::optional<double> throttled_share;  // of the time, stopped by a CPU quota
  std::optional<double> clock_ratio;      // below 1 where the device says its clock is held down

  bool operator==(const Conditions&) const = default;
};

// An arithmetic ceiling taken apart: flop/cycle · clock · cores.
struct Cycle {
  Estimate<double> flop_per_cycle;  // of one core
  Estimate<Hertz> clock;            // measured right after the burst, at the same vector width
  int cores = 1;

  bool operator==(const Cycle&) const = default;
};

struct Ceiling {
  std::string unit;                               // flop_per_s, bytes_per_s or s
  Estimate<double> burst;                         // the promise: nothing lies above it
  std::optional<Estimate<double>> sustained;      // over at least a second: what predictions use
  std::string sustained_provenance = "measured";  // or inferred: burst times its class's ratio
  // Of plain stores: what it would be if every written line was read first, which the hardware may
  // or may not do.
  std::optional<Estimate<double>> if_write_allocated;
  std::optional<Cycle> cycle;
  std::string variant;                  // how it was reached: avx512
  std::string provenance = "measured";  // measured, inferred or datasheet
  Standing standing = Standing::usable;
  std::string reason;  // of a standing that is not usable
  Conditions conditions;

  bool operator==(const Ceiling&) const = default;
};

// Reading arrays of growing size with one core: what shows where one memory ends and the next
// begins.
struct SweepPoint {
  Bytes footprint;
  ByteRate rate;

  bool operator==(const SweepPoint&) const = default;
};

// A cache that work may stay in; of several of a level (a hybrid CPU) the smallest.
struct CacheFacts {
  std::string memory;  // l1, l2, l3
  Bytes each;          // of one instance
  int cores_each = 1;  // cores that share an instance

  // What `workers` cores of the device have of it together.
  Bytes of(int workers) const;
  bool operator==(const CacheFacts&) const = default;
};

struct DeviceProfile {
  std::string id;
  std::string kind;
  std::string name;
  int cores_usable = 1;
  int affinity_cpus = 1;
  std::optional<int> cpuset_cpus;
  std::optional<double> quota_cpus;
  Bytes last_level_cache;
  std::vector<CacheFacts> caches;  // innermost first; empty where a profile does not say
  std::map<std::string, Ceiling> ceilings;
  std::map<std::string, std::string> absent;  // ceilings that could not be measured, and why
  std::set<std::string> unsupported;          // of those, what this device does not have at all
  std::vector<SweepPoint> sweep;              // by footprint; empty where it was not measured
  // What is to be said of the ceilings together: core_limited, no_plateau, clock_unclear.
  Warnings warnings;

  bool operator==(const DeviceProfile&) const = default;
};

struct MachineProfile {
  std::string version;           // of the roofbeam that measured it
  std::string key;               // what it holds for; store.h
  std::int64_t measured_at = 0;  // seconds since 1970
  std::vector<DeviceProfile> devices;

  const DeviceProfile* find(const std::string& device_id) const;
  bool operator==(const MachineProfile&) const = default;
};

// Schema roofbeam.machine/1.
Json to_json(const MachineProfile& profile);
Result<MachineProfile> profile_from(const Json& json, const std::string& where);
Json to_json(const Conditions& conditions);

}  // namespace roofbeam
