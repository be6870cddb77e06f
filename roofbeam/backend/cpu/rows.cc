// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "roofbeam/backend/cpu/branch_job.h"
#include "roofbeam/backend/cpu/chain_job.h"
#include "roofbeam/backend/cpu/chase_job.h"
#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/event_jobs.h"
#include "roofbeam/backend/cpu/loop_job.h"
#include "roofbeam/backend/cpu/stream_job.h"
#include "roofbeam/base/format.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

using MadeJob = Result<std::unique_ptr<Job>>;

constexpr auto f32 = DataType::f32;

MakeJob chain(const ChainKernel& kernel) {
  return [kernel](const Problem& problem, int workers, Bytes) -> MadeJob {
    return make_chain_job(kernel, problem, workers);
  };
}
MakeJob stream(StreamBlock block) {
  return [block](const Problem& problem, int workers, Bytes) -> MadeJob {
    return make_stream_job(block, problem, workers);
  };
}
MakeJob product(const ProductLoops& loops) {
  return [loops](const Problem& problem, int workers, Bytes) -> MadeJob {
    return make_loop_job(loops, problem, workers);
  };
}

// Loads of 16 bytes fill the memory of any core as well as wider ones do.
StreamBlock read_anywhere() {
  const IsaTable table = isa_generic();
  for (int i = 0; i < table.stream_count; ++i) {
    if (std::string_view(table.streams[i].kernel) == "read") return table.streams[i].block;
  }
  return nullptr;
}

MadeJob chase_alone(const Problem& problem, int workers, Bytes) {
  return make_chase_job(problem, workers, {});
}
MadeJob chase_loaded(const Problem& problem, int workers, Bytes load) {
  return make_chase_job(problem, workers,
                        {read_anywhere(), static_cast<std::int64_t>(load.value())});
}
MadeJob branch(const Problem& problem, int workers, Bytes) {
  return make_branch_job(problem, workers);
}
MadeJob barrier(const Problem& problem, int workers, Bytes) {
  return make_barrier_job(problem, workers);
}
MadeJob wake(const Problem& problem, int workers, Bytes) {
  return make_wake_job(problem, workers);
}

std::vector<CpuRow> all_rows() {
  std::vector<CpuRow> rows;
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    const auto add = [&rows, &isa](const char* kernel, DataType dtype, MakeJob make) {
      rows.push_back({kernel, dtype, isa.variant, isa.features, isa.sentence, std::move(make)});
    };
    for (int i = 0; i < table.chain_count; ++i) {
      add(table.chains[i].kernel, table.chains[i].dtype, chain(table.chains[i].chain));
    }
    for (int i = 0; i < table.stream_count; ++i) {
      add(table.streams[i].kernel, f32, stream(table.streams[i].block));
    }
  }
  const std::vector<CpuRow> others = {
      {"chase", f32, "generic", "", "a load at a time, by the first worker", chase_alone},
      {"chase_loaded", f32, "generic", "", "a load at a time, while others read", chase_loaded},
      {"branch", f32, "generic", "", "bit by bit", branch},
      {"barrier", f32, "generic", "", "a counter, spinning", barrier},
      {"wake", f32, "generic", "", "a futex", wake},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  for (const DataType dtype : find_kernel("matmul")->types) {
    const ProductElements elements = product_elements(dtype);
    const bool in_f32 = elements.sum != elements.c;
    rows.push_back({"matmul", dtype, "blocked", "",
                    in_f32 ? "our loops in cache-sized tiles, computed in f32"
                           : "our loops in cache-sized tiles",
                    product(loop_blocked())});
    rows.push_back({"matmul", dtype, "naive", "",
                    in_f32 ? "three nested loops, computed in f32" : "three nested loops",
                    product(loop_naive())});
  }
  return rows;
}

}  // namespace

const std::vector<IsaRow>& isa_rows() {
  static const std::vector<IsaRow> rows = {
      {"avx512fp16", "avx512f avx512bw avx512vl avx512dq avx512_fp16", "32 halves an instruction",
       isa_avx512fp16},
      {"avx512bf16", "avx512f avx512bw avx512_bf16", "32 products an instruction, summed in f32",
       isa_avx512bf16},
      {"avx512vnni", "avx512f avx512_vnni", "64 products an instruction, summed in 32 bits",
       isa_avx512vnni},
      {"avx512", "avx512f", "vectors of 64 bytes", isa_avx512},
      {"avxvnni", "avx2 avx_vnni", "32 products an instruction, summed in 32 bits", isa_avxvnni},
      {"avx2", "avx2 fma", "vectors of 32 bytes", isa_avx2},
      {"neonfp16", "asimdhp", "8 halves an instruction", isa_neonfp16},
      {"neonbf16", "bf16", "8 products an instruction, summed in f32", isa_neonbf16},
      {"neondot", "asimddp", "16 products an instruction, summed in 32 bits", isa_neondot},
      {"neon", "asimd", "vectors of 16 bytes", isa_neon},
      {"sse2", "sse2", "vectors of 16 bytes, stored past the caches", isa_sse2},
      {"generic", "", "vectors of 16 bytes, multiply and add apart", isa_generic},
  };
  return rows;
}

const std::vector<CpuRow>& cpu_rows() {
  static const std::vector<CpuRow> rows = all_rows();
  return rows;
}

bool has_features(const std::vector<std::string>& features, std::string_view needed) {
  for (const std::string& feature : split(needed, ' ')) {
    if (feature.empty()) continue;
    if (std::find(features.begin(), features.end(), feature) == features.end()) return false;
  }
  return true;
}

}  // namespace roofbeam
