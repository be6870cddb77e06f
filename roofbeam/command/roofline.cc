// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/roofline.h"

#include <algorithm>
#include <set>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/command/kernel_point.h"
#include "roofbeam/command/kernel_remarks.h"

namespace roofbeam {
namespace {

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// Whether `value` is one of `wanted`; everything is where nothing is.
bool chosen(std::string_view value, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& wish) {
           return begins(value, wish);
         });
}

Status check_names(const std::vector<std::string>& wanted, const std::set<std::string>& known,
                   const char* option) {
  for (const std::string& wish : wanted) {
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&](const std::string& name) { return begins(name, wish); });
    if (!found || wish.empty()) {
      return usage_error(format("\"{}\" begins no name here", wish), option,
                         suggest(wish, {known.begin(), known.end()}));
    }
  }
  return {};
}

Result<std::vector<KernelCase>> chosen_cases(const RooflineOptions& options,
                                             const Session& session) {
  std::set<std::string> names;
  std::set<std::string> memories;
  std::set<std::string> dtypes;
  std::vector<KernelCase> cases;
  for (const KernelRow& row : kernel_rows()) {
    names.emplace(row.name);
    dtypes.emplace(name(row.dtype));
    for (KernelCase& kernel : cases_of(row, session.device.box, session.threads)) {
      if (!kernel.memory.empty()) memories.insert(kernel.memory);
      const bool wanted = chosen(row.name, options.only) &&
                          chosen(name(row.dtype), options.dtypes) &&
                          chosen(kernel.memory, options.memories);
      if (wanted) cases.push_back(std::move(kernel));
    }
  }
  if (auto known = check_names(options.only, names, "--only"); !known) return fail(known.error());
  if (auto known = check_names(options.memories, memories, "--memory"); !known) {
    return fail(known.error());
  }
  if (auto known = check_names(options.dtypes, dtypes, "--dtype"); !known) {
    return fail(known.error());
  }
  if (cases.empty()) {
    return usage_error("no kernel is left", "--only, --memory, --dtype", "ask for less at once");
  }
  return cases;
}

// Main memory's bandwidth as it is now, for a kernel that is about to be predicted from it.
Status refresh(Session& session, KnownCeilings& known, const KernelCase& kernel,
               const DeviceOptions& options, const Caller& caller) {
  if (kernel.memory != kMainMemory) return {};
  const auto wanted = drifting(ceilings_wanted({kernel}, known.device, session.threads));
  NoProgress quiet;
  return complete_ceilings(session, known, wanted, options, {caller.stop, quiet}, true);
}

std::string label_of(const KernelCase& kernel) {
  return trim(format("{} {} {}", kernel.row->name, name(kernel.row->dtype), kernel.memory));
}

void finish(PointsAnswer& answer, const UsedCeilings& used, const DeviceProfile& profile) {
  answer.ceilings = named_ceilings(used);
  std::set<std::string> dtypes;
  for (const Point& point : answer.points) dtypes.insert(point.dtype);
  answer.roof = drawn_roof(profile, dtypes);
  answer.predictions = summary_of(answer.points);
  answer.remarks = remarks_on(answer.points);
}

}  // namespace

Result<PointsAnswer> roofline_points(const RooflineOptions& options, const Caller& caller) {
  auto session = open_session(options.where, caller.stop);
  if (!session) return fail(session.error());
  auto cases = chosen_cases(options, *session);
  if (!cases) return fail(cases.error());
  auto known = ceilings_of(*session, options.where, caller);
  if (!known) return fail(known.error());
  const auto wanted = ceilings_wanted(*cases, known->device, session->threads);
  auto complete = complete_ceilings(*session, *known, wanted, options.where, caller);
  if (!complete) return fail(complete.error());

  PointsAnswer answer;
  answer.command = "roofline";
  answer.device = facts_of(session->device);
  answer.threads = session->threads;
  answer.state.warnings = known->warnings;
  UsedCeilings used;
  int done = 0;
  for (const KernelCase& kernel : *cases) {
    if (caller.stop.requested()) break;
    const std::string label = label_of(kernel);
    caller.progress.step("measuring " + label, done++, static_cast<int>(cases->size()));
    auto fresh = refresh(*session, *known, kernel, options.where, caller);
    if (!fresh && fresh.error().code == ErrorCode::interrupted) break;
    if (!fresh) return fail(fresh.error());
    auto prepared = prepare_point(*session, *known, kernel);
    auto placed = prepared ? measure_point(*session, *known, *prepared, options.where, caller)
                           : Result<Placed>(fail(prepared.error()));
    if (placed) {
      keep_point(answer, used, std::move(*placed));
    } else if (placed.error().code != ErrorCode::interrupted) {
      answer.state.warnings.push_back(
          {"not_measured", format("{}: {}", label, placed.error().what)});
    }
  }
  caller.progress.step("placed the kernels", done, static_cast<int>(cases->size()));
  if (caller.stop.requested()) {
    if (answer.points.empty()) return fail({ErrorCode::interrupted, "stopped", "", ""});
    answer.state.complete = false;
    answer.state.warnings.push_back(
        {"incomplete", "stopped: what stands here was finished before"});
  }
  if (answer.points.empty()) {
    return failed("no kernel could be measured", session->device.id,
                  answer.state.warnings.empty() ? "" : answer.state.warnings.back().text);
  }
  finish(answer, used, known->device);
  return answer;
}

}  // namespace roofbeam
