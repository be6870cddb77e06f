// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/place.h"

#include "roofbeam/base/amounts.h"
#include "roofbeam/base/format.h"
#include "roofbeam/cli/commands/options.h"
#include "roofbeam/cli/commands/rows.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMostLaunches = 1'000'000;

// An amount that may be left out; errors name the option.
template <class T>
Result<T> amount(const Given& given, std::string_view key, Result<T> (*read)(std::string_view)) {
  if (!given.has(key)) return T{};
  auto value = read(given.text(key));
  if (value) return *value;
  Error error = value.error();
  error.where = format("--{}", key);
  return fail(error);
}

Result<std::vector<Seconds>> times(const Given& given) {
  std::vector<Seconds> list;
  if (!given.has("time")) return list;
  for (const std::string& part : split(given.text("time"), ',')) {
    auto time = parse_seconds(part);
    if (!time || *time <= Seconds(0)) {
      return usage_error(time ? "work takes longer than no time" : time.error().what, "--time",
                         "--time 12ms, or several with commas between them");
    }
    list.push_back(*time);
  }
  return list;
}

bool counts_given(const Given& given) {
  for (const char* key : {"flop", "bytes", "read", "written"}) {
    if (given.has(key)) return true;
  }
  return false;
}

Result<Observed> row(const Given& given) {
  auto flops = amount<Flops>(given, "flop", parse_flops);
  if (!flops) return fail(flops.error());
  Bytes bytes[4];
  constexpr const char* kKeys[] = {"bytes", "read", "written", "footprint"};
  for (int i = 0; i < 4; ++i) {
    auto value = amount<Bytes>(given, kKeys[i], parse_bytes);
    if (!value) return fail(value.error());
    bytes[i] = *value;
  }
  if (given.has("bytes") && (given.has("read") || given.has("written"))) {
    return usage_error("bytes are counted twice: by --bytes, and by --read or --written", "place",
                       "keep one of the two ways");
  }
  auto launches = given.integer("launches", 0);
  if (!launches) return fail(launches.error());
  if (*launches < 0 || *launches > kMostLaunches) {
    return usage_error(format("{} is no number of launches", *launches), "--launches",
                       format("0 to {}", kMostLaunches));
  }
  auto took = times(given);
  if (!took) return fail(took.error());
  if (*flops == Flops(0) && bytes[0] + bytes[1] + bytes[2] == Bytes(0)) {
    return usage_error("work of neither flops nor bytes stands under no ceiling", "place",
                       "count what it computes or what it moves");
  }
  Observed observed;
  observed.operation.name = given.text("name", "work");
  observed.operation.flops = *flops;
  if (bytes[0] + bytes[1] + bytes[2] > Bytes(0)) {
    observed.operation.traffic = {{"dram", bytes[0] + bytes[1], bytes[2]}};
  }
  observed.operation.footprint = bytes[3];
  observed.operation.launches = *launches;
  observed.operation.arithmetic = given.text("arithmetic");
  observed.times = *took;
  return observed;
}

// Options that mean nothing beside what was given.
Status check_ways(const Given& given, bool counts) {
  const auto clash = [](const char* a, const char* why) {
    return usage_error(format("--{} means nothing here: {}", a, why), "place", "leave it out");
  };
  if (!counts) {
    for (const char* key : {"time", "footprint", "launches", "arithmetic", "name"}) {
      if (given.has(key)) return clash(key, "no --flop or --bytes is given");
    }
  }
  if (counts && given.has("from")) return clash("from", "the counts are given by hand");
  if (given.has("time") && !given.rest().empty()) return clash("time", "the command is timed");
  if (given.has("on") && given.has("profile")) return clash("profile", "--on says whose ceilings");
  for (const char* key : {"from", "on"}) {
    if (given.has(key) && given.text(key).empty()) {
      return usage_error("an empty name", format("--{}", key));
    }
  }
  return {};
}

Result<Outcome> run(const Given& given, const Caller& caller) {
  PlaceOptions options;
  const bool counts = counts_given(given);
  if (auto fine = check_ways(given, counts); !fine) return fail(fine.error());
  if (counts) {
    auto observed = row(given);
    if (!observed) return fail(observed.error());
    options.rows.push_back(std::move(*observed));
  }
  auto where = device_options(given);
  if (!where) return fail(where.error());
  options.where = *where;
  options.file = given.text("from");
  options.dtype = given.text("dtype");
  options.on = given.text("on");
  options.command = given.rest();
  auto answer = place(options, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->state);
}

}  // namespace

CommandRow place_command() {
  return {"place", "Places your own work, counted and timed, under the roof.",
          with_device({{"--flop", "F", "floating-point operations of one execution: 2.1T"},
                       {"--bytes", "B", "bytes it reads and writes: 3.4GB"},
                       {"--read", "B", "instead of --bytes: what it reads"},
                       {"--written", "B", "and what it writes"},
                       {"--time", "LIST", "what it took: 12ms, or five and more: 12ms,11.8ms,…"},
                       {"--dtype", "T", "of its arithmetic, where no file says it (f32)"},
                       {"--footprint", "B", "memory it holds at once (as much as it moves)"},
                       {"--arithmetic", "KIND", "fma, add, any, product or chain (not known)"},
                       {"--launches", "N", "times it starts work on the device (0)"},
                       {"--name", "NAME", "what to call it (work)"},
                       {"--from", "FILE", "a CSV, a workload JSON, or perf, likwid, ncu output"},
                       {"--on", "NAME", "predict for a known device or a saved profile"}}),
          run, "CMD"};
}

}  // namespace roofbeam
