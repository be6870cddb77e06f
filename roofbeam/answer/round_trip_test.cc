// SPDX-License-Identifier: Apache-2.0
// Answers of every shape, made at random: what is written reads back equal.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/answer/matmul_answer.h"

namespace roofbeam {
namespace {

constexpr unsigned kRounds = 300;

class Chance {
 public:
  explicit Chance(unsigned seed) : seed_(seed), engine_(seed) {}

  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  int count(int least) { return static_cast<int>(whole(least, INT32_MAX)); }
  bool coin() { return whole(0, 1) == 1; }
  // The first round has every optional field, the second none.
  bool present() { return seed_ == 0 || (seed_ != 1 && coin()); }
  double share() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  // 0, or of any magnitude.
  double number() {
    if (whole(0, 9) == 0) return 0;
    return share() * std::pow(10.0, static_cast<double>(whole(-300, 300)));
  }
  std::string text() {
    static const std::array<const char*, 6> texts = {
        "", "cpu", "compute.f32.fma.all", "\"quoted\" \\ {version}", "two\nlines\t", "µ⠒ 128 KiB"};
    return texts.at(static_cast<std::size_t>(whole(0, texts.size() - 1)));
  }
  template <class Make>
  auto some(Make make) {
    std::vector<decltype(make())> list(static_cast<std::size_t>(whole(0, 3)));
    for (auto& item : list) item = make();
    return list;
  }
  std::vector<std::string> texts() {
    return some([this] { return text(); });
  }
  template <class Make>
  auto maybe(Make make) {
    return present() ? std::optional(make()) : std::nullopt;
  }

  Estimate<double> estimate() {
    std::array<double, 3> ends = {number(), number(), number()};
    std::sort(ends.begin(), ends.end());
    return {ends[1], ends[0], ends[2], count(0), static_cast<Method>(whole(0, 4))};
  }
  Cause cause() {
    const auto& all = all_causes();
    return all.at(static_cast<std::size_t>(whole(0, static_cast<std::int64_t>(all.size()) - 1)));
  }
  Standing standing() { return static_cast<Standing>(whole(0, 3)); }
  Warnings warnings() {
    return some([this] { return Warning{text(), text()}; });
  }

