// SPDX-License-Identifier: Apache-2.0
// Is C really A · B? Freivalds' check: multiply both sides by random vectors of ±1, which costs
// matrix-vector products (m·k + k·n + m·n steps) instead of another m·n·k.
//
// Two rounds; each compares C·x with A·(B·x), row by row, and zᵀ·C with (zᵀ·A)·B, column by column,
// in f64. Both sides, because a wrong column stands out in its own sum of m elements, while in a
// row it is one of n.
//
// Tolerance. Let e be the error of each element of a correct C. It has two parts:
// - rounding to the output type: |e_ij| <= u_out · |c_ij|, with u_out = 2^-53 (f64), 2^-24 (f32),
//   2^-11 (f16) or 2^-8 (bf16);
// - accumulation in f32, u = 2^-24 (in f64 for f64, u = 2^-53): every partial sum is rounded, at
// most u times its size. For
//   operands with mean 0 a partial sum is about |a_i|·|b_j| / √k in size, whatever the order of
//   addition; where they have another mean it is at most about |c_ij|. The k roundings differ in
//   sign, so they add as √k: e_ij is about u · √(|a_i|²·|b_j|² + k·c_ij²), |.| being the Euclidean
//   norm.
// The vector was drawn without knowledge of e, so Hoeffding's inequality holds for its signs:
// P(|Σ_j e_ij x_j| > t·|e_i|) <= 2·exp(-t²/2). With t² = 2·ln(4·(m + n) / 10^-9) no row or column
// of either round raises a false alarm, but once in 10^9 checks. So the tolerance of row i is
//   t · √(u_out²·|C_i|² + u²·(k·|C_i|² + |a_i|²·|B|_F²)),   t = 7.4 (n = 64) … 8 (n = 8192)
// and that of a column the same with rows and columns exchanged. Beside √n·|c| (|c|: the usual size
// of an element) it is, for random operands, 0.03·√n·|c| in bf16, and 4.8e-7·√(2k + 1)·√n·|c| in
// f32.
//
// In f64 this check rounds as much as the product: its own sums of n elements of C_i, and of n
// elements of B's rows behind the k products, add u²·(n·|C_i|² + (n/k)·|a_i|²·|B|_F²).
// Products of integers are exact, and so is their check: its sums stay below 2^53 (as long as
// k·n < 2^38). They may not be off by anything.
//
// What is sure to be seen (in doubt: all but 1 in 10^9 runs): one element wrong by more than twice
// the tolerance of its row or column; that is 0.0014·|c| in f32 at n = k = 1024, and 2·|c| in bf16.
// Errors in several elements of a row or column are seen when their root of summed squares is well
// above it: a block left zero, rows exchanged, a transposed operand, a scaled column, f32 operands
// that a library rounded to bf16 or tf32 on the way (k <= 8192). Anything not finite is seen.
// What cannot be seen: errors below the tolerance, such as one element of bf16 wrong by 10 %, or
// bf16 intermediate sums of a few blocks; and, with constant operands, exchanged rows or a
// transposed B. Constant operands whose products are not exact round alike in every step; then the
// sum above does not hold, and a correct product could be refused. `Operands::constant` is exact
// but for the rounding of a bf16 result, which u_out covers.
#pragma once

#include <cstdint>

#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

// A row-major matrix without gaps. `data` outlives the view.
struct MatrixView {
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Element element = Element::f32;
};

// A (m × k), B (k × n), C (m × n). C's element sets the output rounding, and whether it was summed
// in f32, f64 or whole numbers. Another `seed` draws other vectors; they do not depend on operands
// made from the same seed.
Check check_product(const MatrixView& a, const MatrixView& b, const MatrixView& c,
                    std::uint64_t seed);

}  // namespace roofbeam
