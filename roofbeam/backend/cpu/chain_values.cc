// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chain_values.h"

#include <cmath>
#include <cstring>

#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

int element_bytes(DataType dtype) {
  return dtype == DataType::f64 ? 8 : dtype == DataType::f16 ? 2 : 4;
}

template <class T>
void put(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}
template <class T>
double number(const unsigned char* from) {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

ChainValues::ChainValues(DataType dtype, int count)
    : dtype_(dtype),
      count_(count),
      lines_((static_cast<std::size_t>(count * element_bytes(dtype)) + 63) / 64) {}

unsigned char* ChainValues::at(int index) {
  return reinterpret_cast<unsigned char*>(lines_.data()) + index * element_bytes(dtype_);
}
const unsigned char* ChainValues::at(int index) const {
  return reinterpret_cast<const unsigned char*>(lines_.data()) + index * element_bytes(dtype_);
}

void ChainValues::set(int index, double value) {
  unsigned char* to = at(index);
  switch (dtype_) {
    case DataType::f64:
      return put(to, value);
    case DataType::f16:
      return put(to, f16_from_double(value));
    case DataType::int8:
      return put(to, static_cast<std::int32_t>(std::lround(value)));
    default:
      return put(to, static_cast<float>(value));
  }
}

double ChainValues::get(int index) const {
  const unsigned char* from = at(index);
  switch (dtype_) {
    case DataType::f64:
      return number<double>(from);
    case DataType::f16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, from, sizeof bits);
      return double_from_f16(bits);
    }
    case DataType::int8:
      return number<std::int32_t>(from);
    default:
      return number<float>(from);
  }
}

void ChainValues::set_parts(int index, const std::vector<double>& parts) {
  unsigned char* to = at(index);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (dtype_ == DataType::bf16) {
      put(to + 2 * i, bf16_from_float(static_cast<float>(parts[i])));
    } else {
      put(to + i, static_cast<std::int8_t>(std::lround(parts[i])));
    }
  }
}

bool ChainValues::operator==(const ChainValues& other) const {
  return dtype_ == other.dtype_ && count_ == other.count_ &&
         std::memcmp(lines_.data(), other.lines_.data(),
                     static_cast<std::size_t>(count_ * element_bytes(dtype_))) == 0;
}

int chain_parts(DataType dtype) {
  return dtype == DataType::bf16 ? 2 : dtype == DataType::int8 ? 4 : 1;
}

std::uint16_t f16_from_double(double value) {
  if (value == 0) return 0;
  const int sign = std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // 0.5 … 1
  // 11 bits, the first of them implied; where rounding makes it 2048, the carry is the exponent's.
  const int mantissa = static_cast<int>(std::nearbyint(fraction * 2048));
  return static_cast<std::uint16_t>(sign | ((exponent + 14) * 1024 + mantissa - 1024));
}

double double_from_f16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value =
      std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) value = mantissa == 0 ? HUGE_VAL : std::nan("");
  return (bits & 0x8000) != 0 ? -value : value;
}

}  // namespace roofbeam
