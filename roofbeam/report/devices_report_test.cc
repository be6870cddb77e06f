// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

// "fact: value" of the first device.
std::vector<std::string> facts(DevicesAnswer::Entry entry) {
  DevicesAnswer answer;
  answer.devices = {std::move(entry)};
  const Document shown = document(answer);
  std::vector<std::string> lines;
  for (const Block& block : shown.blocks) {
    if (const auto* notice = std::get_if<Notice>(&block)) lines.push_back(notice->text);
    const auto* table = std::get_if<Table>(&block);
    if (table == nullptr || table->columns.size() != 2) continue;
    for (const auto& row : table->rows) lines.push_back(row[0] + ": " + row[1]);
  }
  return lines;
}

DevicesAnswer::Entry plain() {
  DevicesAnswer::Entry entry;
  entry.facts = {"cpu", "cpu", "some CPU", 1, "cores"};
  entry.architecture = "x86_64";
  entry.memory = Bytes(4294967296);
  entry.memory_available = Bytes(2147483648);
  entry.memory_bound_by = "machine";
  return entry;
}

TEST(DevicesReport, AlikeCoresAndNothingStated) {
  EXPECT_EQ(facts(plain()),
            (std::vector<std::string>{
                "kind: cpu, x86_64", "cores: 1 core (1 package, 1 NUMA node, 1 hardware thread)",
                "usable here: 1 core, set by cores: 1 CPU in the affinity mask, no quota",
                "memory: 4 GiB, 2 GiB available", "instructions: none known"}));
}

TEST(DevicesReport, KindsClocksAndCachesOfAHybrid) {
  DevicesAnswer::Entry entry = plain();
  entry.facts.cores_usable = 10;
  entry.facts.cores_bound_by = "affinity";
  entry.cores = 14;
  entry.hardware_threads = 20;
  entry.affinity_cpus = 12;
  entry.kinds = {{"performance", 6, 2, Hertz(1.9e9), Hertz(5.2e9)},
                 {"efficient", 6, 8, {}, Hertz(3.9e9)},
                 {"low-power", 2, 0, {}, {}}};
  entry.caches = {{1, Bytes(49152), 6, "performance"},
                  {1, Bytes(32768), 8, "efficient"},
                  {3, Bytes(25165824), 1, ""}};
  EXPECT_EQ(
      facts(entry),
      (std::vector<std::string>{
          "kind: cpu, x86_64",
          "cores: 14 cores (6 performance, 6 efficient, 2 low-power; 1 package, 1 NUMA node, "
          "20 hardware threads)",
          "usable here: 10 cores (2 performance, 8 efficient), set by affinity: 12 CPUs in "
          "the affinity mask, no quota",
          "clock: performance: base 1.90 GHz, up to 5.20 GHz; efficient: up to 3.90 GHz",
          "L1 cache: 6 x 48 KiB (performance), 8 x 32 KiB (efficient)", "L3 cache: 1 x 24 MiB",
          "memory: 4 GiB, 2 GiB available", "instructions: none known"}));
}

TEST(DevicesReport, NodesMemoryAndNotes) {
  DevicesAnswer::Entry entry = plain();
  entry.kinds = {{"", 1, 1, {}, Hertz(3.4e9)}};
  entry.nodes = {{1, Bytes(1073741824)}, {1, Bytes(0)}};
  entry.memory_limit = Bytes(3221225472);
  entry.notes = {"the system shows no caches"};
  std::vector<std::string> expected = {
      "kind: cpu, x86_64",
      "cores: 1 core (1 package, 1 NUMA node, 1 hardware thread)",
      "usable here: 1 core, set by cores: 1 CPU in the affinity mask, no quota",
      "clock: up to 3.40 GHz",
      "NUMA nodes: 1 core, 1 GiB; 1 core",
      "memory: 4 GiB, 2 GiB available, limited to 3 GiB",
      "instructions: none known",
      "the system shows no caches."};
  EXPECT_EQ(facts(entry), expected);
  entry.memory_bound_by = "cgroup";
  entry.nodes[1] = entry.nodes[0];
  expected[4] = "NUMA nodes: 2 x 1 core, 1 GiB";
  expected[5] = "memory: 4 GiB, 2 GiB available, set by cgroup, limited to 3 GiB";
  EXPECT_EQ(facts(entry), expected);
}

}  // namespace
}  // namespace roofbeam
