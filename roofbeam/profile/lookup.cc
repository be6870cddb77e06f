// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/lookup.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

const Ceiling* find(const DeviceProfile& device, const std::string& name) {
  const auto found = device.ceilings.find(name);
  if (found == device.ceilings.end() || found->second.standing >= Standing::invalid) {
    return nullptr;
  }
  return &found->second;
}

// `stem` with a scope for `threads` workers; nothing where the profile does not hold it.
std::optional<Found> scoped(const DeviceProfile& device, const std::string& stem, int threads) {
  const Ceiling* all = find(device, stem + ".all");
  const Ceiling* core = find(device, stem + ".core");
  if (threads >= device.cores_usable && all != nullptr) {
    Found found{stem + ".all", *all, ""};
    if (threads > device.cores_usable) {
      found.fell_back = format("{}.all of {} stands in: {} workers were not measured", stem,
                               counted(device.cores_usable, "core", "cores"), threads);
    }
    return found;
  }
  if (core == nullptr) return std::nullopt;
  if (threads == 1) return Found{stem + ".core", *core, ""};
  Found found{format("{}*{}.core", threads, stem), *core, ""};
  found.ceiling.burst = scale(core->burst, threads);
  if (core->sustained) found.ceiling.sustained = scale(*core->sustained, threads);
  found.ceiling.provenance = "inferred";
  found.fell_back =
      format("{} times {}.core stands in: {} workers were not measured", threads, stem, threads);
  if (all != nullptr && all->burst.value < found.ceiling.burst.value) {
    found = {stem + ".all", *all,
             format("{}.all stands in: {} workers were not measured", stem, threads)};
    found.ceiling.provenance = "inferred";
  }
  return found;
}

Error missing(const DeviceProfile& device, const std::string& stem) {
  const auto why = device.absent.find(stem + ".all");
  return {
      ErrorCode::failed, format("the profile holds no {}", stem), device.id,
      why == device.absent.end() ? "measure again, or give another with --profile" : why->second};
}

}  // namespace

Result<Found> arithmetic_ceiling(const DeviceProfile& device, const std::string& dtype,
                                 int threads) {
  const std::vector<std::string> stems = {format("compute.{}.dot", dtype),
                                          format("compute.{}.fma", dtype), "compute.f32.fma"};
  for (const std::string& stem : stems) {
    auto found = scoped(device, stem, threads);
    if (!found) continue;
    if (stem == stems.back() && dtype != "f32") {
      found->fell_back = format(
          "no {} instructions were measured on this device, so {} stands in: products in {} are "
          "computed in f32 here",
          dtype, found->name, dtype);
    }
    return *found;
  }
  return fail(missing(device, stems.back()));
}

Result<Found> read_ceiling(const DeviceProfile& device, const std::string& memory, int threads) {
  const std::string stem = format("bandwidth.{}.read", memory);
  if (auto found = scoped(device, stem, threads)) return *found;
  return fail(missing(device, stem));
}

}  // namespace roofbeam
