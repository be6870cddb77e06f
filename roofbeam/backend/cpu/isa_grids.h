// SPDX-License-Identifier: Apache-2.0
// Kernels that take a grid row by row, for isa_*.cc alone; of internal linkage for the reason in
// isa_body.h.
//
// S is that of isa_rows.h.
#pragma once

#include <cstdint>

#include "roofbeam/backend/cpu/isa_rows.h"

namespace roofbeam {
namespace {

// e^x for x <= 0, to 3 units in the last place: x = n · ln 2 + r, and the polynomial of r that is
// nearest on ±ln 2 / 2 (Remez; 7.5e-8). Below -87 it stays what it is there, a normal number.
template <class S>
typename S::Vector exponential(typename S::Vector x) {
  using V = typename S::Vector;
  constexpr float kLeast = -87;
  constexpr float kShift = 12582912;  // 1.5 · 2^23: adding it rounds to an integer
  x = S::greater(x, S::splat(kLeast));
  const V shifted = S::fma(x, S::splat(1.44269504F), S::splat(kShift));
  const V n = S::sub(shifted, S::splat(kShift));
  const V r = S::fma(n, S::splat(-0.69314718F), x);  // what ln 2 is rounded by matters from -40 on
  V p = S::splat(0.00829761947F);
  p = S::fma(p, r, S::splat(0.0419156293F));
  p = S::fma(p, r, S::splat(0.166675765F));
  p = S::fma(p, r, S::splat(0.499988927F));
  p = S::fma(p, r, S::splat(0.999999691F));
  p = S::fma(p, r, S::splat(1.00000007F));
  return S::times_power(p, shifted);
}

template <class S>
void softmax(const GridArrays& arrays) {
  using V = typename S::Vector;
  for (std::int64_t row = 0; row < arrays.rows; ++row) {
    const float* const in = arrays.in + row * arrays.stride;
    float* const out = arrays.out + row * arrays.stride;
    V sums[kRowSums];
    constexpr float kLess = -3.4e38F;
    fill<S>(sums, kLess);
    over_row<S>(
        arrays.columns,
        [&](std::int64_t i, int s) { sums[s] = S::greater(sums[s], S::load(in + i)); },
        [&](std::int64_t i, std::int64_t count) {
          sums[0] = S::greater(sums[0], load_left<S>(in + i, count, kLess));
        });
    const V top = S::splat(greatest<S>(sums));
    fill<S>(sums, 0);
    over_row<S>(
        arrays.columns,
        [&](std::int64_t i, int s) {
          // The next row comes while this one is computed: a tenth more from memory. (The others
          // gain nothing by it.)
          __builtin_prefetch(in + i + arrays.stride);
          const V e = exponential<S>(S::sub(S::load(in + i), top));
          S::store(out + i, e);
          sums[s] = S::add(sums[s], e);
        },
        [&](std::int64_t i, std::int64_t count) {
          const V e = exponential<S>(S::sub(load_left<S>(in + i, count, kLess), top));
          store_left<S>(out + i, count, e);
          sums[0] = S::add(sums[0], load_left<S>(out + i, count, 0));
        });
    const V scale = S::splat(1 / total<S>(sums));
    over_row<S>(
        arrays.columns,
        [&](std::int64_t i, int) { S::store(out + i, S::mul(S::load(out + i), scale)); },
        [&](std::int64_t i, std::int64_t count) {
          store_left<S>(out + i, count, S::mul(load_left<S>(out + i, count, 0), scale));
        });
  }
}

// The sums are of what elements are above the row's first, so that little is left to cancel in
// mean of squares − square of the mean, whatever the mean is.
template <class S>
void layer_norm(const GridArrays& arrays) {
  using V = typename S::Vector;
  const float count = static_cast<float>(arrays.columns);
  for (std::int64_t row = 0; row < arrays.rows; ++row) {
    const float* const in = arrays.in + row * arrays.stride;
    float* const out = arrays.out + row * arrays.stride;
    const V first = S::splat(in[0]);
    V sums[kRowSums];
    V squares[kRowSums];
    fill<S>(sums, 0);
    fill<S>(squares, 0);
    const auto add = [&](V x, int s) {
      const V above = S::sub(x, first);
      sums[s] = S::add(sums[s], above);
      squares[s] = S::fma(above, above, squares[s]);
    };
    over_row<S>(
        arrays.columns, [&](std::int64_t i, int s) { add(S::load(in + i), s); },
        [&](std::int64_t i, std::int64_t left) { add(load_left<S>(in + i, left, in[0]), 0); });
    const float above = total<S>(sums) / count;
    const float variance = total<S>(squares) / count - above * above;
    const V mean = S::splat(in[0] + above);
    const V scale =
        S::splat(1 / __builtin_sqrtf((variance > 0 ? variance : 0) + kLayerNormEpsilon));
    const auto normal = [&](V x, V gamma, V beta) {
      return S::fma(S::sub(x, mean), S::mul(scale, gamma), beta);
    };
    over_row<S>(
        arrays.columns,
        [&](std::int64_t i, int) {
          S::store(out + i,
                   normal(S::load(in + i), S::load(arrays.gamma + i), S::load(arrays.beta + i)));
        },
        [&](std::int64_t i, std::int64_t left) {
          store_left<S>(
              out + i, left,
              normal(load_left<S>(in + i, left, 0), load_left<S>(arrays.gamma + i, left, 0),
                     load_left<S>(arrays.beta + i, left, 0)));
        });
  }
}

template <class S>
typename S::Vector stencil_point(typename S::Vector centre, typename S::Vector up,
                                 typename S::Vector down, typename S::Vector left,
                                 typename S::Vector right) {
  const typename S::Vector sides = S::add(S::add(up, down), S::add(left, right));
  return S::fma(centre, S::splat(kStencilCentre), S::mul(sides, S::splat(kStencilSide)));
}

// kRows rows at once: each is loaded once for itself and its neighbours.
template <class S, int kRows>
void stencil_rows(const GridArrays& arrays, std::int64_t row) {
  using V = typename S::Vector;
  const float* const in = arrays.in + row * arrays.stride;
  float* const out = arrays.out + row * arrays.stride;
  const std::int64_t stride = arrays.stride;
  V before[kRows];
  V here[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    before[r] = S::load(in + r * stride - S::kLanes);
    here[r] = S::load(in + r * stride);
  }
  std::int64_t i = 0;
  for (; i + S::kLanes <= arrays.columns; i += S::kLanes) {
    V above = S::load(in + i - stride);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const float* const at = in + r * stride + i;
      const V next = S::load(at + S::kLanes);
      const V below = r + 1 < kRows ? here[r + 1] : S::load(at + stride);
      const V centre = here[r];
      S::store(out + r * stride + i,
               stencil_point<S>(centre, above, below, S::left(at, before[r], centre),
                                S::right(at, centre, next)));
      above = centre;
      before[r] = centre;
      here[r] = next;
    }
  }
  if (const std::int64_t count = arrays.columns - i; count > 0) {
    for (int r = 0; r < kRows; ++r) {
      const float* const at = in + r * stride + i;
      const auto load = [count](const float* from) { return load_left<S>(from, count, 0); };
      const V value = stencil_point<S>(load(at), load(at - stride), load(at + stride), load(at - 1),
                                       load(at + 1));
      store_left<S>(out + r * stride + i, count, value);
    }
  }
}

template <class S>
void stencil(const GridArrays& arrays) {
  // Two at once spare loads; from memory rows come faster in their own order.
  constexpr std::int64_t kFar = std::int64_t{16} << 20;
  const bool far = 2 * arrays.rows * arrays.stride * std::int64_t{sizeof(float)} > kFar;
  std::int64_t row = 0;
  for (; !far && row + 2 <= arrays.rows; row += 2) stencil_rows<S, 2>(arrays, row);
  for (; row < arrays.rows; ++row) stencil_rows<S, 1>(arrays, row);
}

template <class S>
constexpr GridRow kAllGrids[] = {
    {"softmax", softmax<S>},
    {"layer_norm", layer_norm<S>},
    {"stencil", stencil<S>},
};

}  // namespace
}  // namespace roofbeam