 private:
  unsigned seed_;
  std::mt19937_64 engine_;
};

Breakdown breakdown(Chance& chance, int depth) {
  if (depth == 0 || chance.coin()) {
    return charge(chance.text(), chance.cause(), chance.text(), as<Seconds>(chance.estimate()));
  }
  auto parts = chance.some([&] { return breakdown(chance, depth - 1); });
  parts.push_back(breakdown(chance, depth - 1));
  return chance.coin() ? sum_of(chance.text(), parts) : max_of(chance.text(), parts);
}

Verdict verdict(Chance& chance) {
  Verdict made;
  made.bound_by = chance.cause();
  if (chance.present()) made.bound_level = chance.text();
  made.headroom = chance.estimate();
  made.because = chance.texts();
  made.breakdown = breakdown(chance, 3);
  made.remedies = chance.some([&] {
    return Remedy{chance.text(), chance.estimate(), chance.texts(), chance.texts()};
  });
  made.standing = chance.standing();
  made.warnings = chance.warnings();
  return made;
}

DeviceFacts facts(Chance& chance) {
  return {chance.text(), chance.text(), chance.text(), chance.count(1), chance.text()};
}

AmdahlAnswer amdahl_answer(Chance& chance) {
  auto n = [&] { return 1 + chance.number(); };
  AmdahlAnswer made;
  if (chance.coin()) made.law = AmdahlAnswer::Law::gustafson;
  made.rows = chance.some([&] { return AmdahlAnswer::Row{chance.share(), n(), chance.number()}; });
  made.limits = chance.some([&] {
    return AmdahlAnswer::Limit{chance.share(), chance.maybe([&] { return chance.number(); })};
  });
  if (!chance.present()) return made;
  made.curves = chance.some([&] {
    const double p = chance.share();
    return chance.some([&] { return AmdahlAnswer::Row{p, n(), chance.number()}; });
  });
  return made;
}

DevicesAnswer::Entry entry(Chance& chance) {
  DevicesAnswer::Entry made;
  made.facts = facts(chance);
  made.architecture = chance.text();
  for (int* count : {&made.packages, &made.numa_nodes, &made.cores, &made.hardware_threads,
                     &made.affinity_cpus}) {
    *count = chance.count(1);
  }
  made.caches = chance.some([&] {
    return DevicesAnswer::CacheFacts{chance.count(1), Bytes(chance.number()), chance.count(1)};
  });
  made.memory = Bytes(chance.number());
  made.memory_available = Bytes(chance.number());
  made.memory_limit = chance.maybe([&] { return Bytes(chance.number()); });
  made.cpuset_cpus = chance.maybe([&] { return chance.count(0); });
  made.quota_cpus = chance.maybe([&] { return chance.number(); });
  made.features = chance.texts();
  made.can = chance.some([&] {
    return DevicesAnswer::Ability{chance.text(), chance.text(), chance.texts()};
  });
  return made;
}

DevicesAnswer devices_answer(Chance& chance) {
  DevicesAnswer made;
  made.devices = chance.some([&] { return entry(chance); });
  made.missing = chance.some([&] {
    return DevicesAnswer::Absent{chance.text(), chance.text(), chance.text()};
  });
  return made;
}

MatmulPoint point(Chance& chance) {
  MatmulPoint made;
  for (std::int64_t* size : {&made.m, &made.n, &made.k}) *size = chance.whole(1, INT64_MAX);
  for (std::string* text :
       {&made.dtype, &made.device, &made.library, &made.ceiling, &made.check_how}) {
    *text = chance.text();
  }
  made.threads = chance.count(1);
  made.reps = chance.count(0);
  made.rounds = chance.count(0);
  made.rows = chance.whole(1, INT64_MAX);
  made.constant = chance.coin();
  made.time = as<Seconds>(chance.estimate());
  made.rate = as<FlopRate>(chance.estimate());
  made.share_of_ceiling = chance.estimate();
  made.intensity = Intensity(chance.number());
  made.bound_by = chance.cause();
  made.check_passed = chance.maybe([&] { return chance.coin(); });
  return made;
}

MatmulAnswer matmul_answer(Chance& chance) {
  MatmulAnswer made;
  made.device = facts(chance);
  made.points = chance.some([&] { return point(chance); });
  const auto last = std::max<std::int64_t>(static_cast<std::int64_t>(made.points.size()), 1) - 1;
  const auto place = [&] { return static_cast<int>(chance.whole(0, last)); };
  made.judged = place();
  made.speedups = chance.some([&] {
    return MatmulAnswer::Speedup{place(), place(), chance.estimate()};
  });
  made.remarks = chance.texts();
  int ceilings = 0;
  made.ceilings = chance.some([&] {
    return NamedCeiling{chance.text() + std::to_string(ceilings++),
                        chance.coin() ? "flop_per_s" : "bytes_per_s", chance.estimate()};
  });
  const auto tried = [&] {
    if (!chance.present()) {
      return MatmulAnswer::Tried{chance.text(), chance.text(), std::nullopt, chance.text()};
    }
    return MatmulAnswer::Tried{chance.text(), chance.text(), FlopRate(chance.number()), ""};
  };
  made.tried = chance.some(tried);
  made.looked_at = chance.some(tried);
  if (chance.present()) {
    made.roof_line = chance.some([&] { return std::pair(chance.number(), chance.number()); });
  }
  made.verdict = verdict(chance);
  made.state = {chance.standing(), chance.warnings(), chance.coin()};
  return made;
}

// A ceiling lies within what a machine can have.
Estimate<double> ceiling_of(Chance& chance) {
  const double value = 1 + 1e9 * chance.share();
  return {value, value * (1 - 0.5 * chance.share()), value * (1 + chance.share()), chance.count(0),
          static_cast<Method>(chance.whole(0, 4))};
}

Ceiling random_ceiling(Chance& chance) {
  Ceiling made;
  made.unit = "s";
  made.burst = ceiling_of(chance);
  made.sustained = chance.maybe([&] { return ceiling_of(chance); });
  if (made.sustained && chance.coin()) made.sustained_provenance = "inferred";
  made.if_write_allocated = chance.maybe([&] { return ceiling_of(chance); });
  made.cycle = chance.maybe([&] {
    return Cycle{ceiling_of(chance), as<Hertz>(ceiling_of(chance)),
                 static_cast<int>(chance.whole(1, 1000))};
  });
  made.variant = chance.text();
  made.standing = chance.standing();
  made.reason = chance.text();
  made.conditions.cpus = {0, 7};
  made.conditions.taken = chance.some([&] {
    return Conditions::Taken{static_cast<int>(chance.whole(0, 9)), 0.5};
  });
  made.conditions.neighbour_cpus = chance.maybe([&] { return chance.share(); });
  return made;
}

MachineAnswer machine_answer(Chance& chance) {
  MachineAnswer made;
  made.profile.version = chance.text();
  made.profile.key = chance.text();
  made.profile.measured_at = chance.whole(0, 1'000'000'000);
  DeviceProfile device;
  device.kind = chance.coin() ? "cpu" : "gpu";
  device.ceilings = {{"latency.l1", random_ceiling(chance)},
                     {"overhead.x", random_ceiling(chance)}};
  device.absent = {{"latency.l2", chance.text()}};
  device.sweep = chance.some([&] {
    return SweepPoint{Bytes(1 + chance.share()), ByteRate(1 + chance.share())};
  });
  device.warnings = chance.warnings();
  for (const char* id : {"cpu", "cuda:0"}) {
    device.id = id;
    made.profile.devices.push_back(device);
    auto ridge = [&] { return as<Intensity>(chance.estimate()); };
    made.headlines.push_back(
        {chance.text(), chance.text(), chance.text(), chance.maybe(ridge), chance.maybe(ridge)});
  }
  made.saved_at = chance.present() ? "/state/profile.json" : "";
  if (made.saved_at.empty()) made.not_saved = chance.text();
  made.beside = chance.some([&] {
    MachineAnswer::Beside row;
    row.provenance = chance.coin() ? "measured" : "datasheet";
    row.at_base_clock = chance.coin();
    row.cores = chance.count(1);
    row.half_dtype = chance.text();
    row.half = chance.maybe([&] { return FlopRate(chance.number()); });
    row.memory = chance.maybe([&] { return Bytes(chance.number()); });
    row.ridge = chance.maybe([&] { return Intensity(chance.number()); });
    row.weights_read = chance.maybe([&] { return Seconds(chance.number()); });
    return row;
  });
  made.state = {chance.standing(), chance.warnings(), chance.coin()};
  return made;
}

CompareAnswer compare_answer(Chance& chance) {
  CompareAnswer made;
  for (CompareAnswer::Side* side : {&made.a, &made.b}) {
    *side = {chance.text(), chance.text(), chance.text()};
  }
  made.rows = chance.some([&] {
    return Difference{chance.text(),     chance.coin() ? "s" : "flop_per_s",
                      chance.estimate(), chance.estimate(),
                      chance.estimate(), chance.coin(),
                      chance.text()};
  });
  made.compared = chance.count(0);
  made.differing = chance.count(0);
  for (auto* only : {&made.only_a, &made.only_b}) {
    *only = chance.some([&] { return Diff::Only{chance.text(), chance.text()}; });
  }
  made.conditions = chance.some([&] {
    return Diff::Condition{chance.text(), chance.text(), chance.text()};
  });
  made.threshold = chance.maybe([&] {
    Threshold held{chance.number(), chance.maybe([&] { return chance.coin(); }), "", {}};
    if (!chance.present()) return held;
    held.worst = "latency.l1";
    held.gain = chance.estimate();
    return held;
  });
  made.state = {chance.standing(), chance.warnings(), chance.coin()};
  return made;
}

template <class T>
void expect_round_trips(T (*make)(Chance&), Result<T> (*read)(const Json&, const std::string&)) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Chance chance(seed);
    const T value = make(chance);
    const std::string text = write_json(to_json(value));
    const auto back = read(*parse_json(text, "f.json"), "f.json");
    ASSERT_TRUE(back) << seed << ": " << back.error().what << " at " << back.error().where;
    ASSERT_TRUE(*back == value) << seed << ": " << text;
  }
  const auto plain = read(to_json(T{}), "f.json");
  ASSERT_TRUE(plain) << plain.error().what << " at " << plain.error().where;
  EXPECT_TRUE(*plain == T{});
}

TEST(RoundTrip, Verdict) {
  expect_round_trips(verdict, verdict_from);
}
TEST(RoundTrip, AmdahlAnswer) {
  expect_round_trips(amdahl_answer, amdahl_from);
}
TEST(RoundTrip, CompareAnswer) {
  expect_round_trips(compare_answer, compare_answer_from);
}
TEST(RoundTrip, MachineAnswer) {
  expect_round_trips(machine_answer, machine_answer_from);
}
TEST(RoundTrip, AMachineAnswerIsAlsoItsProfile) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Chance chance(seed);
    const MachineAnswer answer = machine_answer(chance);
    const auto profile = profile_from(to_json(answer), "f.json");
    ASSERT_TRUE(profile) << profile.error().what << " at " << profile.error().where;
    ASSERT_TRUE(*profile == answer.profile) << seed;
  }
}
TEST(RoundTrip, DevicesAnswer) {
  expect_round_trips(devices_answer, devices_answer_from);
}
TEST(RoundTrip, MatmulAnswer) {
  expect_round_trips(matmul_answer, matmul_answer_from);
}

}  // namespace
}  // namespace roofbeam
