// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/ceilings.h"

namespace roofbeam {

const std::vector<CeilingRow>& ceiling_rows() {
  using enum Effort;
  using enum DataType;
  constexpr Scope both = Scope::core_and_all;
  constexpr Scope all = Scope::all;
  constexpr Scope none = Scope::none;
  constexpr const char* rate = "flop_per_s";
  constexpr const char* bytes = "bytes_per_s";
  static const std::vector<CeilingRow> rows = {
      {"compute.f32.fma", "fma", f32, rate, "", quick, both},
      {"compute.f64.fma", "fma", f64, rate, "", quick, both},
      {"compute.f16.fma", "fma", f16, rate, "", quick, both},
      {"compute.bf16.dot", "dot", bf16, rate, "", quick, both},
      {"compute.int8.dot", "dot", int8, rate, "", quick, both},
      {"compute.f32.any", "any", f32, rate, "", quick, both},
      {"compute.f64.any", "any", f64, rate, "", normal, both},
      {"compute.f32.add", "add", f32, rate, "", normal, both},
      {"compute.f64.add", "add", f64, rate, "", normal, both},
      {"bandwidth.l1.read", "read", f32, bytes, "l1", quick, both},
      {"bandwidth.l1.write", "write", f32, bytes, "l1", normal, both},
      {"bandwidth.l1.copy", "copy", f32, bytes, "l1", normal, both},
      {"bandwidth.l1.triad", "triad", f32, bytes, "l1", normal, both},
      {"bandwidth.l2.read", "read", f32, bytes, "l2", quick, both},
      {"bandwidth.l2.write", "write", f32, bytes, "l2", normal, both},
      {"bandwidth.l2.copy", "copy", f32, bytes, "l2", normal, both},
      {"bandwidth.l2.triad", "triad", f32, bytes, "l2", normal, both},
      {"bandwidth.l3.read", "read", f32, bytes, "l3", quick, both},
      {"bandwidth.l3.write", "write", f32, bytes, "l3", normal, both},
      {"bandwidth.l3.copy", "copy", f32, bytes, "l3", normal, both},
      {"bandwidth.l3.triad", "triad", f32, bytes, "l3", normal, both},
      {"bandwidth.dram.read", "read", f32, bytes, "dram", quick, both},
      {"bandwidth.dram.write", "write", f32, bytes, "dram", normal, both},
      {"bandwidth.dram.write_nt", "write_nt", f32, bytes, "dram", quick, all},
      {"bandwidth.dram.copy", "copy", f32, bytes, "dram", normal, both},
      {"bandwidth.dram.copy_nt", "copy_nt", f32, bytes, "dram", quick, all},
      {"bandwidth.dram.triad", "triad", f32, bytes, "dram", normal, both},
      {"bandwidth.dram.triad_nt", "triad_nt", f32, bytes, "dram", normal, both},
      {"latency.l1", "chase", f32, "s", "l1", quick, none},
      {"latency.l2", "chase", f32, "s", "l2", quick, none},
      {"latency.l3", "chase", f32, "s", "l3", quick, none},
      {"latency.dram", "chase", f32, "s", "dram", quick, none},
      {"latency.l3_loaded", "chase_loaded", f32, "s", "l3", thorough, none},
      {"latency.dram_loaded", "chase_loaded", f32, "s", "dram", normal, none},
      {"overhead.branch", "branch", f32, "s", "", quick, none},
      {"overhead.barrier", "barrier", f32, "s", "", quick, none},
      {"overhead.wake", "wake", f32, "s", "", quick, none},
      // The libraries last: their threads must not run beside a probe.
      {"gemm.f32", "matmul", f32, rate, "", quick, all},
      {"gemm.bf16", "matmul", bf16, rate, "", quick, all},
      {"gemm.f64", "matmul", f64, rate, "", normal, all},
      {"gemm.int8", "matmul", int8, rate, "", normal, all},
  };
  return rows;
}

std::string class_of(std::string_view ceiling) {
  return std::string(ceiling.substr(0, ceiling.find('.')));
}

const std::vector<std::string_view>& sustained_stems() {
  static const std::vector<std::string_view> stems = {"compute.f32.fma", "bandwidth.dram.read",
                                                      "gemm.f32"};
  return stems;
}

}  // namespace roofbeam
