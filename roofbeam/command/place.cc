// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/place.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/command/place_command.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/command/region.h"
#include "roofbeam/command/roofline.h"
#include "roofbeam/hardware/known.h"
#include "roofbeam/kernel/data_type.h"
#include "roofbeam/model/expected.h"
#include "roofbeam/profile/from_datasheet.h"
#include "roofbeam/profile/store.h"
#include "roofbeam/stats/restarts.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {
namespace {

constexpr std::size_t kMostRemarks = 20;  // a file can have one for each of its rows

// The device that work is placed on, and its ceilings where they are needed.
struct Place {
  DeviceFacts device;
  int threads = 1;
  DeviceProfile profile;
  Warnings warnings;
  bool can_probe = false;  // its ceilings can be measured again
};

// What was asked to be placed, before any ceiling is known.
struct Work {
  std::vector<Observed> rows;
  std::vector<std::string> remarks;
  std::string format;  // of the file
  std::optional<ProcessRun> run;
  std::string name;  // of the command
};

Status settle_type(Operation& operation, const std::string& fallback, const std::string& where) {
  const bool own = !operation.dtype.empty();
  auto type = data_type_from(own ? operation.dtype : fallback.empty() ? "f32" : fallback);
  if (!type) {
    Error error = type.error();
    error.where = own && !where.empty() ? format("{}: {}", where, operation.name) : "--dtype";
    return fail(error);
  }
  operation.dtype = std::string(name(*type));
  static const std::vector<std::string> known = {
      "fma", "add", "any", std::string(kProduct), std::string(kChain), std::string(kUncounted)};
  const std::string& arithmetic = operation.arithmetic;
  if (arithmetic.empty() || std::find(known.begin(), known.end(), arithmetic) != known.end()) {
    return {};
  }
  return usage_error(format("\"{}\" is no kind of arithmetic", arithmetic),
                     where.empty() ? "--arithmetic" : format("{}: {}", where, operation.name),
                     suggest(arithmetic, known));
}

void settle_footprint(Operation& operation) {
  if (operation.footprint > Bytes(0)) return;
  for (const Traffic& traffic : operation.traffic) operation.footprint += traffic.total();
}

// The name of a command as a person knows it.
std::string shown(const std::vector<std::string>& words) {
  std::string name = join(words, " ");
  constexpr std::size_t kLongest = 60;
  return name.size() <= kLongest ? name : name.substr(0, kLongest) + " ...";
}

Result<Work> read_work(const PlaceOptions& options) {
  Work work;
  work.rows = options.rows;
  if (!options.file.empty()) {
    auto text = read_file(options.file);
    if (!text) return fail(text.error());
    auto imported = import_work(*text, options.file);
    if (!imported) return fail(imported.error());
    std::move(imported->rows.begin(), imported->rows.end(), std::back_inserter(work.rows));
    work.remarks = std::move(imported->remarks);
    work.format = imported->format;
  }
  std::size_t untyped = 0;
  for (Observed& row : work.rows) {
    untyped += row.operation.dtype.empty() && row.operation.flops > Flops(0);
    if (auto fine = settle_type(row.operation, options.dtype, options.file); !fine) {
      return fail(fine.error());
    }
    settle_footprint(row.operation);
  }
  if (untyped > 0 && options.dtype.empty() && !options.file.empty()) {
    work.remarks.push_back(format("{} no data type and {} taken to be in f32 (--dtype)",
                                  counted(std::int64_t(untyped), "row names", "rows name"),
                                  untyped == 1 ? "is" : "are"));
  }
  if (!options.command.empty() && work.rows.size() > 1) {
    return usage_error(format("a command's time cannot be that of {} rows", work.rows.size()),
                       "place", "give its counts by --flop and --bytes, or a file of one row");
  }
  if (options.command.empty() && work.rows.empty()) {
    return usage_error("there is nothing to place", "place",
                       "--flop 2.1T --bytes 3.4GB --time 12ms, --from FILE, or -- COMMAND");
  }
  return work;
}

Status run_command(const PlaceOptions& options, const Caller& caller, Work& work) {
  if (options.command.empty()) return {};
  work.name = shown(options.command);
  auto run = run_process({options.command, {}}, caller.stop);
  if (!run) return fail(run.error());
  for (std::string& remark : remarks_of_run(*run)) work.remarks.push_back(std::move(remark));
  if (!work.rows.empty()) {
    work.rows.front().times = {run->wall};
    work.remarks.push_back(
        "the time is the command's, from its start to its end: what it does "
        "before and after the work counts too");
  } else if (auto counted_work = operation_of_run(*run, work.name)) {
    work.rows.push_back({*counted_work, {run->wall}, std::nullopt, 0});
    work.remarks.push_back(
        "bytes are the last-level cache's read misses times 64: an estimate, "
        "without what was fetched ahead and what was written back");
  }
  work.run = std::move(*run);
  return {};
}

Result<Place> known_place(const PlaceOptions& options) {
  std::error_code ignored;
  Place place;
  if (std::filesystem::exists(options.on, ignored)) {
    auto saved = load_profile(options.on);
    if (!saved) return fail(saved.error());
    const std::string& wanted = options.where.device;
    const DeviceProfile* found = wanted.empty() ? nullptr : saved->find(wanted);
    if (wanted.empty() && !saved->devices.empty()) found = &saved->devices.front();
    if (found == nullptr) {
      return usage_error(format("this profile holds nothing of the device \"{}\"", wanted),
                         options.on, "choose another --device");
    }
    place.profile = *found;
  } else {
    auto sheet = one_known(options.on, "--on");
    if (!sheet) {
      Error error = sheet.error();
      if (find_known(options.on).empty()) {
        error.what = format("\"{}\" is neither a file nor a known device", options.on);
      }
      return fail(error);
    }
    if (options.where.threads != 0) {
      return usage_error("a data sheet has ceilings of the whole device only", "--threads",
                         "leave it out, or give a saved profile to --on");
    }
    place.profile = datasheet_profile(**sheet);
    place.warnings = place.profile.warnings;
  }
  const DeviceProfile& profile = place.profile;
  place.threads = options.where.threads == 0 ? profile.cores_usable : options.where.threads;
  place.device = {profile.id, profile.kind, profile.name, profile.cores_usable, "cores"};
  return place;
}

std::optional<Estimate<Seconds>> observed_of(const Observed& row) {
  if (row.time) return row.time;
  if (row.times.empty()) return std::nullopt;
  std::vector<double> seconds;
  for (Seconds time : row.times) seconds.push_back(time.value());
  if (row.times.size() >= std::size_t(kLeastTimes)) {
    return as<Seconds>(estimate_of_restarts(seconds, Method::median));
  }
  auto time = exactly(Seconds(median(seconds)), Method::median);
  time.samples = static_cast<int>(row.times.size());
  return time;
}

int workers_of(const Observed& row, const Place& place) {
  return row.threads > 0 ? row.threads : place.threads;
}

Result<std::vector<Placed>> place_rows(const Work& work, const Place& place) {
  std::vector<Placed> list;
  for (const Observed& row : work.rows) {
    auto placed =
        place_operation(row.operation, observed_of(row), place.profile, workers_of(row, place));
    if (!placed) {
      Error error = placed.error();
      error.what = format("{}: {}", row.operation.name, error.what);
      return fail(error);
    }
    list.push_back(std::move(*placed));
  }
  return list;
}

// The ceilings of points that lie above theirs.
std::set<std::string> broken_ceilings(const std::vector<Placed>& list) {
  std::set<std::string> names;
  for (const Placed& placed : list) {
    const auto& verdict = placed.point.verdict;
    if (!verdict || verdict->standing < Standing::invalid) continue;
    names.insert(placed.ceilings.begin(), placed.ceilings.end());
  }
  return names;
}

void warn(AnswerState& state, const Warning& warning) {
  const auto& known = state.warnings;
  if (std::find(known.begin(), known.end(), warning) == known.end()) {
    state.warnings.push_back(warning);
  }
}

void collect(const std::vector<Placed>& list, const Place& place, PointsAnswer& answer) {
  UsedCeilings used;
  std::set<std::string> types;
  for (const Placed& placed : list) {
    answer.points.push_back(placed.point);
    keep_used(used, placed.used);
    types.insert(placed.point.dtype);
    for (const Warning& warning : placed.warnings) {
      warn(answer.state, warning);
      if (warning.code == "ceiling_degraded") {
        answer.state.standing = worse(answer.state.standing, Standing::degraded);
      }
    }
    if (!placed.point.verdict) continue;
    answer.state.standing = worse(answer.state.standing, placed.point.verdict->standing);
    for (const Warning& warning : placed.point.verdict->warnings) {
      const bool several = list.size() > 1 && !placed.point.name.empty();
      warn(answer.state, {warning.code, several ? format("{}: {}", placed.point.name, warning.text)
                                                : warning.text});
    }
  }
  answer.ceilings = named_ceilings(used);
  answer.roof = drawn_roof(place.profile, types);
  answer.predictions = summary_of(answer.points);
}

void remark_on_times(const Work& work, PointsAnswer& answer) {
  std::int64_t few = 0, timed = 0;
  for (const Observed& row : work.rows) {
    timed += !row.times.empty();
    few += !row.times.empty() && row.times.size() < std::size_t(kLeastTimes);
  }
  if (few == 0) return;
  answer.remarks.push_back(
      few == timed && few == 1
          ? format("the time has no interval: that takes {} times or more", kLeastTimes)
          : format("{} no interval: that takes {} times or more",
                   counted(few, "time has", "times have"), kLeastTimes));
}

// A command that nothing was counted of: no ceiling comes into it.
PointsAnswer answer_of_run(const Work& work, const Place& place) {
  PointsAnswer answer;
  answer.points.push_back(point_of_run(*work.run, work.name, place.threads));
  return answer;
}

Result<PointsAnswer> place_under(const Work& work, const Place& place) {
  auto list = place_rows(work, place);
  if (!list) return fail(list.error());
  PointsAnswer answer;
  collect(*list, place, answer);
  remark_on_times(work, answer);
  return answer;
}

// Those ceilings of this machine that the rows stand under.
Status find_ceilings(const PlaceOptions& options, const Caller& caller, const Work& work,
                     Session& session, KnownCeilings& known, const Place& place) {
  std::set<std::string> wanted;
  for (const Observed& row : work.rows) {
    wanted.merge(ceilings_wanted(row.operation, known.device, workers_of(row, place)));
  }
  return complete_ceilings(session, known, wanted, options.where, caller);
}

bool names_bandwidth(const Breakdown& breakdown) {
  return breakdown.cause == Cause::bandwidth ||
         std::any_of(breakdown.parts.begin(), breakdown.parts.end(), names_bandwidth);
}

// Work that was faster than its memory came from a cache inside it: the ceilings of those.
std::set<std::string> inner_ceilings(const Work& work, const std::vector<Placed>& list,
                                     const Place& place) {
  std::set<std::string> wanted;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& verdict = list[i].point.verdict;
    Operation operation = work.rows[i].operation;
    if (!verdict || operation.traffic.empty() || names_bandwidth(verdict->breakdown)) continue;
    const int workers = workers_of(work.rows[i], place);
    for (const CacheFacts& cache : place.profile.caches) {
      operation.footprint = cache.of(workers);
      wanted.merge(ceilings_wanted(operation, place.profile, workers));
    }
  }
  return wanted;
}

