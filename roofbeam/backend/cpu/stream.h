// SPDX-License-Identifier: Apache-2.0
// Passing over arrays in order. Arrays are aligned to 64 bytes and do not overlap.
#pragma once

#include <cstdint>

namespace roofbeam {

struct StreamArrays {
  const float* b = nullptr;  // read
  const float* c = nullptr;  // read by triad, vadd and vdot
  float* a = nullptr;        // written
  float s = 0;               // triad: a = b + s·c; vscale: a = s·b; write: a = s
  std::int64_t passes = 1;   // where none is written: so many times over; the smallest take 80 ns
};

// read: the sum of the array's 64-bit words, which comes out the same in any order. vdot, branchy:
// the bits of a double that is their sum. Else 0.
// elements: a multiple of kStreamGrain.
using StreamBlock = std::uint64_t (*)(const StreamArrays& arrays, std::int64_t elements);

constexpr std::int64_t kStreamGrain = 128;  // floats: 512 bytes, what one turn of a loop takes

}  // namespace roofbeam
