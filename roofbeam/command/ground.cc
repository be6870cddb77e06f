// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/ground.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// Around a cache's size what it holds is not sure: a share of its lines is other data's.
constexpr double kSurelyInside = 0.7;
constexpr double kSurelyOutside = 1.4;

std::string main_memory(const DeviceProfile& profile) {
  return profile.kind == "gpu" ? "device" : kMainMemory;
}

std::vector<CacheFacts> caches_of(const DeviceProfile& profile) {
  if (!profile.caches.empty() || profile.last_level_cache <= Bytes(0)) return profile.caches;
  return {{"l3", profile.last_level_cache, profile.cores_usable}};
}

std::string residence_of(const DeviceProfile& profile, Bytes footprint, int workers) {
  for (const CacheFacts& cache : caches_of(profile)) {
    if (footprint <= cache.of(workers)) return cache.memory;
  }
  return main_memory(profile);
}

std::optional<Level> level_of(const DeviceProfile& profile, const std::string& memory,
                              const Operation& operation, const Ground& ground, int workers) {
  Bytes read = ground.read;
  Bytes written = ground.written;
  for (const Traffic& traffic : operation.traffic) {
    if (traffic.memory != memory || memory == ground.main) continue;
    read = traffic.read;
    written = traffic.written;
  }
  auto promise = traffic_ceiling(profile, memory, read, written, workers, Stores::fastest);
  auto plain = traffic_ceiling(profile, memory, read, written, workers, Stores::plain);
  if (!promise || !plain) return std::nullopt;
  return Level{memory, *promise, *plain, read, written};
}

void add_levels(const Operation& operation, const DeviceProfile& profile, int workers,
                Ground& ground) {
  if (auto level = level_of(profile, ground.main, operation, ground, workers)) {
    ground.levels.push_back(std::move(*level));
  }
  std::vector<CacheFacts> caches = caches_of(profile);
  std::reverse(caches.begin(), caches.end());
  for (const CacheFacts& cache : caches) {
    auto level = level_of(profile, cache.memory, operation, ground, workers);
    // Beyond the memory that holds the work a stand-in is no promise.
    const bool counts =
        level && (cache.memory == ground.residence || level->promise.fell_back.empty());
    if (counts) ground.levels.push_back(std::move(*level));
  }
}

// What is not said in its flops may be any mix.
std::string instructions_of(const Operation& operation) {
  return operation.arithmetic == kUncounted ? "any" : operation.arithmetic;
}

Estimate<double> rate_of(const Ceiling& ceiling, Rates rates) {
  return rates == Rates::burst ? ceiling.burst : ceiling.sustained.value_or(ceiling.burst);
}

std::optional<Estimate<Seconds>> time_constant(const DeviceProfile& profile,
                                               const std::string& name) {
  const auto found = profile.ceilings.find(name);
  if (found == profile.ceilings.end() || found->second.standing >= Standing::invalid) {
    return std::nullopt;
  }
  return as<Seconds>(found->second.burst);
}

}  // namespace

Result<Ground> ground_of(const Operation& operation, const DeviceProfile& profile, int workers) {
  Ground ground;
  ground.main = main_memory(profile);
  ground.workers = workers;
  for (const Traffic& traffic : operation.traffic) {
    if (traffic.memory != kMainMemory && traffic.memory != ground.main) continue;
    ground.read += traffic.read;
    ground.written += traffic.written;
  }
  const Bytes bytes = ground.read + ground.written;
  ground.footprint = operation.footprint > Bytes(0) ? operation.footprint : bytes;
  if (operation.flops > Flops(0)) {
    auto arithmetic =
        arithmetic_ceiling(profile, operation.dtype, workers, instructions_of(operation));
    if (!arithmetic) return fail(arithmetic.error());
    ground.arithmetic = *arithmetic;
  }
  if (operation.arithmetic == kProduct) {
    if (auto library = product_ceiling(profile, operation.dtype, workers)) {
      ground.library = *library;
    }
  }
  if (bytes <= Bytes(0)) return ground;
  ground.residence = residence_of(profile, ground.footprint, workers);
  add_levels(operation, profile, workers, ground);
  const bool from_main = ground.residence == ground.main;
  if (from_main && (ground.levels.empty() || ground.levels.front().memory != ground.main)) {
    auto why = read_ceiling(profile, ground.main, workers);
    return fail(why ? Error{} : why.error());
  }
  return ground;
}

std::vector<const Level*> levels_inwards(const Ground& ground, const std::string& from) {
  std::vector<const Level*> inwards;
  bool inside = false;
  for (const Level& level : ground.levels) {
    inside = inside || level.memory == from;
    if (inside) inwards.push_back(&level);
  }
  return inwards;
}

