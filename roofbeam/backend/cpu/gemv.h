// SPDX-License-Identifier: Apache-2.0
// A product of a matrix and one vector, or a few. Elements are f32, bf16 (the upper halves of f32)
// or bytes: weights signed, vectors unsigned and at most 127, so that instructions which take both
// as signed agree.
#pragma once

#include <cstdint>

namespace roofbeam {

struct GemvArrays {
  const void* weights = nullptr;  // rows × k, row-major, without gaps
  const void* vectors = nullptr;  // count × k
  // count × rows: vector · row. f32, or of bytes 32-bit integers.
  void* results = nullptr;
  std::int64_t rows = 0;
  std::int64_t count = 0;
  std::int64_t k = 0;
};

using GemvBlock = void (*)(const GemvArrays& arrays);

}  // namespace roofbeam
