// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/placing.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/model/expected.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

// Around a cache's size what it holds is not sure: a share of its lines is other data's.
constexpr double kSurelyInside = 0.7;
constexpr double kSurelyOutside = 1.4;

// A memory that may serve the work, with what it allows.
struct Level {
  std::string memory;
  Bytes holds;    // for the workers at hand; 0: everything
  Found promise;  // the fastest stores
  Found plain;    // plain stores, for the prediction
};

// All that was looked up for one operation.
struct Ground {
  std::string main;                 // dram, or device
  std::optional<Found> arithmetic;  // absent where there are no flops
  std::optional<Found> library;     // of products: what the best library reaches
  std::vector<Level> levels;        // outermost first, those the profile knows
  std::string residence;            // the memory that holds the footprint
  Bytes read;
  Bytes written;
  Bytes footprint;
};

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

std::optional<Level> level_of(const DeviceProfile& profile, const std::string& memory, Bytes holds,
                              const Ground& ground, int workers) {
  auto promise =
      traffic_ceiling(profile, memory, ground.read, ground.written, workers, Stores::fastest);
  auto plain =
      traffic_ceiling(profile, memory, ground.read, ground.written, workers, Stores::plain);
  if (!promise || !plain) return std::nullopt;
  return Level{memory, holds, *promise, *plain};
}

void add_levels(const DeviceProfile& profile, int workers, Ground& ground) {
  if (auto level = level_of(profile, ground.main, Bytes(0), ground, workers)) {
    ground.levels.push_back(std::move(*level));
  }
  std::vector<CacheFacts> caches = caches_of(profile);
  std::reverse(caches.begin(), caches.end());
  for (const CacheFacts& cache : caches) {
    auto level = level_of(profile, cache.memory, cache.of(workers), ground, workers);
    // Beyond the memory that holds the work a stand-in is no promise.
    const bool counts =
        level && (cache.memory == ground.residence || level->promise.fell_back.empty());
    if (counts) ground.levels.push_back(std::move(*level));
  }
}

