// SPDX-License-Identifier: Apache-2.0
// What one instruction set brings: a file named after it (x_avx512.cc), compiled with its own
// flags, holds plain tables of what it can compute. Such files share no code with others that the
// linker might keep a single copy of: everything in them has internal linkage but the one function
// below.
#pragma once

#include "roofbeam/backend/cpu/chain.h"
#include "roofbeam/backend/cpu/gemv.h"
#include "roofbeam/backend/cpu/grid.h"
#include "roofbeam/backend/cpu/stream.h"

namespace roofbeam {

struct ChainRow {
  const char* kernel;  // of the kernel table: fma, add, any, dot, fma_chain
  DataType dtype;
  ChainKernel chain;
};

struct StreamRow {
  const char* kernel;  // read, write, write_nt, …
  StreamBlock block;
};

struct GemvRow {
  DataType dtype;
  GemvBlock block;
};

struct GridRow {
  const char* kernel;  // softmax, layer_norm, stencil
  GridBlock block;
};

struct IsaTable {
  const ChainRow* chains = nullptr;
  int chain_count = 0;
  const StreamRow* streams = nullptr;
  int stream_count = 0;
  const GemvRow* gemvs = nullptr;
  int gemv_count = 0;
  const GridRow* grids = nullptr;
  int grid_count = 0;
};

// Each is empty where this build's architecture has no such instructions.
IsaTable isa_generic();
IsaTable isa_sse2();  // stores past the caches alone
IsaTable isa_avx2();
IsaTable isa_avx512();
IsaTable isa_avx512bf16();
IsaTable isa_avx512vnni();
IsaTable isa_avx512fp16();
IsaTable isa_avxvnni();
IsaTable isa_neon();
IsaTable isa_neonfp16();
IsaTable isa_neondot();
IsaTable isa_neonbf16();

}  // namespace roofbeam
