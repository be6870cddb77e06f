// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/fake/fake_machine.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

constexpr double kMostTaken = 0.99;     // of a CPU: with less left a virtual second would never end
constexpr double kLeastTime = 1e-12;    // s, of a latency or an overhead
constexpr double kBranchStep = 0.5e-9;  // s, of a step whose branch was guessed
constexpr double kChainSlower = 16;     // a chain of multiply-adds, than many at once

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

std::map<std::string, double> shares_from(JsonReader& reader) {
  std::map<std::string, double> found;
  JsonReader shares(reader.value("share"), reader.path_of("share"));
  for (const auto& [dtype, value] : reader.members("share")) {
    const double part = shares.number(dtype);
    if (!(part > 0 && part <= 1)) shares.reject(dtype, "must lie above 0 and up to 1");
    found[dtype] = part;
  }
  if (shares.error() != nullptr) reader.reject("share", shares.error()->what);
  return found;
}

std::string fault_from(JsonReader& reader) {
  std::string fault = reader.text_or("fault", "");
  if (!fault.empty() && fault != "crash" && fault != "wrong" && fault != "hang") {
    reader.reject("fault", "must be one of crash, wrong, hang");
  }
  return fault;
}

FakeSetting other_from(JsonReader& reader) {
  const std::string set = reader.text("set");
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos || equals == 0) reader.reject("set", "must be NAME=value");
  const std::string variable = set.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : set.substr(equals + 1);
  return {{variable, value, reader.text_or("now", "")}, shares_from(reader), fault_from(reader)};
}

FakeLibrary library_from(JsonReader& reader) {
  FakeLibrary library;
  library.share = shares_from(reader);
  library.startup_s = at_least(reader, "startup_s", 0, 0);
  library.fault = fault_from(reader);
  library.constant_speedup = at_least(reader, "constant_speedup", 1, 1);
  if (reader.has("others")) library.others = read_list(reader, "others", other_from);
  return library;
}

