// SPDX-License-Identifier: Apache-2.0
// Devices as their data sheets describe them: data/hardware.csv, a row each, dense rates only
// (headline figures of matrix units are often for 2:4 sparse operands, twice as much). It is the
// only place where a device's name means anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

struct KnownDevice {
  std::string id;  // what --on takes
  std::string name;
  std::string vendor;
  std::string kind;  // cpu, gpu, apu, soc, tpu, accelerator
  int year = 0;
  int units = 0;          // as the vendor builds them: SM, CU, core
  std::string unit_kind;  // "SM"
  // Arithmetic lanes in a unit as the vendor counts its "cores"; absent where it does not.
  std::optional<int> lanes_per_unit;
  std::optional<Hertz> clock_base;
  std::optional<Hertz> clock_boost;
  // By "<dtype>.<vector|matrix>": "f32.vector", "bf16.matrix". A CPU's are at its base clock.
  std::map<std::string, FlopRate> rates;
  std::optional<Bytes> memory;
  std::string memory_kind;  // "HBM3", "12ch DDR5-4800"
  std::optional<ByteRate> bandwidth;
  std::string interconnect;
  std::optional<ByteRate> interconnect_both_ways;
  std::string host_link;
  std::optional<ByteRate> host_link_one_way;
  std::optional<double> power_w;
  std::string source;
  std::string verified;  // how far the row was compared with its sources
  std::string notes;

  bool confirmed() const;  // nothing in the row is said to be unverified
  bool operator==(const KnownDevice&) const = default;
};

// Lanes if the vendor counts those as cores, else units.
int cores_as_people_count(const KnownDevice& device);

// Errors name line and column: a missing column, no number where one belongs, an id twice, a rate
// or size that is not above 0, an unknown kind.
Result<std::vector<KnownDevice>> read_known(std::string_view table, const std::string& where);

// The rows that are part of the program.
const std::vector<KnownDevice>& known_devices();

// The device with this id, else those whose id or name contains all words of `wanted`, in any case.
std::vector<const KnownDevice*> find_known(std::string_view wanted);

// The only one that `wanted` means. Errors, at `where`: none is called so, or several, which are
// named.
Result<const KnownDevice*> one_known(const std::string& wanted, const std::string& where);
// What to try instead of a name that means none; `otherwise` where nothing is near.
std::string suggest_known(
    const std::string& wanted,
    const std::string& otherwise = "`roofbeam devices --known` lists all of them");

// known_json.cc
Json to_json(const KnownDevice& device);
KnownDevice known_device_from(JsonReader& reader);

}  // namespace roofbeam
