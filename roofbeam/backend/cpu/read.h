// SPDX-License-Identifier: Apache-2.0
// Reading an array once, in order: a sum of its 64-bit words, which comes out the same in any
// order.
#pragma once

#include <cstdint>

namespace roofbeam {

// words: a multiple of kReadGrain, 64-byte aligned.
using ReadBlock = std::uint64_t (*)(const std::uint64_t* data, std::int64_t words);

constexpr std::int64_t kReadGrain = 64;  // words: 512 bytes, what one turn of the loop takes

ReadBlock read_generic();
// Null where this build has no such instructions.
ReadBlock read_avx2();
ReadBlock read_avx512();

}  // namespace roofbeam