Result<Ground> ground_of(const Operation& operation, const DeviceProfile& profile, int workers) {
  Ground ground;
  ground.main = main_memory(profile);
  for (const Traffic& traffic : operation.traffic) {
    if (traffic.memory != kMainMemory && traffic.memory != ground.main) continue;
    ground.read += traffic.read;
    ground.written += traffic.written;
  }
  const Bytes bytes = ground.read + ground.written;
  ground.footprint = operation.footprint > Bytes(0) ? operation.footprint : bytes;
  if (operation.flops > Flops(0)) {
    auto arithmetic = arithmetic_ceiling(profile, operation.dtype, workers, operation.arithmetic);
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
  add_levels(profile, workers, ground);
  const bool from_main = ground.residence == ground.main;
  if (from_main && (ground.levels.empty() || ground.levels.front().memory != ground.main)) {
    auto why = read_ceiling(profile, ground.main, workers);
    return fail(why ? Error{} : why.error());
  }
  return ground;
}

// The levels from the one that holds the work inwards, outermost first.
std::vector<const Level*> levels_inwards(const Ground& ground, const std::string& from) {
  std::vector<const Level*> inwards;
  bool inside = false;
  for (const Level& level : ground.levels) {
    inside = inside || level.memory == from;
    if (inside) inwards.push_back(&level);
  }
  return inwards;
}

// `operation` with its bytes counted against each of the roof's memories.
Operation counted_on(const Operation& operation, const Ground& ground, const Roof& roof) {
  Operation counted = operation;
  counted.traffic.clear();
  for (const Roof::Memory& memory : roof.memories) {
    counted.traffic.push_back({memory.memory, ground.read, ground.written});
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

Estimate<double> sustained_of(const Ceiling& ceiling) {
  return ceiling.sustained.value_or(ceiling.burst);
}

std::optional<Estimate<Seconds>> time_constant(const DeviceProfile& profile,
                                               const std::string& name) {
  const auto found = profile.ceilings.find(name);
  if (found == profile.ceilings.end() || found->second.standing >= Standing::invalid) {
    return std::nullopt;
  }
  return as<Seconds>(found->second.burst);
}

// What the prediction stands on where the data comes from `memory`.
Expected expected_of(const Ground& ground, const DeviceProfile& profile,
                     const std::string& memory) {
  Expected expected;
  const std::optional<Found>& reached = ground.library ? ground.library : ground.arithmetic;
  if (reached) {
    expected.roof.arithmetic_ceiling = reached->name;
    expected.roof.arithmetic = as<FlopRate>(sustained_of(reached->ceiling));
  }
  for (const Level& level : ground.levels) {
    if (level.memory != memory) continue;
    expected.roof.memories = {
        {memory, level.plain.name, as<ByteRate>(sustained_of(level.plain.ceiling))}};
  }
  expected.latency_ceiling = "latency." + memory;
  expected.latency = time_constant(profile, expected.latency_ceiling);
  expected.wrong_guess = time_constant(profile, expected.wrong_guess_ceiling);
  return expected;
}

// The memory next to the one that holds the work, where the size does not settle which of them it
// is.
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

void predict(Placed& placed, const Operation& operation, const Ground& ground,
             const DeviceProfile& profile, int workers) {
  const Expected expected = expected_of(ground, profile, ground.residence);
  const auto on = [&](const Expected& e) {
    return expected_time(counted_on(operation, ground, e.roof), e);
  };
  auto time = on(expected);
  if (!time) {
    placed.point.no_prediction = time.error().what;
    return;
  }
  Estimate<Seconds> total_time = total(*time);
  if (const auto rival = rival_of(ground, profile, workers)) {
    if (auto other = on(expected_of(ground, profile, *rival))) {
      const Estimate<Seconds> there = total(*other);
      total_time.low = std::min(total_time.low, there.low);
      total_time.high = std::max(total_time.high, there.high);
    }
  }
  total_time.method = Method::predicted;
  placed.point.predicted = total_time;
  placed.expected = std::move(*time);
}

// Arithmetic of nothing is no charge: it would only be a row that says 0 s.
Breakdown bound_of(const Operation& operation, const Ground& ground, const Roof& roof) {
  Breakdown bound = roofline(counted_on(operation, ground, roof), roof);
  std::erase_if(bound.parts, [](const Breakdown& part) { return part.time.high == Seconds(0); });
  return bound;
}

bool beats_arithmetic(const Verdict& verdict, const Roof& roof) {
  if (verdict.standing < Standing::invalid) return false;
  const std::vector<Held> held = held_by(verdict.breakdown);
  return !held.empty() && held.front().ceiling == roof.arithmetic_ceiling;
}

// The roof as remedies edit it: its arithmetic, and the memory that the judged breakdown is left
// with.
Roof visible_roof(const Roof& roof, const Breakdown& judged) {
  Roof visible = roof;
  const std::set<std::string> left = ceilings_in(judged);
  std::erase_if(visible.memories,
                [&](const Roof::Memory& memory) { return left.count(memory.ceiling) == 0; });
  if (visible.memories.size() > 1) visible.memories.resize(1);
  return visible;
}

void explain_waiting(Verdict& verdict, const Operation& operation, const Expected& expected,
                     const Estimate<Seconds>& observed) {
  if (verdict.bound_by != Cause::none_reached) return;
  if (operation.waiting_loads > 0 && expected.latency) {
    const Seconds waits = expected.latency->value * operation.waiting_loads;
    verdict.because.push_back(
        format("each load needs what the one before it brought: {} of them at {} take {}, {} of "
               "the time it took",
               show_number(operation.waiting_loads), expected.latency_ceiling, show(waits),
               show_percent(waits / observed.value)));
  }
  if (operation.wrong_guesses > 0 && expected.wrong_guess) {
    const Seconds lost = expected.wrong_guess->value * operation.wrong_guesses;
    verdict.because.push_back(
        format("{} branches are guessed wrong: at {} that takes {}, {} of the time it took",
               show_number(operation.wrong_guesses), expected.wrong_guess_ceiling, show(lost),
               show_percent(lost / observed.value)));
  }
  if (operation.arithmetic == kChain) {
    verdict.because.push_back(
        "each operation needs the result of the one before it, so most of the units have nothing "
        "to do: several chains at once would fill them");
  }
}

Result<Verdict> judged(const Operation& operation, const Estimate<Seconds>& observed,
                       const Ground& ground, const DeviceProfile& profile, int workers,
                       const Warnings& disturbances) {
  Roof roof = promised_roof(ground, ground.arithmetic);
  Breakdown bound = bound_of(operation, ground, roof);
  if (bound.parts.empty()) {
    return fail({ErrorCode::cannot_tell,
                 format("no ceiling of {} is known that this work stands under", profile.id),
                 operation.name, "give its flops, or bytes of a memory that was measured"});
  }
  Verdict verdict = judge(bound, observed, disturbances);
  if (operation.arithmetic.empty() && beats_arithmetic(verdict, roof)) {
    auto any = arithmetic_ceiling(profile, operation.dtype, workers, "any");
    if (any && any->fell_back.empty()) {
      roof = promised_roof(ground, *any);
      verdict = judge(bound_of(operation, ground, roof), observed, disturbances);
    }
  }
  const Roof visible = visible_roof(roof, verdict.breakdown);
  const Operation counted = counted_on(operation, ground, visible);
  if (ground.residence != ground.main && !ground.residence.empty()) {
    verdict.because.push_back(
        format("what it touches ({}) fits in the {} cache, so {} is no bound here",
               show_binary(ground.footprint), ground.residence,
               ground.main == kMainMemory ? "DRAM" : "its memory"));
  }
  if (operation.flops > Flops(0)) {
    if (auto side = beside_the_ridge(counted, visible)) verdict.because.push_back(std::move(*side));
  }
  explain_waiting(verdict, operation, expected_of(ground, profile, ground.residence), observed);
  if (verdict.bound_by != Cause::none_reached && verdict.bound_by != Cause::cannot_tell) {
    verdict.remedies = roofline_remedies(counted, visible);
  }
  return verdict;
}

void note(Placed& placed, const Found& used) {
  placed.ceilings.insert(used.name);
  if (!used.fell_back.empty()) placed.warnings.push_back({"fell_back", used.fell_back});
  if (used.ceiling.standing == Standing::degraded) {
    placed.warnings.push_back({"ceiling_degraded", used.name + ": " + used.ceiling.reason});
  }
}

// A stand-in promises nothing: what lies above it is in doubt, and not wrong.
void forgive_stand_ins(Placed& placed, Verdict& verdict) {
  const bool stand_in =
      std::any_of(placed.warnings.begin(), placed.warnings.end(),
                  [](const Warning& warning) { return warning.code == "fell_back"; });
  if (stand_in && verdict.standing == Standing::invalid) verdict.standing = Standing::degraded;
}

Point point_of(const Operation& operation, const Ground& ground, int workers) {
  Point point;
  point.name = operation.name;
  point.dtype = operation.dtype;
  point.memory = ground.residence;
  point.workers = workers;
  point.flops = operation.flops;
  point.bytes_read = ground.read;
  point.bytes_written = ground.written;
  if (point.bytes() > Bytes(0)) point.intensity = operation.flops / point.bytes();
  return point;
}

}  // namespace

Result<Placed> place_operation(const Operation& operation,
                               const std::optional<Estimate<Seconds>>& observed,
                               const DeviceProfile& profile, int workers,
                               const Warnings& disturbances) {
  auto ground = ground_of(operation, profile, workers);
  if (!ground) return fail(ground.error());
  Placed placed;
  placed.point = point_of(operation, *ground, workers);
  if (ground->arithmetic) note(placed, *ground->arithmetic);
  if (ground->library) note(placed, *ground->library);
  for (const Level& level : ground->levels) {
    if (level.memory == ground->residence) note(placed, level.promise);
  }
  predict(placed, operation, *ground, profile, workers);
  const Roof roof = promised_roof(*ground, ground->arithmetic);
  if (operation.flops > Flops(0)) {
    const Breakdown bound = bound_of(operation, *ground, roof);
    placed.point.roof = operation.flops / total(bound).value;
  }
  placed.point.time = observed;
  if (!observed) return placed;
  auto verdict = judged(operation, *observed, *ground, profile, workers, disturbances);
  if (!verdict) return fail(verdict.error());
  forgive_stand_ins(placed, *verdict);
  placed.point.verdict = std::move(*verdict);
  return placed;
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
  if (operation.flops > Flops(0) &&
      (operation.arithmetic == "add" || operation.arithmetic == "any")) {
    wanted.insert(format("compute.{}.{}.{}", operation.dtype, operation.arithmetic, scope));
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
