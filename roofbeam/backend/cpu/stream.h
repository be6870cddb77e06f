// SPDX-License-Identifier: Apache-2.0
// Passing over arrays in order. Arrays are aligned to 64 bytes and do not overlap.
#pragma once

#include <cstdint>

namespace roofbeam {

struct StreamArrays {
  const float* b = nullptr;  // read
  const float* c = nullptr;  // read by triad
  float* a = nullptr;        // written
  float s = 0;               // triad: a = b + s·c; write: a = s
  std::int64_t passes = 1;   // read: so many times over; the smallest arrays take 80 ns each
};

// read: the sum of the array's 64-bit words, which comes out the same in any order; else 0.
// elements: a multiple of kStreamGrain.
using StreamBlock = std::uint64_t (*)(const StreamArrays& arrays, std::int64_t elements);

constexpr std::int64_t kStreamGrain = 128;  // floats: 512 bytes, what one turn of a loop takes

}  // namespace roofbeam
