// SPDX-License-Identifier: Apache-2.0
// A matrix times a few vectors, for isa_*.cc alone; of internal linkage for the reason in
// isa_body.h. A dot product takes both of its rows in order, so nothing is packed or transposed: a
// tile of rows × vectors keeps a sum for each pair in registers, and adds up its lanes at the end.
//
// V has: Element, Part (kElements of a row), Sum, Result; load(const Element*), none(),
// dot(Sum, Part of weights, Part of a vector), add(Sum, Sum), total(Sum); put_totals(four sums,
// results, whether to add to them) where the rows of a tile are a multiple of four; and what its
// registers hold: tiles of kRows with one vector and of kTileRows × kTileVectors with more, and
// kRowSums of a single row.
#pragma once

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

// With several vectors a row is taken in parts of so many bytes, so that those of a tile's rows
// stay in the nearest cache from one tile to the next.
constexpr std::int64_t kGemvPart = 4096;
// Bytes of weights that lie near: with one vector, several rows at once spare loads of it, but
// where all begin in the same sets of a cache.
constexpr std::int64_t kGemvNear = std::int64_t{1} << 20;
constexpr std::int64_t kGemvSameSets = 4096;

// Where a tile begins, and how far it is from one row or vector to the next.
template <class V>
struct Tile {
  const typename V::Element* weights;
  const typename V::Element* vectors;
  typename V::Result* results;
  std::int64_t k;
  std::int64_t rows;
  std::int64_t length;  // of what is taken now
  bool more;            // whether results hold the sum of what was taken before
};

// `count` elements, then zeros.
template <class V>
typename V::Part load_first(const typename V::Element* from, std::int64_t count) {
  alignas(64) typename V::Element part[V::kElements] = {};
  __builtin_memcpy(part, from, static_cast<std::size_t>(count) * sizeof(part[0]));
  return V::load(part);
}

// Adds what is left of rows behind their last whole part. On its own, so that its copies take no
// registers from the loops.
template <class V>
__attribute__((noinline)) void add_left(Tile<V> tile, int rows, int vectors) {
  const std::int64_t left = tile.length % V::kElements;
  const std::int64_t whole = tile.length - left;
  for (int v = 0; v < vectors; ++v) {
    const typename V::Part x = load_first<V>(tile.vectors + v * tile.k + whole, left);
    for (int r = 0; r < rows; ++r) {
      const typename V::Part w = load_first<V>(tile.weights + r * tile.k + whole, left);
      tile.results[v * tile.rows + r] += V::total(V::dot(V::none(), w, x));
    }
  }
}

template <class V, int kRows, int kVectors>
void tile_block(const Tile<V>& tile) {
  typename V::Sum sum[kVectors][kRows];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sum[v][r] = V::none();
  }
  const std::int64_t whole = tile.length / V::kElements * V::kElements;
  for (std::int64_t i = 0; i < whole; i += V::kElements) {
    typename V::Part x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = V::load(tile.vectors + v * tile.k + i);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const typename V::Part w = V::load(tile.weights + r * tile.k + i);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[v][r] = V::dot(sum[v][r], w, x[v]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    typename V::Result* const results = tile.results + v * tile.rows;
    if constexpr (kRows % 4 == 0) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; r += 4) V::put_totals(sum[v] + r, results + r, tile.more);
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        results[r] = V::total(sum[v][r]) + (tile.more ? results[r] : 0);
      }
    }
  }
  if (whole < tile.length) add_left(tile, kRows, kVectors);
}

// One row and one vector: what is far away comes fastest in one stream, and unasked. (Tried:
// several rows at once, parts of rows, prefetching by hand.)
template <class V>
void row_block(const Tile<V>& tile) {
  constexpr int kSums = V::kRowSums;
  constexpr std::int64_t kTurn = kSums * V::kElements;
  typename V::Sum sum[kSums];
#pragma GCC unroll 16
  for (int s = 0; s < kSums; ++s) sum[s] = V::none();
  std::int64_t i = 0;
  for (; i + kTurn <= tile.length; i += kTurn) {
#pragma GCC unroll 16
    for (int s = 0; s < kSums; ++s) {
      const std::int64_t at = i + s * V::kElements;
      sum[s] = V::dot(sum[s], V::load(tile.weights + at), V::load(tile.vectors + at));
    }
  }
  for (; i + V::kElements <= tile.length; i += V::kElements) {
    sum[0] = V::dot(sum[0], V::load(tile.weights + i), V::load(tile.vectors + i));
  }
#pragma GCC unroll 16
  for (int s = 1; s < kSums; ++s) sum[0] = V::add(sum[0], sum[s]);
  *tile.results = V::total(sum[0]);
  if (i < tile.length) add_left(tile, 1, 1);
}

// All vectors, for kRows rows.
template <class V, int kRows>
void strip(Tile<V> tile, std::int64_t count) {
  constexpr int kMost = V::kTileVectors;
  for (; count >= kMost; count -= kMost) {
    tile_block<V, kRows, kMost>(tile);
    tile.vectors += kMost * tile.k;
    tile.results += kMost * tile.rows;
  }
  static_assert(kMost == 4);
  if (count == 1) tile_block<V, kRows, 1>(tile);
  if (count == 2) tile_block<V, kRows, 2>(tile);
  if (count == 3) tile_block<V, kRows, 3>(tile);
}

template <class V>
void gemv_block(const GemvArrays& arrays) {
  using Element = typename V::Element;
  const auto* const weights = static_cast<const Element*>(arrays.weights);
  Tile<V> tile = {weights,
                  static_cast<const Element*>(arrays.vectors),
                  static_cast<typename V::Result*>(arrays.results),
                  arrays.k,
                  arrays.rows,
                  arrays.k,
                  false};
  std::int64_t row = 0;
  const auto at_row = [&](std::int64_t first) {
    Tile<V> there = tile;
    there.weights += row * arrays.k + first;
    there.vectors += first;
    there.results += row;
    there.more = first > 0;
    return there;
  };
  if (arrays.count == 1) {
    const auto element = static_cast<std::int64_t>(sizeof(Element));
    const std::int64_t bytes = arrays.k * element;
    const bool one = arrays.rows * bytes > kGemvNear || bytes % kGemvSameSets == 0;
    for (; one && row < arrays.rows; ++row) row_block(at_row(0));
    for (; row + V::kRows <= arrays.rows; row += V::kRows) tile_block<V, V::kRows, 1>(at_row(0));
    for (; row < arrays.rows; ++row) tile_block<V, 1, 1>(at_row(0));
    return;
  }
  constexpr std::int64_t kPart = kGemvPart / static_cast<std::int64_t>(sizeof(Element));
  const std::int64_t part = arrays.count <= V::kTileVectors ? arrays.k : kPart;
  for (std::int64_t first = 0; first < arrays.k; first += part) {
    tile.length = arrays.k - first < part ? arrays.k - first : part;
    for (row = 0; row + V::kTileRows <= arrays.rows; row += V::kTileRows) {
      strip<V, V::kTileRows>(at_row(first), arrays.count);
    }
    for (; row < arrays.rows; ++row) strip<V, 1>(at_row(first), arrays.count);
  }
}

}  // namespace
}  // namespace roofbeam
