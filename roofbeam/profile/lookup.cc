// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/lookup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
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
    Found found{stem + ".all", *all, "", {stem + ".all"}};
    if (threads > device.cores_usable) {
      found.fell_back = format("{}.all of {} stands in: {} workers were not measured", stem,
                               counted(device.cores_usable, "core", "cores"), threads);
    }
    return found;
  }
  if (core == nullptr) return std::nullopt;
  if (threads == 1) return Found{stem + ".core", *core, "", {stem + ".core"}};
  Found found{format("{}*{}.core", threads, stem), *core, "", {stem + ".core"}};
  found.ceiling.burst = scale(core->burst, threads);
  if (core->sustained) found.ceiling.sustained = scale(*core->sustained, threads);
  found.ceiling.provenance = "inferred";
  found.fell_back =
      format("{} times {}.core stands in: {} workers were not measured", threads, stem, threads);
  if (all != nullptr && all->burst.value < found.ceiling.burst.value) {
    found = {stem + ".all",
             *all,
             format("{}.all stands in: {} workers were not measured", stem, threads),
             {stem + ".all"}};
    found.ceiling.provenance = "inferred";
  }
  return found;
}

// An access, and which share of the bytes it moves are written.
struct Access {
  const char* access = "read";
  double written = 0;
};
constexpr std::array kAccesses = {Access{"read", 0}, Access{"triad", 1.0 / 3}, Access{"copy", 0.5},
                                  Access{"write", 1}};
constexpr double kSameMix = 0.02;  // of the bytes: a few more written make no other access

// A mix as shares of the bytes: 1 - far_share move as `near` does, far_share as `far`.
struct Mix {
  Access near;
  Access far;
  double far_share = 0;
};

Mix mix_of(Bytes read, Bytes written) {
  const double share = written.value() / (read + written).value();
  for (const Access& access : kAccesses) {
    if (std::abs(share - access.written) < kSameMix) return {access, access, 0};
  }
  std::size_t above = 1;
  while (kAccesses[above].written < share) ++above;
  const Access& near = kAccesses[above - 1];
  const Access& far = kAccesses[above];
  return {near, far, (share - near.written) / (far.written - near.written)};
}

std::optional<Found> access_ceiling(const DeviceProfile& device, const std::string& memory,
                                    const std::string& access, int threads, Stores stores) {
  auto plain = scoped(device, format("bandwidth.{}.{}", memory, access), threads);
  if (access == "read") return plain;
  auto past = scoped(device, format("bandwidth.{}.{}_nt", memory, access), threads);
  if (!past || (plain && stores == Stores::plain)) return plain;
  return !plain || past->ceiling.burst.value > plain->ceiling.burst.value ? past : plain;
}

Estimate<double> harmonic(const Estimate<double>& a, double share_a, const Estimate<double>& b,
                          double share_b) {
  const auto mean = [&](double x, double y) { return 1 / (share_a / x + share_b / y); };
  return {mean(a.value, b.value), mean(a.low, b.low), mean(a.high, b.high),
          std::min(a.samples, b.samples), Method::predicted};
}

Found mixed(const Found& a, double share_a, const Found& b, double share_b) {
  Found both = a;
  const std::vector<std::string> parts = split(a.name, '.');
  const std::vector<std::string> others = split(b.name, '.');
  both.name = parts.size() == 4 && others.size() == 4
                  ? format("{}.{}.{}+{}.{}", parts[0], parts[1], parts[2], others[2], parts[3])
                  : a.name + "+" + b.name;
  both.ceiling.burst = harmonic(a.ceiling.burst, share_a, b.ceiling.burst, share_b);
  both.ceiling.sustained.reset();
  if (a.ceiling.sustained && b.ceiling.sustained) {
    both.ceiling.sustained = harmonic(*a.ceiling.sustained, share_a, *b.ceiling.sustained, share_b);
  }
  both.made_of.insert(both.made_of.end(), b.made_of.begin(), b.made_of.end());
  both.ceiling.provenance = "inferred";
  both.ceiling.standing = worse(a.ceiling.standing, b.ceiling.standing);
  if (both.ceiling.reason.empty()) both.ceiling.reason = b.ceiling.reason;
  if (both.fell_back.empty()) both.fell_back = b.fell_back;
  return both;
}

Error missing(const DeviceProfile& device, const std::string& stem) {
  const auto why = device.absent.find(stem + ".all");
  return {
      ErrorCode::failed, format("the profile holds no {}", stem), device.id,
      why == device.absent.end() ? "measure again, or give another with --profile" : why->second};
}

}  // namespace

Result<Found> arithmetic_ceiling(const DeviceProfile& device, const std::string& dtype, int threads,
                                 const std::string& arithmetic) {
  std::vector<std::string> kinds = {"matrix", "dot", "fma"};
  if (arithmetic == "add" || arithmetic == "any") kinds = {arithmetic};
  for (const std::string& kind : kinds) {
    if (auto found = scoped(device, format("compute.{}.{}", dtype, kind), threads)) return *found;
  }
  const std::string stem = "compute.f32.fma";
  auto found = scoped(device, stem, threads);
  if (!found) return fail(missing(device, stem));
  if (dtype != "f32") {
    found->fell_back = format(
        "no {} instructions were measured on this device, so {} stands in: products in {} are "
        "computed in f32 here",
        dtype, found->name, dtype);
  } else if (kinds.size() == 1) {
    found->fell_back =
        format("compute.{}.{} was not measured, so {} stands in", dtype, arithmetic, found->name);
  }
  return *found;
}

Result<Found> product_ceiling(const DeviceProfile& device, const std::string& dtype, int threads) {
  const std::string stem = "gemm." + dtype;
  if (auto found = scoped(device, stem, threads)) return *found;
  return fail(missing(device, stem));
}

Result<Found> read_ceiling(const DeviceProfile& device, const std::string& memory, int threads) {
  const std::string stem = format("bandwidth.{}.read", memory);
  if (auto found = scoped(device, stem, threads)) return *found;
  return fail(missing(device, stem));
}

std::vector<std::string> accesses_of(Bytes read, Bytes written) {
  const Mix mix = mix_of(read, written);
  std::vector<std::string> names = {mix.near.access};
  if (mix.far_share > 0) names.emplace_back(mix.far.access);
  return names;
}

Result<Found> traffic_ceiling(const DeviceProfile& device, const std::string& memory, Bytes read,
                              Bytes written, int threads, Stores stores) {
  const Mix mix = mix_of(read, written);
  const auto near = access_ceiling(device, memory, mix.near.access, threads, stores);
  if (near && !(mix.far_share > 0)) return *near;
  const auto far = access_ceiling(device, memory, mix.far.access, threads, stores);
  if (near && far) return mixed(*near, 1 - mix.far_share, *far, mix.far_share);
  auto reading = read_ceiling(device, memory, threads);
  if (!reading) return fail(reading.error());
  const double share = written.value() / (read + written).value();
  if (const auto writing = access_ceiling(device, memory, "write", threads, stores)) {
    return mixed(*reading, 1 - share, *writing, share);
  }
  reading->fell_back =
      format("{} stands in: how fast {} is written was not measured", reading->name, memory);
  return *reading;
}

}  // namespace roofbeam