std::optional<std::string> rival_of(const Ground& ground, const DeviceProfile& profile,
                                    int workers) {
  std::string inner;
  for (const CacheFacts& cache : caches_of(profile)) {
    const double share = ground.footprint / cache.of(workers);
    if (share > kSurelyInside && share <= 1) {
      const auto at = std::find_if(ground.levels.begin(), ground.levels.end(),
                                   [&](const Level& l) { return l.memory == cache.memory; });
      if (at == ground.levels.end() || at == ground.levels.begin()) return std::nullopt;
      return (at - 1)->memory;
    }
    if (share > 1 && share < kSurelyOutside) inner = cache.memory;
  }
  if (inner.empty()) return std::nullopt;
  return inner;
}

Operation counted_on(const Operation& operation, const Ground& ground, const Roof& roof) {
  Operation counted = operation;
  counted.traffic.clear();
  for (const Roof::Memory& memory : roof.memories) {
    for (const Level& level : ground.levels) {
      if (level.memory != memory.memory) continue;
      counted.traffic.push_back({level.memory, level.read, level.written});
    }
  }
  return counted;
}

Roof promised_roof(const Ground& ground, const std::optional<Found>& arithmetic) {
  Roof roof;
  if (arithmetic) {
    roof.arithmetic_ceiling = arithmetic->name;
    roof.arithmetic = as<FlopRate>(arithmetic->ceiling.burst);
  }
  for (const Level* level : levels_inwards(ground, ground.residence)) {
    roof.memories.push_back(
        {level->memory, level->promise.name, as<ByteRate>(level->promise.ceiling.burst)});
  }
  return roof;
}

Expected expected_of(const Ground& ground, const DeviceProfile& profile, const std::string& memory,
                     Rates rates) {
  Expected expected;
  const std::optional<Found>& reached = ground.library ? ground.library : ground.arithmetic;
  if (reached) {
    expected.roof.arithmetic_ceiling = reached->name;
    expected.roof.arithmetic = as<FlopRate>(rate_of(reached->ceiling, rates));
  }
  for (const Level& level : ground.levels) {
    if (level.memory != memory) continue;
    expected.roof.memories = {
        {memory, level.plain.name, as<ByteRate>(rate_of(level.plain.ceiling, rates))}};
  }
  expected.workers = std::max(1, ground.workers);
  expected.latency_ceiling = "latency." + memory;
  expected.latency = time_constant(profile, expected.latency_ceiling);
  expected.wrong_guess = time_constant(profile, expected.wrong_guess_ceiling);
  return expected;
}

std::set<std::string> ceilings_wanted(const Operation& operation, const DeviceProfile& profile,
                                      int workers) {
  std::set<std::string> wanted;
  const std::string scope = workers >= profile.cores_usable ? "all" : "core";
  Bytes read(0);
  Bytes written(0);
  for (const Traffic& traffic : operation.traffic) {
    read += traffic.read;
    written += traffic.written;
  }
  const std::string instructions = instructions_of(operation);
  if (operation.flops > Flops(0) && (instructions == "add" || instructions == "any")) {
    wanted.insert(format("compute.{}.{}.{}", operation.dtype, instructions, scope));
  }
  if (operation.arithmetic == kProduct) wanted.insert(format("gemm.{}.{}", operation.dtype, scope));
  if (read + written > Bytes(0)) {
    const Bytes held = operation.footprint > Bytes(0) ? operation.footprint : read + written;
    const std::string memory = residence_of(profile, held, workers);
    for (const std::string& access : accesses_of(read, written)) {
      wanted.insert(format("bandwidth.{}.{}.{}", memory, access, scope));
      // Between one worker and all the smaller of both counts.
      if (workers > 1) wanted.insert(format("bandwidth.{}.{}.all", memory, access));
    }
    if (operation.waiting_loads > 0) wanted.insert("latency." + memory);
  }
  if (operation.wrong_guesses > 0) wanted.insert("overhead.branch");
  return wanted;
}

DrawnRoof drawn_roof(const DeviceProfile& profile, const std::set<std::string>& dtypes) {
  DrawnRoof roof;
  std::vector<std::string> memories = {main_memory(profile)};
  for (const CacheFacts& cache : caches_of(profile))
    memories.insert(memories.begin() + 1, cache.memory);
  for (const std::string& memory : memories) {
    const std::string name = format("bandwidth.{}.read.all", memory);
    const auto found = profile.ceilings.find(name);
    if (found != profile.ceilings.end()) roof.slopes.push_back({name, found->second.burst.value});
  }
  for (const std::string& dtype : dtypes) {
    auto found = arithmetic_ceiling(profile, dtype, profile.cores_usable);
    if (!found) continue;
    const DrawnRoof::Line line{found->name, found->ceiling.burst.value};
    if (std::find(roof.flats.begin(), roof.flats.end(), line) == roof.flats.end()) {
      roof.flats.push_back(line);
    }
  }
  return roof;
}

}  // namespace roofbeam
