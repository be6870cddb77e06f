// SPDX-License-Identifier: Apache-2.0
// What the chains compute with: elements in the formats of chain.h, as numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "roofbeam/backend/cpu/chain.h"

namespace roofbeam {

// Elements of one type, aligned to 64 bytes.
class ChainValues {
 public:
  // Accumulators of bf16 chains are f32, those of int8 chains 32-bit integers.
  ChainValues(DataType dtype, int count);

  void* data() { return lines_.data(); }
  const void* data() const { return lines_.data(); }
  // Accumulators and constants that are numbers; `value` is rounded to the type.
  void set(int index, double value);
  double get(int index) const;
  // Constants that are bf16 pairs, or fours of signed bytes.
  void set_parts(int index, const std::vector<double>& parts);

  bool operator==(const ChainValues& other) const;

 private:
  struct alignas(64) Line {
    unsigned char bytes[64] = {};
  };
  unsigned char* at(int index);
  const unsigned char* at(int index) const;

  DataType dtype_;
  int count_;
  std::vector<Line> lines_;
};

// How many parts an element of a constant has: 2 (bf16), 4 (int8), else 1.
int chain_parts(DataType dtype);

// Half precision (IEEE binary16). To the nearest, ties to even; `value` is within its normal range
// or 0.
std::uint16_t f16_from_double(double value);
double double_from_f16(std::uint16_t bits);

}  // namespace roofbeam
