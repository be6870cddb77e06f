// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain_job.h"
#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/loop_job.h"
#include "roofbeam/backend/cpu/read_job.h"

namespace roofbeam {
namespace {

using MadeJob = Result<std::unique_ptr<Job>>;

template <ChainKernel (*kKernel)()>
bool chain_built() {
  return kKernel().block != nullptr;
}
template <ChainKernel (*kKernel)()>
MadeJob chain(const Problem& problem, int workers) {
  return make_chain_job(kKernel(), problem, workers);
}
template <ReadBlock (*kBlock)()>
bool read_built() {
  return kBlock() != nullptr;
}
template <ReadBlock (*kBlock)()>
MadeJob read(const Problem& problem, int workers) {
  return make_read_job(kBlock(), problem, workers);
}
bool always() {
  return true;
}
template <ProductLoop (*kLoop)()>
MadeJob product(const Problem& problem, int workers) {
  return make_loop_job(kLoop(), problem, workers);
}

}  // namespace

const std::vector<CpuRow>& cpu_rows() {
  constexpr auto f32 = DataType::f32;
  constexpr auto bf16 = DataType::bf16;
  static const std::vector<CpuRow> rows = {
      {"fma", f32, "avx512", "avx512f", "16 floats an instruction", chain_built<fma_avx512>,
       chain<fma_avx512>},
      {"fma", f32, "avx2", "fma", "8 floats an instruction", chain_built<fma_avx2>,
       chain<fma_avx2>},
      {"fma", f32, "neon", "asimd", "4 floats an instruction", chain_built<fma_neon>,
       chain<fma_neon>},
      {"fma", f32, "generic", "", "4 floats, multiply and add apart", chain_built<fma_generic>,
       chain<fma_generic>},
      {"dot", bf16, "avx512bf16", "avx512_bf16", "32 products an instruction, summed in f32",
       chain_built<dot_avx512bf16>, chain<dot_avx512bf16>},
      {"read", f32, "avx512", "avx512f", "64 bytes a load", read_built<read_avx512>,
       read<read_avx512>},
      {"read", f32, "avx2", "avx2", "32 bytes a load", read_built<read_avx2>, read<read_avx2>},
      {"read", f32, "generic", "", "16 bytes a load", read_built<read_generic>, read<read_generic>},
      {"matmul", f32, "blocked", "", "our loops in cache-sized tiles", always,
       product<loop_blocked>},
      {"matmul", bf16, "blocked", "", "our loops in cache-sized tiles, computed in f32", always,
       product<loop_blocked>},
      {"matmul", f32, "naive", "", "three nested loops", always, product<loop_naive>},
      {"matmul", bf16, "naive", "", "three nested loops, computed in f32", always,
       product<loop_naive>},
  };
  return rows;
}

}  // namespace roofbeam
