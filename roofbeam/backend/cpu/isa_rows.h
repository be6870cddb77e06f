// SPDX-License-Identifier: Apache-2.0
// What kernels that go along rows of f32 are made of, for isa_*.cc alone; of internal linkage for
// the reason in isa_body.h.
//
// S is that of isa_streams.h, and has besides: sub, greater(x, y), the larger of both,
// times_power(x, t) = x · 2^(the integer in the lowest bits of t), and what is an element to the
// left or right of the vector at an address: left(at, before, here), right(at, here, next).
#pragma once

#include <cstdint>

#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

// What a loop over a row is made of: whole vectors, four at a time for independent sums, and the
// elements that are left, in a vector filled up with `fill`.
constexpr int kRowSums = 4;

template <class S>
typename S::Vector load_left(const float* from, std::int64_t count, float fill) {
  alignas(64) float part[S::kLanes];
  S::store(part, S::splat(fill));
  __builtin_memcpy(part, from, static_cast<std::size_t>(count) * sizeof(float));
  return S::load(part);
}
template <class S>
void store_left(float* to, std::int64_t count, typename S::Vector value) {
  alignas(64) float part[S::kLanes];
  S::store(part, value);
  __builtin_memcpy(to, part, static_cast<std::size_t>(count) * sizeof(float));
}

// Calls each(i, lane group) for whole vectors, then left(i, how many).
template <class S, class Each, class Left>
void over_row(std::int64_t columns, const Each& each, const Left& left) {
  constexpr std::int64_t kTurn = kRowSums * S::kLanes;
  std::int64_t i = 0;
  for (; i + kTurn <= columns; i += kTurn) {
#pragma GCC unroll 4
    for (int s = 0; s < kRowSums; ++s) each(i + s * S::kLanes, s);
  }
  for (; i + S::kLanes <= columns; i += S::kLanes) each(i, 0);
  if (i < columns) left(i, columns - i);
}

template <class S>
float total(const typename S::Vector (&sums)[kRowSums]) {
  alignas(64) float lanes[S::kLanes];
  S::store(lanes, S::add(S::add(sums[0], sums[1]), S::add(sums[2], sums[3])));
  for (int half = S::kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}
template <class S>
float greatest(const typename S::Vector (&all)[kRowSums]) {
  alignas(64) float lanes[S::kLanes];
  S::store(lanes, S::greater(S::greater(all[0], all[1]), S::greater(all[2], all[3])));
  for (int half = S::kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      if (lanes[i] < lanes[i + half]) lanes[i] = lanes[i + half];
    }
  }
  return lanes[0];
}

template <class S>
void fill(typename S::Vector (&sums)[kRowSums], float value) {
#pragma GCC unroll 4
  for (int s = 0; s < kRowSums; ++s) sums[s] = S::splat(value);
}

}  // namespace
}  // namespace roofbeam
