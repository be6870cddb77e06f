// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/placing.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/ground.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/model/expected.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

// The total of what is expected where the data comes from `memory`, from the best there is to what
// is sustained, and as far beyond as code lies from its ceilings.
Result<Estimate<Seconds>> time_in(const Operation& operation, const Ground& ground,
                                  const DeviceProfile& profile, const std::string& memory,
                                  std::optional<Breakdown>& kept) {
  Estimate<Seconds> time;
  for (const Rates rates : {Rates::burst, Rates::sustained}) {
    const Expected expected = expected_of(ground, profile, memory, rates);
    auto tree = expected_time(counted_on(operation, ground, expected.roof), expected);
    if (!tree) return fail(tree.error());
    const Estimate<Seconds> here = total(*tree);
    const Seconds low = rates == Rates::burst ? here.low : std::min(time.low, here.low);
    time = here;
    time.low = low;
    kept = std::move(*tree);
  }
  time.low = time.low / kSpread;
  time.high = time.high * kSpread;
  time.method = Method::predicted;
  return time;
}

void predict(Placed& placed, const Operation& operation, const Ground& ground,
             const DeviceProfile& profile, int workers) {
  auto time = time_in(operation, ground, profile, ground.residence, placed.expected);
  if (!time) {
    placed.point.no_prediction = time.error().what;
    return;
  }
  if (const auto rival = rival_of(ground, profile, workers)) {
    std::optional<Breakdown> unused;
    if (auto there = time_in(operation, ground, profile, *rival, unused)) {
      time->low = std::min(time->low, there->low);
      time->high = std::max(time->high, there->high);
    }
  }
  placed.point.predicted = *time;
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
    const Seconds waits = expected.latency->value * (operation.waiting_loads / expected.workers);
    verdict.because.push_back(
        format("each load needs what the one before it brought: {} of them at {} take {}, {} of "
               "the time it took",
               show_number(operation.waiting_loads), expected.latency_ceiling, show(waits),
               show_percent(waits / observed.value)));
  }
  if (operation.wrong_guesses > 0 && expected.wrong_guess) {
    const Seconds lost = expected.wrong_guess->value * (operation.wrong_guesses / expected.workers);
    verdict.because.push_back(format(
        "{} branches are guessed wrong: shared out over the workers that takes {} at {}, {} of "
        "the time it took",
        show_number(operation.wrong_guesses), show(lost), expected.wrong_guess_ceiling,
        show_percent(lost / observed.value)));
  }
  if (operation.arithmetic == kChain) {
    verdict.because.push_back(
        "each operation needs the result of the one before it, so most of the units have nothing "
        "to do: several chains at once would fill them");
  }
}

// Whose roof is that of stores past the caches may use plain ones.
void explain_stores(Verdict& verdict, const Ground& ground, const Estimate<Seconds>& observed) {
  for (const Level& level : ground.levels) {
    const bool binds = level.promise.name == verdict.bound_level;
    if (!binds || level.promise.name == level.plain.name) continue;
    const Seconds plain = (level.read + level.written) / ByteRate(level.plain.ceiling.burst.value);
    verdict.because.push_back(format(
        "that ceiling is one of stores past the caches; of plain stores it is {}, of which {} "
        "is reached",
        level.plain.name, show_percent(plain / observed.value)));
  }
}

// The ceiling that no bytes evade: that of the cache nearest the core, which all of them pass, or
// of the memory that they surely come from. Empty where the profile does not know it.
std::string inevitable(const Operation& operation, const Ground& ground) {
  if (operation.stays_put) {
    const auto inwards = levels_inwards(ground, ground.residence);
    return inwards.empty() ? "" : inwards.front()->promise.name;
  }
  if (ground.levels.empty() || ground.levels.back().memory != "l1") return "";
  return ground.levels.back().promise.name;
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
  const std::string floor = inevitable(operation, ground);
  Verdict verdict = judge(bound, observed, disturbances, floor);
  if (operation.arithmetic.empty() && beats_arithmetic(verdict, roof)) {
    auto any = arithmetic_ceiling(profile, operation.dtype, workers, "any");
    if (any && any->fell_back.empty()) {
      roof = promised_roof(ground, *any);
      verdict = judge(bound_of(operation, ground, roof), observed, disturbances, floor);
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
  explain_stores(verdict, ground, observed);
  explain_waiting(verdict, operation, expected_of(ground, profile, ground.residence), observed);
  if (verdict.bound_by != Cause::none_reached && verdict.bound_by != Cause::cannot_tell) {
    verdict.remedies = roofline_remedies(counted, visible);
  }
  return verdict;
}

void note(Placed& placed, const Found& used) {
  placed.used.push_back(used);
  placed.ceilings.insert(used.made_of.begin(), used.made_of.end());
  if (!used.fell_back.empty()) placed.warnings.push_back({"fell_back", used.fell_back});
  if (used.ceiling.standing == Standing::degraded) {
    placed.warnings.push_back({"ceiling_degraded", used.name + ": " + used.ceiling.reason});
  }
}

// What its waits cost, where it has any.
std::vector<Found> constants_of(const Operation& operation, const Ground& ground,
                                const DeviceProfile& profile) {
  std::vector<Found> found;
  const auto add = [&](bool wanted, const std::string& name) {
    const auto ceiling = profile.ceilings.find(name);
    if (wanted && ceiling != profile.ceilings.end()) {
      found.push_back({name, ceiling->second, "", {name}});
    }
  };
  add(operation.waiting_loads > 0, "latency." + ground.residence);
  add(operation.wrong_guesses > 0, "overhead.branch");
  return found;
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
  if (operation.flops <= Flops(0) && ground->read + ground->written <= Bytes(0)) {
    return fail({ErrorCode::cannot_tell, "work without flops and bytes stands under no ceiling",
                 operation.name, "count what it computes or what it moves"});
  }
  Placed placed;
  placed.point = point_of(operation, *ground, workers);
  if (ground->arithmetic) note(placed, *ground->arithmetic);
  if (ground->library) note(placed, *ground->library);
  for (const Level& level : ground->levels) {
    if (level.memory == ground->residence) note(placed, level.promise);
  }
  for (const Found& constant : constants_of(operation, *ground, profile)) note(placed, constant);
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

void keep_point(PointsAnswer& answer, UsedCeilings& used, Placed placed) {
  AnswerState& state = answer.state;
  keep_used(used, placed.used);
  state.standing = worse(state.standing, placed.point.verdict->standing);
  for (const Warnings* list :
       {&std::as_const(placed.warnings), &std::as_const(placed.point.verdict->warnings)}) {
    for (const Warning& warning : *list) {
      const auto& told = state.warnings;
      if (std::find(told.begin(), told.end(), warning) != told.end()) continue;
      state.warnings.push_back(warning);
      state.standing = worse(state.standing, Standing::degraded);
    }
  }
  answer.points.push_back(std::move(placed.point));
}

void keep_used(UsedCeilings& all, const std::vector<Found>& used) {
  for (const Found& found : used) all.emplace(found.name, found);
}

std::vector<NamedCeiling> named_ceilings(const UsedCeilings& used) {
  std::vector<NamedCeiling> named;
  for (const auto& [name, found] : used) {
    named.push_back({name, found.ceiling.unit, found.ceiling.burst});
  }
  return named;
}

}  // namespace roofbeam
