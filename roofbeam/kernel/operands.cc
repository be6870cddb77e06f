// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/operands.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace roofbeam {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // splitmix64's step

inline std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

inline std::uint16_t rounded(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline float widened(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Halves have 5 bits of exponent and 10 of fraction; sizes below 2^-14 are denormal: multiples of
// 2^-24.
inline std::uint16_t half_from(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t size = bits & 0x7FFFFFFF;
  if (size > 0x7F800000) return sign | 0x7E00;   // a NaN
  if (size >= 0x477FF000) return sign | 0x7C00;  // rounds to 2^16 or more: infinity
  if (size < 0x38800000) {
    // Beside 1/2 the last bit of an f32 is 2^-24, so that adding it rounds as wanted.
    const float shifted = std::bit_cast<float>(size) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
  }
  const std::uint32_t nearest = size + 0xFFF + ((size >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((nearest - 0x38000000) >> 13));
}

inline float half_widened(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t size = bits & 0x7FFF;
  if (size >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000 | (size & 0x3FF) << 13);
  if (size >= 0x0400) return std::bit_cast<float>(sign | ((size << 13) + 0x38000000));
  const float small = static_cast<float>(size) * 0x1p-24F;
  return sign != 0 ? -small : small;
}

// What each data type makes of a mixed word; `kPerWord` elements come out of one.
struct F32 {
  using Stored = float;
  static constexpr std::int64_t kPerWord = 2;
  // The lowest bit is set, so that no value is 0.
  static float value(std::uint64_t word, std::int64_t part) {
    const auto bits = static_cast<std::uint32_t>(word >> (32 * part));
    return static_cast<float>(static_cast<std::int32_t>(bits | 1)) * 0x1p-31F;
  }
  static float random(std::uint64_t word, std::int64_t part) { return value(word, part); }
  static float one() { return 1; }
};
struct F64 {
  using Stored = double;
  static constexpr std::int64_t kPerWord = 1;
  static double random(std::uint64_t word, std::int64_t) {
    return static_cast<double>(static_cast<std::int64_t>(word | 1)) * 0x1p-63;
  }
  static double one() { return 1; }
};
struct Bf16 {
  using Stored = std::uint16_t;
  static constexpr std::int64_t kPerWord = 2;
  static Stored random(std::uint64_t word, std::int64_t part) {
    return rounded(F32::value(word, part));
  }
  static Stored one() { return rounded(1); }
};
struct F16 {
  using Stored = std::uint16_t;
  static constexpr std::int64_t kPerWord = 2;
  static Stored random(std::uint64_t word, std::int64_t part) {
    const float value = F32::value(word, part);
    return half_from(std::copysign(std::max(std::fabs(value), 0x1p-14F), value));
  }
  static Stored one() { return half_from(1); }
};
struct U8 {
  using Stored = std::uint8_t;
  static constexpr std::int64_t kPerWord = 8;
  static Stored random(std::uint64_t word, std::int64_t part) {
    return static_cast<Stored>(word >> (8 * part));
  }
  static Stored one() { return 1; }
};
struct S8 {
  using Stored = std::int8_t;
  static constexpr std::int64_t kPerWord = 8;
  static Stored random(std::uint64_t word, std::int64_t part) {
    return static_cast<Stored>((U8::random(word, part) >> 1) - 64);
  }
  static Stored one() { return 1; }
};

// Element i is part i % kPerWord of word i / kPerWord.
template <class Type>
void fill(std::uint64_t key, Operands operands, std::int64_t first, std::int64_t count, void* to) {
  auto* data = static_cast<typename Type::Stored*>(to);
  if (operands == Operands::constant) {
    std::fill(data, data + count, Type::one());
    return;
  }
  constexpr std::int64_t kPerWord = Type::kPerWord;
  const std::int64_t end = first + count;
  for (std::int64_t at = first; at < end;) {
    const std::uint64_t word = mixed(key + static_cast<std::uint64_t>(at / kPerWord) * kGolden);
    if (at % kPerWord == 0 && at + kPerWord <= end) {
      for (std::int64_t part = 0; part < kPerWord; ++part) *data++ = Type::random(word, part);
      at += kPerWord;
    } else {
      *data++ = Type::random(word, at % kPerWord);
      ++at;
    }
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t word) {
  return mixed(word + kGolden);
}

std::uint16_t bf16_from_float(float value) {
  return rounded(value);
}

float float_from_bf16(std::uint16_t bits) {
  return widened(bits);
}

void floats_from_bf16(const std::uint16_t* bits, std::int64_t count, float* values) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = widened(bits[i]);
}

std::uint16_t f16_from_float(float value) {
  return half_from(value);
}

float float_from_f16(std::uint16_t bits) {
  return half_widened(bits);
}

void fill_operand(Operand operand, DataType type, Operands operands, std::uint64_t seed,
                  std::int64_t first, std::int64_t count, void* data) {
  const std::uint64_t key = mix(mix(seed) + (operand == Operand::a ? 1 : 2));
  const ProductElements elements = product_elements(type);
  switch (operand == Operand::a ? elements.a : elements.b) {
    case Element::f64:
      return fill<F64>(key, operands, first, count, data);
    case Element::bf16:
      return fill<Bf16>(key, operands, first, count, data);
    case Element::f16:
      return fill<F16>(key, operands, first, count, data);
    case Element::u8:
      return fill<U8>(key, operands, first, count, data);
    case Element::s8:
      return fill<S8>(key, operands, first, count, data);
    default:
      return fill<F32>(key, operands, first, count, data);
  }
}

}  // namespace roofbeam
