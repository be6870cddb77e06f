// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/fake/fake_machine.h"

#include <algorithm>
#include <filesystem>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr double kMostTaken = 0.99;  // of a CPU: with less left a virtual second would never end

double share(JsonReader& reader, std::string_view key, double fallback) {
  const double value = reader.number_or(key, fallback);
  if (value < 0 || value > 1) reader.reject(key, "must lie between 0 and 1");
  return value;
}

double at_least(JsonReader& reader, std::string_view key, double fallback, double least) {
  const double value = reader.number_or(key, fallback);
  if (value < least) reader.reject(key, format("must be at least {}", least));
  return value;
}

FakeNoise noise_from(JsonReader& reader) {
  FakeNoise noise;
  noise.one_sided = at_least(reader, "one_sided", 0, 0);
  noise.between_runs = at_least(reader, "between_runs", 0, 0);
  noise.slow_clock = share(reader, "slow_clock", 1);
  if (noise.slow_clock <= 0) reader.reject("slow_clock", "must be above 0");
  noise.slow_share = share(reader, "slow_share", 0);
  noise.outlier_share = share(reader, "outlier_share", 0);
  noise.outlier_factor = at_least(reader, "outlier_factor", 1, 1);
  noise.neighbour_share = share(reader, "neighbour_share", 0);
  noise.throttled_share = share(reader, "throttled_share", 0);
  for (auto [key, value] : {std::pair{"throttled_share", noise.throttled_share},
                            std::pair{"neighbour_share", noise.neighbour_share}}) {
    if (value > kMostTaken) reader.reject(key, format("must be at most {}", kMostTaken));
  }
  noise.clock_grain_s = at_least(reader, "clock_grain_s", 0, 0);
  return noise;
}

FakeLibrary library_from(JsonReader& reader) {
  FakeLibrary library;
  JsonReader shares(reader.value("share"), reader.path_of("share"));
  for (const auto& [dtype, value] : reader.members("share")) {
    const double part = shares.number(dtype);
    if (!(part > 0 && part <= 1)) shares.reject(dtype, "must lie above 0 and up to 1");
    library.share[dtype] = part;
  }
  if (shares.error() != nullptr) reader.reject("share", shares.error()->what);
  library.startup_s = at_least(reader, "startup_s", 0, 0);
  library.fault = reader.text_or("fault", "");
  if (!library.fault.empty() && library.fault != "crash" && library.fault != "wrong" &&
      library.fault != "hang") {
    reader.reject("fault", "must be one of crash, wrong, hang");
  }
  return library;
}

Result<FakeMachine> machine_from(const Json& json, const std::string& path) {
  if (auto schema = check_schema(json, "fake", 1, path); !schema) return fail(schema.error());
  JsonReader reader(json, path);
  FakeMachine machine;
  const auto folder = std::filesystem::path(path).parent_path() / reader.text("recorded");
  machine.device.name = reader.text("name");
  machine.seed = static_cast<std::uint64_t>(reader.integer_or("seed", 1));
  JsonReader ceilings(reader.value("ceilings"), reader.path_of("ceilings"));
  for (const auto& [name, value] : reader.members("ceilings")) {
    machine.ceilings[name] = ceilings.number(name);
    if (!(machine.ceilings[name] >= 1)) ceilings.reject(name, "must be at least 1");
  }
  if (ceilings.error() != nullptr) return fail(*ceilings.error());
  for (const auto& [name, value] :
       reader.has("libraries") ? reader.members("libraries") : Json::Object{}) {
    JsonReader row(value, reader.path_of("libraries") + "." + name);
    machine.libraries[name] = library_from(row);
    if (row.error() != nullptr) return fail(*row.error());
  }
  if (reader.has("noise")) {
    JsonReader noise(reader.value("noise"), reader.path_of("noise"));
    machine.noise = noise_from(noise);
    if (noise.error() != nullptr) return fail(*noise.error());
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  auto box = read_recorded_box(folder.string());
  if (!box) return fail(box.error());
  machine.device.id = "fake:" + path;
  machine.device.kind = DeviceKind::cpu;
  machine.device.identity = "fake:" + machine.device.name;
  machine.device.box = std::move(*box);
  return machine;
}

}  // namespace

double FakeMachine::rate(const std::string& stem, int workers) const {
  const auto all = ceilings.find(stem + ".all");
  const auto core = ceilings.find(stem + ".core");
  const double limit = all == ceilings.end() ? 0 : all->second;
  if (core == ceilings.end()) return limit;
  const double linear = core->second * workers;
  return limit > 0 ? std::min(limit, linear) : linear;
}

double FakeMachine::ideal_time(const Problem& problem, int workers) const {
  const Work work = problem.work();
  const std::string dtype(name(problem.dtype));
  double time = 0;
  if (work.flops > Flops(0)) {
    double flops = rate("compute." + dtype + ".dot", workers);
    if (!(flops > 0)) flops = rate("compute." + dtype + ".fma", workers);
    if (!(flops > 0)) flops = rate("compute.f32.fma", workers);
    if (flops > 0) time = work.flops.value() / flops;
  }
  // Operands that stay in the last-level cache cost no DRAM time after the first execution.
  const double bytes = rate("bandwidth.dram.read", workers);
  const bool cached = work.footprint <= device.box.topology.last_level_cache();
  if (bytes > 0 && !cached) time = std::max(time, work.bytes().value() / bytes);
  return time;
}

Result<FakeMachine> read_fake_machine(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  auto json = parse_json(*text, path);
  if (!json) return fail(json.error());
  return machine_from(*json, path);
}

}  // namespace roofbeam
