// SPDX-License-Identifier: Apache-2.0
// A number with its interval: every figure roofbeam prints that was not counted.
//
// low…high is where another run of the same command on this machine falls 19 times in 20 (methods
// best, median, predicted), the 95 % confidence interval of the true parameter (fit), or the
// sheet's own word (datasheet). What is derived from estimates takes the ends that make it smallest
// and largest, which is exact for one estimate and wide for several; docs/methods/intervals.md.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "roofbeam/base/json.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

enum class Method { best, median, predicted, fit, datasheet };

std::string_view name(Method method);
std::optional<Method> method_from(std::string_view name);

// Q is a Quantity or double (a ratio). Invariant: low <= value <= high.
template <class Q>
struct Estimate {
  Q value{};
  Q low{};
  Q high{};
  int samples = 0;  // how many independent re-initialisations it stands on; 0 for none
  Method method = Method::predicted;

  bool operator==(const Estimate&) const = default;
};

// An exact figure as an estimate: low = high.
template <class Q>
Estimate<Q> exactly(Q value, Method method = Method::predicted) {
  return {value, value, value, 0, method};
}

namespace detail {
inline int fewer(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}
}  // namespace detail

// a ÷ b of positive quantities: smallest where a is small and b large.
template <class A, class B>
auto operator/(const Estimate<A>& a, const Estimate<B>& b) {
  using R = decltype(a.value / b.value);
  return Estimate<R>{a.value / b.value, a.low / b.high, a.high / b.low,
                     detail::fewer(a.samples, b.samples), Method::predicted};
}
// An exact positive amount ÷ an estimated rate, keeping the method of what was estimated.
template <class A, class B>
auto divide(A amount, const Estimate<B>& rate) {
  using R = decltype(amount / rate.value);
  return Estimate<R>{amount / rate.value, amount / rate.high, amount / rate.low, rate.samples,
                     rate.method};
}
template <class Q>
Estimate<Q> scale(const Estimate<Q>& a, double factor) {  // factor > 0
  return {a.value * factor, a.low * factor, a.high * factor, a.samples, a.method};
}
template <class Q>
Estimate<Q> operator+(const Estimate<Q>& a, const Estimate<Q>& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high, detail::fewer(a.samples, b.samples),
          Method::predicted};
}
// The larger of two, end by end.
template <class Q>
Estimate<Q> larger(const Estimate<Q>& a, const Estimate<Q>& b) {
  return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high),
          detail::fewer(a.samples, b.samples), Method::predicted};
}
template <class Q>
bool overlap(const Estimate<Q>& a, const Estimate<Q>& b) {
  return a.low <= b.high && b.low <= a.high;
}

// {"value","low","high","samples","method"}, in base SI.
Json to_json(const Estimate<double>& estimate);
Estimate<double> estimate_from(JsonReader& parent, std::string_view key);

template <class Q>
Estimate<double> bare(const Estimate<Q>& e) {
  return {e.value.value(), e.low.value(), e.high.value(), e.samples, e.method};
}
template <class Q>
Estimate<Q> as(const Estimate<double>& e) {
  return {Q(e.value), Q(e.low), Q(e.high), e.samples, e.method};
}
template <int S, int B, int F>
Json to_json(const Estimate<Quantity<S, B, F>>& estimate) {
  return to_json(bare(estimate));
}

}  // namespace roofbeam