Result<FakeMachine> machine_from(const Json& json, const std::string& path) {
  if (auto schema = check_schema(json, "fake", 1, path); !schema) return fail(schema.error());
  JsonReader reader(json, path);
  FakeMachine machine;
  const auto folder = std::filesystem::path(path).parent_path() / reader.text("recorded");
  machine.device.name = reader.text("name");
  machine.seed = static_cast<std::uint64_t>(reader.integer_or("seed", 1));
  if (reader.has("clock_hz")) machine.clock_hz = at_least(reader, "clock_hz", 1, 1);
  JsonReader ceilings(reader.value("ceilings"), reader.path_of("ceilings"));
  for (const auto& [name, value] : reader.members("ceilings")) {
    machine.ceilings[name] = ceilings.number(name);
    const bool time = name.starts_with("latency.") || name.starts_with("overhead.");
    if (time && !(machine.ceilings[name] >= kLeastTime)) {
      ceilings.reject(name, format("must be at least {}", kLeastTime));
    } else if (!time && !(machine.ceilings[name] >= 1)) {
      ceilings.reject(name, "must be at least 1");
    }
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

double declared(const FakeMachine& machine, const std::string& ceiling) {
  const auto found = machine.ceilings.find(ceiling);
  return found == machine.ceilings.end() ? 0 : found->second;
}

// The memories that hold `each` bytes of each of the workers, from the inside out.
std::vector<std::string> memories(const Topology& topology, Bytes each, int workers) {
  std::vector<std::string> found;
  for (const Cache& cache : topology.caches) {
    const int sharing = std::clamp(workers, 1, std::max(1, cache.cores_each));
    const std::string memory = format("l{}", cache.level);
    if (!found.empty() && found.back() == memory) continue;
    if (each * sharing <= cache.size) found.push_back(memory);
  }
  found.emplace_back("dram");
  return found;
}

// The accesses that may stand for one, itself first.
std::vector<std::string> accesses(const std::string& kernel) {
  std::vector<std::string> found = {kernel};
  if (kernel.ends_with("_nt")) found.push_back(kernel.substr(0, kernel.size() - 3));
  if (kernel != "read") found.emplace_back("read");
  return found;
}

std::optional<int> node_of(const Topology& topology, int cpu) {
  for (const Core& core : topology.cores) {
    if (std::find(core.pus.begin(), core.pus.end(), cpu) != core.pus.end()) return core.numa;
  }
  return std::nullopt;
}

// ".numa0-numa1" where the placement says whose memory the first worker uses; else empty.
std::string nodes_between(const Topology& topology, const Placement& placement) {
  if (placement.cpus.empty() || placement.memory_cpus.empty()) return "";
  const auto worker = node_of(topology, placement.cpus.front());
  const auto memory = node_of(topology, placement.memory_cpus.front());
  return worker && memory ? format(".numa{}-numa{}", *worker, *memory) : "";
}

// ".ecore" where the only worker is on such a core of a hybrid CPU; else ".pcore".
std::string kind_scope(const Topology& topology, const Placement& placement) {
  if (placement.threads() != 1) return "";
  for (const Core& core : topology.cores) {
    const bool here =
        std::find(core.pus.begin(), core.pus.end(), placement.cpus.front()) != core.pus.end();
    if (here && core.kind == "efficient") return ".ecore";
  }
  return ".pcore";
}

double stream_rate(const FakeMachine& machine, const Problem& problem, const std::string& kernel,
                   const Placement& placement) {
  const Topology& topology = machine.device.box.topology;
  const int workers = placement.threads();
  const Bytes each = problem.work().footprint / std::max(1, workers);
  const std::string between = nodes_between(topology, placement);
  for (const std::string& memory : memories(topology, each, workers)) {
    for (const std::string& access : accesses(kernel)) {
      const std::string stem = format("bandwidth.{}.{}", memory, access);
      const double remote = between.empty() ? 0 : declared(machine, stem + between);
      const double core = declared(machine, stem + ".core") * workers;
      if (remote > 0) return core > 0 ? std::min(core, remote) : remote;
      if (const double rate = machine.rate(stem, workers); rate > 0) return rate;
    }
  }
  return 0;
}

double latency(const FakeMachine& machine, const Problem& problem) {
  const bool loaded = problem.spec->name == "chase_loaded";
  for (const std::string& memory :
       memories(machine.device.box.topology, problem.work().footprint, 1)) {
    const std::string ceiling = "latency." + memory;
    const double under_load = loaded ? declared(machine, ceiling + "_loaded") : 0;
    if (under_load > 0) return under_load;
    if (const double alone = declared(machine, ceiling); alone > 0) return alone;
  }
  return 0;
}

// The access that moves bytes in the mix of a kernel, or is itself; empty where none is like it.
std::string access_of(const Problem& problem) {
  constexpr double kAlike = 0.03;
  const std::string_view kernel = problem.spec->name;
  for (const std::string_view own : {"read", "write", "copy", "triad"}) {
    if (kernel.substr(0, kernel.find('_')) == own) return std::string(kernel);
  }
  const Work work = problem.work();
  const double written = work.bytes_written / work.bytes();
  for (const auto& [access, share] :
       {std::pair{"read", 0.0}, {"triad", 1.0 / 3}, {"copy", 0.5}, {"write", 1.0}}) {
    if (std::abs(written - share) < kAlike) return access;
  }
  return "";
}

double bytes_time(const FakeMachine& machine, const Problem& problem, const Placement& placement) {
  const Work work = problem.work();
  const auto time = [&](Bytes bytes, const std::string& access) {
    const double rate = stream_rate(machine, problem, access, placement);
    return rate > 0 ? bytes.value() / rate : 0;
  };
  if (const std::string access = access_of(problem); !access.empty()) {
    return time(work.bytes(), access);
  }
  return time(work.bytes_read, "read") + time(work.bytes_written, "write");
}

double flops_time(const FakeMachine& machine, const Problem& problem, int workers) {
  const std::string dtype(name(problem.dtype));
  const std::string arithmetic(problem.spec->arithmetic);
  std::vector<std::string> stems = {"compute." + dtype + "." + arithmetic};
  if (arithmetic == "fma") {
    stems.insert(stems.begin(), "compute." + dtype + ".dot");
    stems.emplace_back("compute.f32.fma");
  }
  for (const std::string& stem : stems) {
    const double rate = machine.rate(stem, workers);
    if (rate > 0) return problem.work().flops.value() / rate;
  }
  return 0;
}

double product_time(const FakeMachine& machine, const Problem& problem, int workers) {
  const Work work = problem.work();
  const double time = flops_time(machine, problem, workers);
  // Operands that stay in the last-level cache cost no DRAM time after the first execution.
  const double bytes = machine.rate("bandwidth.dram.read", workers);
  const bool cached = work.footprint <= machine.device.box.topology.last_level_cache();
  return bytes > 0 && !cached ? std::max(time, work.bytes().value() / bytes) : time;
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

double FakeMachine::ideal_time(const Problem& problem, const Placement& placement) const {
  const std::string_view kernel = problem.spec->name;
  const double count = static_cast<double>(problem.shape.n);
  if (kernel == "matmul") return product_time(*this, problem, placement.threads());
  if (kernel.starts_with("chase")) return count * latency(*this, problem);
  if (kernel == "branch" || kernel == "barrier" || kernel == "wake") {
    const double event = declared(*this, format("overhead.{}", kernel));
    if (kernel != "branch" || !(event > 0)) return count * event;
    return count * (kBranchStep + (problem.operands == Operands::random ? event / 2 : 0));
  }
  const Work work = problem.work();
  const int workers = placement.threads();
  if (kernel == "fma_chain") return kChainSlower * flops_time(*this, problem, workers);
  if (!(work.bytes() > Bytes(0))) {  // the probe of a ceiling, which is its own
    const std::string stem = format("compute.{}.{}", name(problem.dtype), kernel);
    const double of_kind = declared(*this, stem + kind_scope(device.box.topology, placement));
    const double all = of_kind > 0 ? of_kind : rate(stem, workers);
    return all > 0 ? work.flops.value() / all : 0;
  }
  const double bytes = bytes_time(*this, problem, placement);
  if (!(bytes > 0)) return 0;
  return std::max(flops_time(*this, problem, workers), bytes) +
         work.wrong_guesses / workers * declared(*this, "overhead.branch");
}

Result<FakeMachine> read_fake_machine(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  auto json = parse_json(*text, path);
  if (!json) return fail(json.error());
  return machine_from(*json, path);
}

}  // namespace roofbeam
