// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/tour.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/beside.h"
#include "roofbeam/command/kernel_point.h"
#include "roofbeam/command/kernel_remarks.h"
#include "roofbeam/command/roofline.h"
#include "roofbeam/profile/headline.h"

namespace roofbeam {
namespace {

// What the tour shows, as rows of kernel_rows(): with its data in the main memory, or of one size.
struct Stop {
  std::string_view name;
  DataType dtype;
};
constexpr std::array kStops = {
    Stop{"matrix x vector", DataType::f32}, Stop{"matrix x 8", DataType::f32},
    Stop{"matrix x 32", DataType::f32},     Stop{"add", DataType::f32},
    Stop{"triad", DataType::f32},           Stop{"square product", DataType::f32}};

constexpr double kTwice = 2;

std::vector<KernelCase> cases_here(const Session& session) {
  std::vector<KernelCase> chosen;
  for (const Stop& stop : kStops) {
    for (const KernelRow& row : kernel_rows()) {
      if (row.name != stop.name || row.dtype != stop.dtype) continue;
      for (KernelCase& kernel : cases_of(row, session.device.box, session.threads)) {
        if (kernel.memory.empty() || kernel.memory == kMainMemory) {
          chosen.push_back(std::move(kernel));
        }
      }
    }
  }
  return chosen;
}

// Every ceiling whose name begins so, `times` as high.
DeviceProfile with_more(const DeviceProfile& profile, const char* begin, double times) {
  DeviceProfile more = profile;
  for (auto& [name, ceiling] : more.ceilings) {
    if (!name.starts_with(begin)) continue;
    ceiling.burst = scale(ceiling.burst, times);
    if (ceiling.sustained) ceiling.sustained = scale(*ceiling.sustained, times);
  }
  return more;
}

// Both kinds of arithmetic ceilings: what instructions allow and what libraries reach.
DeviceProfile with_more_arithmetic(const DeviceProfile& profile) {
  return with_more(with_more(profile, "compute.", kTwice), "gemm.", kTwice);
}

std::optional<TourAnswer::WhatIf> what_if(const KernelCase& kernel, const DeviceProfile& profile,
                                          int workers) {
  const Operation operation = operation_of(*kernel.row, kernel.problem);
  const auto now = place_operation(operation, std::nullopt, profile, workers);
  const auto wider =
      place_operation(operation, std::nullopt, with_more(profile, "bandwidth.", kTwice), workers);
  const auto faster =
      place_operation(operation, std::nullopt, with_more_arithmetic(profile), workers);
  if (!now || !wider || !faster) return std::nullopt;
  if (!now->expected || !wider->expected || !faster->expected) return std::nullopt;
  return TourAnswer::WhatIf{std::string(kernel.row->name), gain(*now->expected, *wider->expected),
                            gain(*now->expected, *faster->expected)};
}

// The predictions, told before anything of them is run.
void tell(const std::vector<Prepared>& all, const Caller& caller) {
  std::vector<std::string> parts;
  for (const Prepared& prepared : all) {
    const auto& predicted = prepared.expected.point.predicted;
    if (!predicted) continue;
    parts.push_back(format("{} {}", prepared.expected.point.name, show(predicted->value)));
  }
  caller.progress.note("predicted from these ceilings alone: " + join(parts, ", "));
}

// The command that shows most of what this run left open.
void choose_next(TourAnswer& answer, const DeviceProfile& profile) {
  for (const auto& [name, ceiling] : profile.ceilings) {
    const auto& used = answer.placed.ceilings;
    const bool counts = std::any_of(used.begin(), used.end(),
                                    [&name = name](const auto& one) { return one.name == name; });
    if (!counts || ceiling.standing != Standing::degraded) continue;
    answer.next_command = "roofbeam machine";
    answer.next_why = format(
        "{} was disturbed when it was measured ({}): measure again when it is quiet, every figure "
        "here stands on it",
        name, ceiling.reason);
    return;
  }
  for (const Point& point : answer.placed.points) {
    if (point.covered().value_or(true)) continue;
    answer.next_command = format("roofbeam roofline --only \"{}\"", point.name);
    answer.next_why =
        format("{} was not as predicted: this measures it in every memory", point.name);
    return;
  }
  answer.next_command = "roofbeam roofline";
  answer.next_why = "every kernel in every cache, under the same roof";
}

Status measure_all(Session& session, KnownCeilings& known, const std::vector<Prepared>& all,
                   const DeviceOptions& options, const Caller& caller, TourAnswer& answer,
                   UsedCeilings& used) {
  int done = 0;
  for (const Prepared& prepared : all) {
    if (caller.stop.requested()) break;
    caller.progress.step("measuring " + prepared.expected.point.name, done++,
                         static_cast<int>(all.size()));
    auto placed = measure_point(session, known, prepared, options, caller, 1);
    if (placed) {
      keep_point(answer.placed, used, std::move(*placed));
    } else if (placed.error().code != ErrorCode::interrupted) {
      answer.placed.state.warnings.push_back(
          {"not_measured", format("{}: {}", prepared.expected.point.name, placed.error().what)});
    }
  }
  caller.progress.step("measured what was predicted", done, static_cast<int>(all.size()));
  if (!caller.stop.requested()) return {};
  answer.placed.state.complete = false;
  answer.placed.state.warnings.push_back(
      {"incomplete", "stopped: what stands here was finished before"});
  return {};
}

void compare_devices(TourAnswer& answer, const Session& session, const DeviceProfile& profile) {
  const Bytes memory = session.device.box.topology.memory;
  answer.beside.push_back(
      beside_of(profile, headline_of(profile),
                memory > Bytes(0) ? std::optional<Bytes>(memory) : std::nullopt));
  for (const KnownDevice* sheet : known_for_comparison()) {
    answer.beside.push_back(beside_of(*sheet));
  }
}

}  // namespace

Result<TourAnswer> tour(const DeviceOptions& options, const Caller& caller) {
  auto session = open_session(options, caller.stop);
  if (!session) return fail(session.error());
  const bool saved = has_ceilings(*session, options);
  caller.progress.note(format("{} on {}: this takes about {} s; Ctrl-C keeps what is done",
                              saved ? "the tour" : "the tour, with a first look at the machine,",
                              session->device.name, saved ? 5 : 15));
  auto known = ceilings_of(*session, options, caller);
  if (!known) return fail(known.error());
  const std::vector<KernelCase> cases = cases_here(*session);
  const auto wanted = ceilings_wanted(cases, known->device, session->threads);
  auto complete = complete_ceilings(*session, *known, wanted, options, caller);
  if (complete && saved) {
    complete = complete_ceilings(*session, *known, drifting(wanted), options, caller, true);
  }
  if (!complete) return fail(complete.error());

  TourAnswer answer;
  answer.factor = kTwice;
  answer.placed.command = "tour";
  answer.placed.device = facts_of(session->device);
  answer.placed.threads = session->threads;
  answer.placed.state.warnings = known->warnings;
  std::vector<Prepared> all;
  for (const KernelCase& kernel : cases) {
    auto prepared = prepare_point(*session, *known, kernel);
    if (!prepared) {
      answer.placed.state.warnings.push_back(
          {"not_measured", format("{}: {}", kernel.row->name, prepared.error().what)});
      continue;
    }
    all.push_back(std::move(*prepared));
    if (auto row = what_if(all.back().kernel, known->device, session->threads)) {
      answer.what_if.push_back(std::move(*row));
    }
  }
  tell(all, caller);
  UsedCeilings used;
  auto measured = measure_all(*session, *known, all, options, caller, answer, used);
  if (!measured) return fail(measured.error());
  answer.placed.ceilings = named_ceilings(used);
  answer.placed.roof = drawn_roof(known->device, {"f32", "bf16"});
  answer.placed.predictions = summary_of(answer.placed.points);
  answer.placed.remarks = remarks_on(answer.placed.points);
  compare_devices(answer, *session, known->device);
  choose_next(answer, known->device);
  return answer;
}

}  // namespace roofbeam
