// SPDX-License-Identifier: Apache-2.0
// The operands of a product, the same for every backend: what is multiplied follows from the seed
// alone. Also the formats bf16 (the upper half of an f32) and f16 (IEEE 754 binary16), converted as
// hardware does.
#pragma once

#include <cstdint>

#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

// Rounds to the nearest, ties to even. A NaN stays one.
std::uint16_t bf16_from_float(float value);
float float_from_bf16(std::uint16_t bits);
void floats_from_bf16(const std::uint16_t* bits, std::int64_t count, float* values);
std::uint16_t f16_from_float(float value);
float float_from_f16(std::uint16_t bits);

enum class Operand { a, b };  // A (m × k) and B (k × n), both row-major

// Writes elements first … first + count - 1 of an operand to `data[0…count)`, so that several
// threads can share one operand: an element depends on its index and the seed only. Elements are
// those of product_elements(type).
//
// random:   even in [-1, 1], mean 0, never 0 and never below 2^-31 in size, so that nothing is
//           denormal; no two rows are alike. bf16 is the f32 value, rounded; f16 too, but never
//           below 2^-14 in size. int8: A even in 0 … 255, B even in -64 … 63: seven bits, as
//           quantisers leave weights for CPUs whose instructions add two products in 16 bits and
//           would saturate, so that every correct way gives the same whole numbers.
// constant: every element is 1. Products and sums of ones are exact up to 2^24, so that no
//           rounding, which would be the same in every element, piles up.
void fill_operand(Operand operand, DataType type, Operands operands, std::uint64_t seed,
                  std::int64_t first, std::int64_t count, void* data);

// A step of splitmix64: a well mixed word for every different input.
std::uint64_t mix(std::uint64_t word);

}  // namespace roofbeam
