// SPDX-License-Identifier: Apache-2.0
// Typed quantities in base SI units. Mixing units does not compile; prefixes exist only at the
// edges (base/format.h). One multiply-add counts as 2 flops, GB is 1e9 bytes and GiB is 2^30.
#pragma once

#include <compare>

namespace roofbeam {

// A number of s^S · byte^B · flop^F.
template <int S, int B, int F>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }

 private:
  double value_ = 0.0;
};

template <int S, int B, int F>
constexpr Quantity<S, B, F> operator+(Quantity<S, B, F> a, Quantity<S, B, F> b) {
  return Quantity<S, B, F>(a.value() + b.value());
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator-(Quantity<S, B, F> a, Quantity<S, B, F> b) {
  return Quantity<S, B, F>(a.value() - b.value());
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator*(Quantity<S, B, F> a, double b) {
  return Quantity<S, B, F>(a.value() * b);
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator*(double a, Quantity<S, B, F> b) {
  return b * a;
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator/(Quantity<S, B, F> a, double b) {
  return Quantity<S, B, F>(a.value() / b);
}
template <int S1, int B1, int F1, int S2, int B2, int F2>
constexpr auto operator*(Quantity<S1, B1, F1> a, Quantity<S2, B2, F2> b) {
  return Quantity<S1 + S2, B1 + B2, F1 + F2>(a.value() * b.value());
}
template <int S1, int B1, int F1, int S2, int B2, int F2>
constexpr auto operator/(Quantity<S1, B1, F1> a, Quantity<S2, B2, F2> b) {
  if constexpr (S1 == S2 && B1 == B2 && F1 == F2) {
    return a.value() / b.value();  // the same unit divides to a plain ratio
  } else {
    return Quantity<S1 - S2, B1 - B2, F1 - F2>(a.value() / b.value());
  }
}

using Seconds = Quantity<1, 0, 0>;
using Hertz = Quantity<-1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using FlopRate = Quantity<-1, 0, 1>;   // flop/s
using ByteRate = Quantity<-1, 1, 0>;   // byte/s
using Intensity = Quantity<0, -1, 1>;  // flop/byte

}  // namespace roofbeam
