// SPDX-License-Identifier: Apache-2.0
// Passing over arrays, for isa_*.cc alone; of internal linkage for the reason in isa_body.h.
//
// S has: Vector, Words, kLanes (floats of a Vector), load, store, splat, fma(x, y, z) = x·y + z,
// add, mul,
// no_words, load_words, add_words, sum(Words) to read; for non-temporal stores
// stream(float*, Vector) and finish(), after which other threads see them.
#pragma once

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

template <class S>
std::uint64_t read_block(const StreamArrays& arrays, std::int64_t elements) {
  constexpr int kSums = 8;  // loads must not wait for an addition
  // Not two loads into one sum: g++ would change their order, which prefetchers do not like.
  constexpr int kTurn = kSums * S::kLanes;
  static_assert(kStreamGrain % kTurn == 0);
  typename S::Words sum[kSums];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) sum[s] = S::no_words();
  for (std::int64_t pass = 0; pass < arrays.passes; ++pass) {
    const float* b = arrays.b;
    asm volatile("" : "+r"(b) : : "memory");  // what a pass read is not known to the next
    for (const float* end = b + elements; b != end; b += kTurn) {
#pragma GCC unroll 8
      for (int s = 0; s < kSums; ++s) {
        sum[s] = S::add_words(sum[s], S::load_words(b + s * S::kLanes));
      }
    }
  }
#pragma GCC unroll 8
  for (int s = 1; s < kSums; ++s) sum[0] = S::add_words(sum[0], sum[s]);
  return S::sum(sum[0]);
}

template <class S, bool kPastCaches>
void put(float* to, typename S::Vector value) {
  if constexpr (kPastCaches) {
    S::stream(to, value);
  } else {
    S::store(to, value);
  }
}

template <class S, bool kPastCaches>
std::uint64_t write_block(const StreamArrays& arrays, std::int64_t elements) {
  const typename S::Vector value = S::splat(arrays.s);
  float* a = arrays.a;
  for (const float* end = a + elements; a != end; a += kStreamGrain) {
#pragma GCC unroll 32
    for (int v = 0; v < kStreamGrain / S::kLanes; ++v) {
      put<S, kPastCaches>(a + v * S::kLanes, value);
    }
  }
  if constexpr (kPastCaches) S::finish();
  return 0;
}

template <class S, bool kPastCaches>
std::uint64_t copy_block(const StreamArrays& arrays, std::int64_t elements) {
  const float* b = arrays.b;
  float* a = arrays.a;
  for (const float* end = b + elements; b != end; b += kStreamGrain, a += kStreamGrain) {
#pragma GCC unroll 32
    for (int v = 0; v < kStreamGrain / S::kLanes; ++v) {
      put<S, kPastCaches>(a + v * S::kLanes, S::load(b + v * S::kLanes));
    }
  }
  if constexpr (kPastCaches) S::finish();
  return 0;
}

template <class S, bool kPastCaches>
std::uint64_t triad_block(const StreamArrays& arrays, std::int64_t elements) {
  const typename S::Vector s = S::splat(arrays.s);
  const float* b = arrays.b;
  const float* c = arrays.c;
  float* a = arrays.a;
  for (std::int64_t i = 0; i != elements; i += kStreamGrain) {
#pragma GCC unroll 32
    for (int v = 0; v < kStreamGrain / S::kLanes; ++v) {
      const std::int64_t at = i + v * S::kLanes;
      put<S, kPastCaches>(a + at, S::fma(S::load(c + at), s, S::load(b + at)));
    }
  }
  if constexpr (kPastCaches) S::finish();
  return 0;
}

template <class S>
std::uint64_t vadd_block(const StreamArrays& arrays, std::int64_t elements) {
  const float* b = arrays.b;
  const float* c = arrays.c;
  float* a = arrays.a;
  for (std::int64_t i = 0; i != elements; i += kStreamGrain) {
#pragma GCC unroll 32
    for (int v = 0; v < kStreamGrain / S::kLanes; ++v) {
      const std::int64_t at = i + v * S::kLanes;
      S::store(a + at, S::add(S::load(b + at), S::load(c + at)));
    }
  }
  return 0;
}

template <class S>
std::uint64_t vscale_block(const StreamArrays& arrays, std::int64_t elements) {
  const typename S::Vector s = S::splat(arrays.s);
  const float* b = arrays.b;
  float* a = arrays.a;
  for (const float* end = b + elements; b != end; b += kStreamGrain, a += kStreamGrain) {
#pragma GCC unroll 32
    for (int v = 0; v < kStreamGrain / S::kLanes; ++v) {
      S::store(a + v * S::kLanes, S::mul(s, S::load(b + v * S::kLanes)));
    }
  }
  return 0;
}

template <class S>
std::uint64_t vdot_block(const StreamArrays& arrays, std::int64_t elements) {
  // Two loads for each take the time of four.
  constexpr int kSums = S::kLanes < 8 ? 8 : 4;
  constexpr int kTurn = kSums * S::kLanes;
  static_assert(kStreamGrain % kTurn == 0);
  typename S::Vector sum[kSums];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) sum[s] = S::splat(0);
  for (std::int64_t pass = 0; pass < arrays.passes; ++pass) {
    const float* b = arrays.b;
    const float* c = arrays.c;
    asm volatile("" : "+r"(b), "+r"(c) : : "memory");
    for (const float* end = b + elements; b != end; b += kTurn, c += kTurn) {
#pragma GCC unroll 8
      for (int s = 0; s < kSums; ++s) {
        sum[s] = S::fma(S::load(b + s * S::kLanes), S::load(c + s * S::kLanes), sum[s]);
      }
    }
  }
  double total = 0;
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) {
    alignas(64) float parts[S::kLanes];
    S::store(parts, sum[s]);
    for (const float part : parts) total += part;
  }
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &total, sizeof bits);
  return bits;
}

// What an instruction set with stores past the caches offers.
template <class S>
constexpr StreamRow kAllStreams[] = {
    {"read", read_block<S>},
    {"write", write_block<S, false>},
    {"write_nt", write_block<S, true>},
    {"copy", copy_block<S, false>},
    {"copy_nt", copy_block<S, true>},
    {"triad", triad_block<S, false>},
    {"triad_nt", triad_block<S, true>},
    {"vadd", vadd_block<S>},
    {"vscale", vscale_block<S>},
    {"vdot", vdot_block<S>},
};

}  // namespace
}  // namespace roofbeam
