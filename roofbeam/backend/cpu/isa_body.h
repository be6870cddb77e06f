// SPDX-License-Identifier: Apache-2.0
// The loops that every instruction-set file compiles for itself. All of it has internal linkage:
// of an ordinary template the linker keeps one copy, and that might be the AVX-512 one in a program
// that runs where there is no AVX-512.
//
// The vector type V has: Vector, kLanes, load(const void*), store(void*, Vector) and what its forms
// need of fma(x, y, z) = x·y + z, add(x, y), dot(sum, x, y), and keep_order(Vector&): an empty asm
// that might change it; compilers leave those in their order.
// kIntoSum: fma is done as x ← x + r·r1, then x ← x + r·r4 (r = r0, in every second chain r2). For
// instructions that overwrite their addend, and for short types, whose r0·r2 is too far from 1.
#pragma once

#include <cstdint>

#include "roofbeam/backend/cpu/isa.h"

namespace roofbeam {
namespace {

template <class V>
typename V::Vector row(const void* rows, int index) {
  return V::load(static_cast<const char*>(rows) + index * sizeof(typename V::Vector));
}

template <class V, int kCount>
void load_all(typename V::Vector (&x)[kCount], const void* from) {
#pragma GCC unroll 32
  for (int c = 0; c < kCount; ++c) x[c] = row<V>(from, c);
}
template <class V, int kCount>
void store_all(const typename V::Vector (&x)[kCount], void* to) {
#pragma GCC unroll 32
  for (int c = 0; c < kCount; ++c) {
    V::store(static_cast<char*>(to) + c * sizeof(typename V::Vector), x[c]);
  }
}

template <class V, int kChains>
void fma_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  typename V::Vector r[kConstantRows];
  load_all<V>(r, constants);
  typename V::Vector x[kChains];
  load_all<V>(x, initial);
  for (std::int64_t step = 0; step < steps; ++step) {
    if constexpr (V::kIntoSum) {
#pragma GCC unroll 32
      for (int c = 0; c < kChains; ++c) x[c] = V::fma(r[c % 2 * 2], r[1], x[c]);
#pragma GCC unroll 32
      for (int c = 0; c < kChains; ++c) x[c] = V::fma(r[c % 2 * 2], r[4], x[c]);
    } else {
#pragma GCC unroll 32
      for (int c = 0; c < kChains; ++c) x[c] = V::fma(x[c], r[0], r[1]);
#pragma GCC unroll 32
      for (int c = 0; c < kChains; ++c) x[c] = V::fma(x[c], r[2], r[3]);
    }
  }
  store_all<V>(x, result);
}

template <class V, int kChains>
void add_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  const typename V::Vector plus = row<V>(constants, 1);
  const typename V::Vector minus = row<V>(constants, 3);
  typename V::Vector x[kChains];
  load_all<V>(x, initial);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 32
    for (int c = 0; c < kChains; ++c) x[c] = V::add(x[c], plus);
#pragma GCC unroll 32
    for (int c = 0; c < kChains; ++c) x[c] = V::add(x[c], minus);
  }
  store_all<V>(x, result);
}

// Neighbours take the halves in opposite order, so that operands change from one to the next.
template <class V, int kChains>
void dot_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  typename V::Vector r[3];
  load_all<V>(r, constants);
  typename V::Vector x[kChains];
  load_all<V>(x, initial);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 32
    for (int c = 0; c < kChains; ++c) x[c] = V::dot(x[c], r[0], r[1 + c % 2]);
#pragma GCC unroll 32
    for (int c = 0; c < kChains; ++c) x[c] = V::dot(x[c], r[0], r[2 - c % 2]);
  }
  store_all<V>(x, result);
}

// As many multiply-adds as adds, two and two: 1.5 times what multiply-adds alone do, where a core
// has units for both. Some compilers would do one kind after the other.
template <class V, int kPairs>
void any_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  typename V::Vector r[kConstantRows];
  load_all<V>(r, constants);
  static_assert(kPairs % 2 == 0);
  typename V::Vector x[2 * kPairs];
  load_all<V>(x, initial);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 64
    for (int i = 0; i < 2 * kPairs; i += 2) {
      const int half = i / kPairs;
#pragma GCC unroll 2
      for (int now = i; now < i + 2; ++now) {
        auto& multiplied = x[now % kPairs];
        if constexpr (V::kIntoSum) {
          multiplied = V::fma(r[now % 2 * 2], r[half == 0 ? 1 : 4], multiplied);
        } else {
          multiplied = V::fma(multiplied, r[half * 2], r[half * 2 + 1]);
        }
        V::keep_order(multiplied);
      }
#pragma GCC unroll 2
      for (int now = i; now < i + 2; ++now) {
        auto& added = x[kPairs + now % kPairs];
        added = V::add(added, r[half == 0 ? 1 : 4]);
        V::keep_order(added);
      }
    }
  }
  store_all<V>(x, result);
}

template <class V, int kChains>
constexpr ChainRow fma_row(DataType dtype) {
  return {"fma",
          dtype,
          {fma_block<V, kChains>, ChainForm::fma, kChains, kChains, V::kLanes,
           2 * kChains * V::kLanes * 2}};
}
// A single one, whose every instruction waits for the one before it.
template <class V>
constexpr ChainRow fma_chain_row(DataType dtype) {
  ChainRow row = fma_row<V, 1>(dtype);
  row.kernel = "fma_chain";
  return row;
}
template <class V, int kChains>
constexpr ChainRow add_row(DataType dtype) {
  return {"add",
          dtype,
          {add_block<V, kChains>, ChainForm::add, kChains, 0, V::kLanes, 2 * kChains * V::kLanes}};
}
template <class V, int kPairs>
constexpr ChainRow any_row(DataType dtype) {
  return {"any",
          dtype,
          {any_block<V, kPairs>, ChainForm::any, 2 * kPairs, kPairs, V::kLanes,
           2 * kPairs * V::kLanes * 3}};
}
// products: that one lane takes at once.
template <class V, int kChains>
constexpr ChainRow dot_row(DataType dtype, int products) {
  return {"dot",
          dtype,
          {dot_block<V, kChains>, ChainForm::dot, kChains, 0, V::kLanes,
           2 * kChains * V::kLanes * products * 2}};
}

template <int kCount>
constexpr void add_to(IsaTable& table, const ChainRow (&rows)[kCount]) {
  table.chains = rows;
  table.chain_count = kCount;
}
template <int kCount>
constexpr void add_to(IsaTable& table, const StreamRow (&rows)[kCount]) {
  table.streams = rows;
  table.stream_count = kCount;
}
template <int kCount>
constexpr void add_to(IsaTable& table, const GemvRow (&rows)[kCount]) {
  table.gemvs = rows;
  table.gemv_count = kCount;
}
template <int kCount>
constexpr void add_to(IsaTable& table, const GridRow (&rows)[kCount]) {
  table.grids = rows;
  table.grid_count = kCount;
}
// Of rows of any kinds, an array of each.
template <class... Rows>
constexpr IsaTable table_of(const Rows&... rows) {
  IsaTable table;
  (add_to(table, rows), ...);
  return table;
}

}  // namespace
}  // namespace roofbeam
