// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/region.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/stats/restarts.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr double kRoundSeconds = 0.01;  // far above what reading the clock takes and resolves
constexpr double kMostExecutions = 1e9;

Seconds time_of(const std::function<void()>& work, long executions) {
  const std::int64_t start = monotonic_ns();
  for (long i = 0; i < executions; ++i) work();
  return Seconds(static_cast<double>(monotonic_ns() - start) * 1e-9);
}

Status check_amount(double amount, const char* what) {
  if (std::isfinite(amount) && amount >= 0) return {};
  return usage_error(format("{} is no amount of {}", amount, what), what, "0 or more");
}

// Types that some probe has a ceiling for.
Result<DataType> measured_type(const std::string& dtype) {
  auto type = data_type_from(dtype);
  if (!type) return fail(type.error());
  std::vector<std::string> known;
  for (const CeilingRow& row : ceiling_rows()) {
    if (row.unit != "flop_per_s") continue;
    if (row.dtype == *type) return *type;
    known.emplace_back(name(row.dtype));
  }
  return usage_error(format("the ceiling of arithmetic in {} is not measured yet", name(*type)),
                     "dtype", "there are: " + join(known, ", "));
}

Result<Operation> operation_of(const Region& region) {
  Operation operation;
  operation.name = region.name;
  operation.flops = region.flops;
  operation.traffic = {{kMainMemory, region.bytes, Bytes(0)}};
  operation.footprint = region.footprint.value_or(region.bytes);
  for (auto [amount, what] :
       {std::pair{region.flops.value(), "flops"}, std::pair{region.bytes.value(), "bytes"},
        std::pair{operation.footprint.value(), "footprint"}}) {
    if (auto fine = check_amount(amount, what); !fine) return fail(fine.error());
  }
  if (region.flops == Flops(0) && region.bytes == Bytes(0)) {
    return usage_error("a region without flops and bytes stands under no ceiling", "flops",
                       "count what it computes or what it moves");
  }
  auto type = measured_type(region.dtype);
  if (!type) return fail(type.error());
  operation.dtype = std::string(name(*type));
  return operation;
}

Result<Estimate<Seconds>> observed_of(const Region& region) {
  if (region.times.size() < static_cast<std::size_t>(kLeastTimes)) {
    return usage_error(
        format("{} of a region say too little",
               counted(static_cast<std::int64_t>(region.times.size()), "time", "times")),
        "times", format("{} or more", kLeastTimes));
  }
  std::vector<double> seconds;
  for (Seconds time : region.times) {
    if (!std::isfinite(time.value()) || time <= Seconds(0)) {
      return usage_error(format("{} s is no time a region takes", time.value()), "times",
                         "time more executions together (time_region does)");
    }
    seconds.push_back(time.value());
  }
  return as<Seconds>(estimate_of_restarts(seconds, Method::median));
}

Result<Verdict> place(const Operation& operation, const Estimate<Seconds>& observed,
                      const Session& session, const KnownCeilings& known) {
  auto placed = place_operation(operation, observed, known.device, session.threads);
  if (!placed) return fail(placed.error());
  Verdict verdict = std::move(*placed->point.verdict);
  const auto type = data_type_from(operation.dtype);
  if (type) allow_for_unprobed_units(verdict, session.device.box, *type);
  for (const Warnings* list : {&std::as_const(placed->warnings), &known.warnings}) {
    verdict.warnings.insert(verdict.warnings.end(), list->begin(), list->end());
  }
  const bool degraded =
      std::any_of(verdict.warnings.begin(), verdict.warnings.end(),
                  [](const Warning& warning) { return warning.code == "ceiling_degraded"; });
  if (degraded) verdict.standing = worse(verdict.standing, Standing::degraded);
  return verdict;
}

}  // namespace

std::vector<Seconds> time_region(const std::function<void()>& work, int rounds) {
  const Seconds first = time_of(work, 1);
  // The first execution may be slow (new pages), so the count comes from one more round of it.
  const auto fill = [](Seconds one) {
    const double wanted = kRoundSeconds / std::max(one.value(), 1e-9);
    return static_cast<long>(std::clamp(std::ceil(wanted), 1.0, kMostExecutions));
  };
  long executions = fill(first);
  executions = fill(time_of(work, executions) / static_cast<double>(executions));
  std::vector<Seconds> times;
  for (int round = 0; round < rounds; ++round) {
    times.push_back(time_of(work, executions) / static_cast<double>(executions));
  }
  return times;
}

Result<Verdict> judge_region(const Region& region, const DeviceOptions& options,
                             const Caller& caller) {
  auto operation = operation_of(region);
  if (!operation) return fail(operation.error());
  auto observed = observed_of(region);
  if (!observed) return fail(observed.error());
  auto session = open_session(options, caller.stop);
  if (!session) return fail(session.error());
  auto known = ceilings_of(*session, options, caller);
  if (!known) return fail(known.error());
  const auto wanted = ceilings_wanted(*operation, known->device, session->threads);
  auto complete = complete_ceilings(*session, *known, wanted, options, caller);
  if (!complete) return fail(complete.error());
  auto verdict = place(*operation, *observed, *session, *known);
  const bool broken = verdict && verdict->standing == Standing::invalid;
  if (!broken || !options.profile.empty() || caller.stop.requested()) return verdict;
  // What lies above a ceiling never raises it: the ceiling's own probe must find the higher value.
  caller.progress.note(
      format("{} is faster than the ceiling on record: probing again", region.name));
  auto anew = ceilings_of(*session, options, caller, true);
  return anew ? place(*operation, *observed, *session, *anew) : verdict;
}

Result<Verdict> judge_region(const Region& region, const DeviceOptions& options) {
  NoProgress quiet;
  return judge_region(region, options, {StopToken(), quiet});
}

}  // namespace roofbeam
