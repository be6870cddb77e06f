// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/hardware/known.h"

namespace roofbeam {

struct DevicesAnswer {
  struct CacheFacts {
    int level = 1;
    Bytes size;
    int instances = 1;
    std::string kind = {};  // of the cores it serves, where there are several kinds

    bool operator==(const CacheFacts&) const = default;
  };
  struct KindFacts {
    std::string kind;  // performance, middle, efficient or low-power; empty where all are alike
    int cores = 1;
    int usable = 0;
    std::optional<Hertz> clock_base;
    std::optional<Hertz> clock_max;

    bool operator==(const KindFacts&) const = default;
  };
  struct NodeFacts {
    int cores = 1;
    Bytes memory;  // 0 where it is not stated

    bool operator==(const NodeFacts&) const = default;
  };
  // What can compute a kernel in a data type on this device, best first.
  struct Ability {
    std::string kernel;
    std::string dtype;
    std::vector<std::string> ways;

    bool operator==(const Ability&) const = default;
  };
  struct Entry {
    DeviceFacts facts;
    std::string architecture;
    int packages = 1;
    int numa_nodes = 1;
    int cores = 1;
    int hardware_threads = 1;
    std::vector<KindFacts> kinds;  // the fastest first; empty where nothing is stated about them
    std::vector<NodeFacts> nodes;  // of NUMA, where there are several
    std::vector<CacheFacts> caches;
    Bytes memory;
    Bytes memory_available;
    std::string memory_bound_by;  // what set that: machine or cgroup; empty where it is not told
    std::optional<Bytes> memory_limit;
    int affinity_cpus = 1;
    std::optional<int> cpuset_cpus;
    std::optional<double> quota_cpus;
    std::vector<std::string> features;
    std::vector<Ability> can;
    std::vector<std::string> notes;  // what could not be read, and what is taken in its place

    bool operator==(const Entry&) const = default;
  };
  struct Absent {
    std::string what;
    std::string why;
    std::string hint;

    bool operator==(const Absent&) const = default;
  };
  std::vector<Entry> devices;
  std::vector<Absent> missing;
  std::vector<KnownDevice> known;  // data sheets, where those were asked for

  bool operator==(const DevicesAnswer&) const = default;
};

// Schema roofbeam.devices/1.
Json to_json(const DevicesAnswer& answer);
Result<DevicesAnswer> devices_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
