// SPDX-License-Identifier: Apache-2.0
// The seam between this room and the world: what can be asked of a machine. One answers from the
// machine this runs on, the other from a recording of another one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/hardware/box.h"

namespace roofbeam {

class System {
 public:
  virtual ~System() = default;
  // The text of a file below /proc or /sys; absent where it is missing or may not be read.
  virtual std::optional<std::string> read(const std::string& path) const = 0;
  // What hwloc knows; `cpu_name` may be empty and `architecture` is.
  virtual Result<Topology> topology() const = 0;
  // Operating-system numbers of the CPUs the calling thread may run on, ascending; empty where the
  // system does not say.
  virtual std::vector<int> affinity() const = 0;
  // Names as in features.h.
  virtual std::vector<std::string> features() const = 0;
  // As uname says: x86_64, aarch64.
  virtual std::string architecture() const = 0;
  // What the kernel says without any file; 0 where it does not.
  virtual Bytes memory() const = 0;
};

class ThisSystem : public System {
 public:
  std::optional<std::string> read(const std::string& path) const override;
  Result<Topology> topology() const override;
  std::vector<int> affinity() const override;
  std::vector<std::string> features() const override;
  std::string architecture() const override;
  Bytes memory() const override;
};

// What `tools/record_machine` writes. In the folder: `topology.xml` (hwloc's XML) and
// `system.json`:
//   {"schema": "roofbeam.machine_recording/1", "architecture": "x86_64", "affinity": [0, 1],
//    "features": ["sse2", ...], "files": {"/proc/self/cgroup": "0::/\n", ...}}
struct Recording {
  std::string architecture;
  std::vector<int> affinity;
  std::vector<std::string> features;
  std::map<std::string, std::string> files;  // path → text; what is not here cannot be read
  Topology topology;

  bool operator==(const Recording&) const = default;
};

Result<Recording> read_recording(const std::string& folder);

class RecordedSystem : public System {
 public:
  explicit RecordedSystem(Recording recording);
  std::optional<std::string> read(const std::string& path) const override;
  Result<Topology> topology() const override;
  std::vector<int> affinity() const override;
  std::vector<std::string> features() const override;
  std::string architecture() const override;
  Bytes memory() const override;

 private:
  Recording recording_;
};

// Puts together what a system says.
Result<Box> read_box(const System& system);

}  // namespace roofbeam
