// SPDX-License-Identifier: Apache-2.0
// Answers with what no golden file shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/base/file.h"

namespace roofbeam {

// `checkout` is where the sources are.
inline MachineAnswer seldom_machine(const std::string& checkout) {
  const std::string path = checkout + "/tests/profiles/rich.json";
  MachineAnswer answer;
  answer.profile = *profile_from(*parse_json(*read_file(path), path), path);
  // A ceiling of each kind: every field of a document is spoilt in many ways.
  DeviceProfile& device = answer.profile.devices[0];
  std::map<std::string, Ceiling> few;
  for (const char* name : {"compute.f32.fma.all", "bandwidth.dram.triad.all", "latency.dram",
                           "bandwidth.dram.triad_nt.all"}) {
    few[name] = device.ceilings[name];
  }
  device.ceilings = few;
  device.sweep.resize(2);
  answer.headlines = {headline_of(device)};
  answer.headlines[0].ridge = exactly(Intensity(10));
  answer.not_saved = "the disk is full";
  answer.beside.resize(2);
  answer.beside[0].provenance = "measured";
  answer.beside[1] = {"x1",           "X One",       "datasheet",    true,           64,
                      FlopRate(1e12), "bf16",        FlopRate(2e12), ByteRate(1e11), Bytes(1e11),
                      Intensity(20),  Seconds(0.14), "its sheet"};
  answer.state = {Standing::degraded, {{"neighbour", "one took a core"}}, false};
  return answer;
}

inline CompareAnswer seldom_compare() {
  CompareAnswer answer;
  answer.a = {"a.json", "machine", "X"};
  answer.b = {"x1", "datasheet", "X One"};
  const Estimate<double> some{2, 1, 3, 5, Method::median};
  answer.rows = {{"latency.l1", "s", some, some, some, true, "noise"}};
  answer.compared = 3;
  answer.differing = 1;
  answer.only_a = {{"gemm.f32.all", "no library"}};
  answer.only_b = {{"latency.l2", ""}};
  answer.conditions = {{"quota", "", "1.5"}};
  answer.threshold = Threshold{0.9, std::nullopt, "latency.l1", some};
  return answer;
}

// What no golden file shows: pictures, and what is unknown.
inline std::vector<Json> seldom_seen(const std::string& checkout) {
  AmdahlAnswer amdahl;
  amdahl.curves = {{{0.5, 1, 1}, {0.5, 4, 1.6}}};
  DevicesAnswer devices;
  devices.devices.resize(1);
  devices.missing = {{"cuda", "there is no driver", ""}};
  MatmulAnswer matmul;
  matmul.points.resize(2);
  matmul.judged = 1;
  matmul.speedups = {{0, 1, {2, 1, 3, 5, Method::median}}};
  matmul.remarks = {"twice as fast"};
  matmul.looked_at = {{"openblas", "OPENBLAS_CORETYPE=Zen", FlopRate(1e9), ""}};
  matmul.points[0].check_how = "too large to check";
  matmul.tried = {{"openblas", "", std::nullopt, "it crashed"}};
  matmul.roof_line = {{0.1, 1e9}, {100, 2e11}};
  const Breakdown quota = charge("stopped", Cause::quota, "limits.quota", exactly(Seconds(1)));
  matmul.verdict.breakdown = sum_of("all", {max_of("work", {quota}), quota});
  matmul.verdict.warnings = {{"above_ceiling", "measured too low"}};
  matmul.state = {Standing::invalid, {{"incomplete", "stopped early"}}, false};
  return {to_json(amdahl), to_json(devices), to_json(matmul), to_json(seldom_machine(checkout)),
          to_json(seldom_compare())};
}

}  // namespace roofbeam
