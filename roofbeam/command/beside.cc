// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/beside.h"

#include <algorithm>
#include <string>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

template <class Q>
std::optional<Q> burst_of(const DeviceProfile& device, const std::string& name) {
  const Ceiling* ceiling = usable_ceiling(device, name);
  return ceiling == nullptr ? std::nullopt : std::optional<Q>(Q(ceiling->burst.value));
}

// What follows from the rest.
void derive(MachineAnswer::Beside& row) {
  const auto& rate = row.half ? row.half : row.f32;
  if (!row.bandwidth) return;
  if (rate) row.ridge = *rate / *row.bandwidth;
  row.weights_read = Bytes(kWeightsBytes) / *row.bandwidth;
}

// Cards for a desk draw no more than a household circuit shares among other things.
constexpr double kDeskPower = 600;  // W

bool wider(const KnownDevice& a, const KnownDevice& b) {
  return a.bandwidth.value_or(ByteRate(0)) < b.bandwidth.value_or(ByteRate(0));
}

// The one of most bandwidth that `takes` takes.
template <class Takes>
const KnownDevice* widest(Takes takes) {
  const KnownDevice* best = nullptr;
  for (const KnownDevice& device : known_devices()) {
    if (!takes(device) || !device.bandwidth) continue;
    if (best == nullptr || wider(*best, device)) best = &device;
  }
  return best;
}

}  // namespace

MachineAnswer::Beside beside_of(const DeviceProfile& device, const Headline& headline,
                                const std::optional<Bytes>& memory) {
  MachineAnswer::Beside row;
  row.id = device.id;
  row.name = device.name;
  row.provenance = "measured";
  row.cores = device.cores_usable;
  row.f32 = burst_of<FlopRate>(device, headline.f32);
  row.half = burst_of<FlopRate>(device, headline.half);
  if (row.half) row.half_dtype = split(headline.half, '.').at(1);
  row.bandwidth = burst_of<ByteRate>(device, headline.memory);
  row.memory = memory;
  derive(row);
  return row;
}

MachineAnswer::Beside beside_of(const KnownDevice& sheet) {
  MachineAnswer::Beside row;
  row.id = sheet.id;
  row.name = sheet.name;
  row.provenance = "datasheet";
  row.at_base_clock = sheet.kind == "cpu";
  row.cores = cores_as_people_count(sheet);
  if (const auto f32 = sheet.rates.find("f32.vector"); f32 != sheet.rates.end()) {
    row.f32 = f32->second;
  }
  for (const char* dtype : {"bf16", "f16"}) {
    const auto rate = sheet.rates.find(format("{}.matrix", dtype));
    if (rate == sheet.rates.end() || (row.half && *row.half >= rate->second)) continue;
    row.half = rate->second;
    row.half_dtype = dtype;
  }
  row.bandwidth = sheet.bandwidth;
  row.memory = sheet.memory;
  row.source = sheet.source;
  derive(row);
  return row;
}

std::vector<const KnownDevice*> known_for_comparison() {
  std::vector<const KnownDevice*> chosen;
  const auto add = [&chosen](const KnownDevice* device) {
    if (device == nullptr) return;
    if (std::find(chosen.begin(), chosen.end(), device) == chosen.end()) chosen.push_back(device);
  };
  add(widest([](const KnownDevice& d) { return d.kind == "cpu"; }));
  add(widest([](const KnownDevice& d) { return d.kind == "soc"; }));
  // A memory bus of DRAM chips beside the chip, and not on it, is what cards for a desk have.
  add(widest([](const KnownDevice& d) {
    return d.kind == "gpu" && d.power_w.value_or(1e9) <= kDeskPower &&
           d.memory_kind.find("HBM") == std::string::npos;
  }));
  add(widest([](const KnownDevice& d) { return d.kind == "gpu"; }));
  return chosen;
}

}  // namespace roofbeam
