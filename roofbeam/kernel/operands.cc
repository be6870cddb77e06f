// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/operands.h"

#include <algorithm>
#include <bit>

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

// The lowest bit is set, so that no value is 0.
inline float value_of(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits | 1)) * 0x1p-31f;
}

inline void store(float value, float& slot) {
  slot = value;
}
inline void store(float value, std::uint16_t& slot) {
  slot = rounded(value);
}

// Elements 2i and 2i + 1 are the halves of word i.
template <class T>
void fill_random(std::uint64_t key, std::int64_t first, std::int64_t count, T* data) {
  std::int64_t at = first;
  const std::int64_t end = first + count;
  auto word = [key](std::int64_t element) {
    return mixed(key + (static_cast<std::uint64_t>(element) >> 1) * kGolden);
  };
  if (at < end && (at & 1) != 0) {
    store(value_of(static_cast<std::uint32_t>(word(at) >> 32)), *data++);
    ++at;
  }
  for (; at + 2 <= end; at += 2, data += 2) {
    const std::uint64_t bits = word(at);
    store(value_of(static_cast<std::uint32_t>(bits)), data[0]);
    store(value_of(static_cast<std::uint32_t>(bits >> 32)), data[1]);
  }
  if (at < end) store(value_of(static_cast<std::uint32_t>(word(at))), *data);
}

template <class T>
void fill(std::uint64_t key, Operands operands, std::int64_t first, std::int64_t count, T* data) {
  if (operands == Operands::random) {
    fill_random(key, first, count, data);
  } else {
    T one{};
    store(1.0f, one);
    std::fill(data, data + count, one);
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

void fill_operand(Operand operand, DataType type, Operands operands, std::uint64_t seed,
                  std::int64_t first, std::int64_t count, void* data) {
  const std::uint64_t key = mix(mix(seed) + (operand == Operand::a ? 1 : 2));
  if (type == DataType::bf16) {
    fill(key, operands, first, count, static_cast<std::uint16_t*>(data));
  } else {
    fill(key, operands, first, count, static_cast<float*>(data));
  }
}

}  // namespace roofbeam