// A point above its ceiling never raises it: the ceiling's own probe must find the higher value.
Result<PointsAnswer> place_here(const PlaceOptions& options, const Caller& caller, const Work& work,
                                Session& session, Place& place) {
  auto known = ceilings_of(session, options.where, caller);
  if (!known) return fail(known.error());
  auto found = find_ceilings(options, caller, work, session, *known, place);
  if (!found) return fail(found.error());
  place.profile = known->device;
  place.warnings = known->warnings;
  auto list = place_rows(work, place);
  if (!list) return fail(list.error());
  const std::set<std::string> inner = inner_ceilings(work, *list, place);
  if (!inner.empty()) {
    auto more = complete_ceilings(session, *known, inner, options.where, caller);
    if (!more) return fail(more.error());
    place.profile = known->device;
    list = place_rows(work, place);
    if (!list) return fail(list.error());
  }
  const std::set<std::string> broken = broken_ceilings(*list);
  if (broken.empty() || !place.can_probe || caller.stop.requested()) {
    return place_under(work, place);
  }
  caller.progress.note("this is faster than the ceilings on record: probing again");
  auto again = complete_ceilings(session, *known, broken, options.where, caller, true);
  if (again) place.profile = known->device;
  auto answer = place_under(work, place);
  if (answer && !again) answer->state.complete = again.error().code != ErrorCode::interrupted;
  return answer;
}

void finish(PointsAnswer& answer, const Work& work, const Place& place) {
  answer.command = "place";
  answer.device = place.device;
  answer.threads = place.threads;
  answer.remarks.insert(answer.remarks.begin(), work.remarks.begin(), work.remarks.end());
  if (work.format == "ncu" && place.device.kind == "cpu") {
    answer.remarks.insert(answer.remarks.begin(),
                          format("these kernels ran on a GPU, and the ceilings are of {}: --on "
                                 "NAME takes those of a known device",
                                 place.device.name));
  }
  if (answer.remarks.size() > kMostRemarks) {
    const std::size_t more = answer.remarks.size() - kMostRemarks;
    answer.remarks.resize(kMostRemarks);
    answer.remarks.push_back(format("and {} more of this kind", more));
  }
  for (const Warning& warning : place.warnings) warn(answer.state, warning);
}

}  // namespace

Result<PointsAnswer> place(const PlaceOptions& options, const Caller& caller) {
  auto work = read_work(options);
  if (!work) return fail(work.error());
  if (!options.on.empty()) {
    auto there = known_place(options);
    if (!there) return fail(there.error());
    if (auto ran = run_command(options, caller, *work); !ran) return fail(ran.error());
    if (work->run) {
      work->remarks.push_back(
          format("the command ran here, and the ceilings are of {}", there->device.name));
    }
    auto answer = work->rows.empty() ? answer_of_run(*work, *there) : place_under(*work, *there);
    if (answer) finish(*answer, *work, *there);
    return answer;
  }
  auto session = open_session(options.where, caller.stop);
  if (!session) return fail(session.error());
  Place here{facts_of(session->device), session->threads, {}, {}, options.where.profile.empty()};
  if (auto ran = run_command(options, caller, *work); !ran) return fail(ran.error());
  auto answer = work->rows.empty() ? answer_of_run(*work, here)
                                   : place_here(options, caller, *work, *session, here);
  if (answer) finish(*answer, *work, here);
  return answer;
}

}  // namespace roofbeam
