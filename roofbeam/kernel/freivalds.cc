// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/freivalds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

constexpr int kRounds = 2;
constexpr double kFalseAlarms = 1e-9;   // of a correct product, at most
constexpr double kExact = 0.5;          // whole numbers differ by nothing or by at least 1
constexpr double kLargestRatio = 1e30;  // stands for "infinitely wrong", which JSON cannot say
constexpr std::int64_t kLanes = 4;      // sums kept apart, so that the compiler may use vectors

using Vectors = std::array<std::vector<double>, kRounds>;  // one a round

// What one pass over a matrix V finds. `right` is V·x and `left` zᵀ·V.
struct Sweep {
  Vectors right;
  Vectors left;
  std::vector<double> row_squares;     // |V_i|²; with `right`
  std::vector<double> column_squares;  // |V_j|²; with `left`
};

Vectors random_signs(std::int64_t count, std::uint64_t key) {
  Vectors signs;
  for (std::vector<double>& vector : signs) {
    vector.resize(static_cast<std::size_t>(count));
    std::uint64_t word = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % 64 == 0) word = key = mix(key);
      vector[static_cast<std::size_t>(i)] = (word & 1) != 0 ? 1.0 : -1.0;
      word >>= 1;
    }
  }
  return signs;
}

struct RowSums {
  double dot[kRounds] = {};
  double squares = 0;
};

template <class T>
RowSums row_sums(const T* row, std::int64_t count, const double* x0, const double* x1) {
  double dot0[kLanes] = {}, dot1[kLanes] = {}, squares[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(row[j + lane]);
      dot0[lane] += value * x0[j + lane];
      dot1[lane] += value * x1[j + lane];
      squares[lane] += value * value;
    }
  }
  for (; j < count; ++j) {
    const auto value = static_cast<double>(row[j]);
    dot0[0] += value * x0[j];
    dot1[0] += value * x1[j];
    squares[0] += value * value;
  }
  RowSums sums;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    sums.dot[0] += dot0[lane];
    sums.dot[1] += dot1[lane];
    sums.squares += squares[lane];
  }
  return sums;
}

template <class T>
void add_to_columns(const T* row, std::int64_t count, double z0, double z1,
                    double* __restrict left0, double* __restrict left1,
                    double* __restrict squares) {
  for (std::int64_t j = 0; j < count; ++j) {
    const auto value = static_cast<double>(row[j]);
    left0[j] += z0 * value;
    left1[j] += z1 * value;
    squares[j] += value * value;
  }
}

// One pass over rows that `row_of` hands out. An empty vector leaves out its side.
template <class RowOf>
Sweep sweep_rows(const MatrixView& matrix, const Vectors& x, const Vectors& z, RowOf row_of) {
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto columns = static_cast<std::size_t>(matrix.columns);
  const bool with_right = !x[0].empty();
  const bool with_left = !z[0].empty();
  Sweep found;
  if (with_right) {
    for (auto& vector : found.right) vector.resize(rows);
    found.row_squares.resize(rows);
  }
  if (with_left) {
    for (auto& vector : found.left) vector.resize(columns);
    found.column_squares.resize(columns);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto* row = row_of(i);
    if (with_right) {
      const RowSums sums = row_sums(row, matrix.columns, x[0].data(), x[1].data());
      for (std::size_t r = 0; r < kRounds; ++r) found.right[r][i] = sums.dot[r];
      found.row_squares[i] = sums.squares;
    }
    if (with_left) {
      add_to_columns(row, matrix.columns, z[0][i], z[1][i], found.left[0].data(),
                     found.left[1].data(), found.column_squares.data());
    }
  }
  return found;
}

template <class T>
Sweep sweep_as(const MatrixView& matrix, const Vectors& x, const Vectors& z) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  const auto* data = static_cast<const T*>(matrix.data);
  return sweep_rows(matrix, x, z, [=](std::size_t i) { return data + i * columns; });
}

Sweep sweep_halves(const MatrixView& matrix, const Vectors& x, const Vectors& z) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  const auto* data = static_cast<const std::uint16_t*>(matrix.data);
  std::vector<float> row(columns);
  return sweep_rows(matrix, x, z, [&](std::size_t i) {
    const std::uint16_t* from = data + i * columns;
    if (matrix.element == Element::bf16) {
      floats_from_bf16(from, matrix.columns, row.data());
    } else {
      std::transform(from, from + columns, row.begin(), float_from_f16);
    }
    return std::as_const(row).data();
  });
}

Sweep sweep(const MatrixView& matrix, const Vectors& x, const Vectors& z) {
  switch (matrix.element) {
    case Element::f64:
      return sweep_as<double>(matrix, x, z);
    case Element::bf16:
    case Element::f16:
      return sweep_halves(matrix, x, z);
    case Element::u8:
      return sweep_as<std::uint8_t>(matrix, x, z);
    case Element::s8:
      return sweep_as<std::int8_t>(matrix, x, z);
    case Element::s32:
      return sweep_as<std::int32_t>(matrix, x, z);
    default:
      return sweep_as<float>(matrix, x, z);
  }
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += value;
  return total;
}

struct Worst {
  double ratio = 0;
  std::string place;  // "row 17"

  void see(double difference, double tolerance, const char* kind, std::size_t index) {
    if (difference == 0) return;  // also where the tolerance is 0
    double found = std::fabs(difference) / tolerance;
    if (!(found < kLargestRatio)) found = kLargestRatio;  // NaN too
    if (found <= ratio) return;
    ratio = found;
    place = format("{} {}", kind, index);
  }
};

// How far sums over a line (a row, or a column) of C may be off.
struct Tolerance {
  double t = 0;       // standard deviations
  double output = 0;  // unit roundoff of C's elements, and of the sums behind them
  double sums = 0;
  double k = 0;
  bool own = false;  // the check's own rounding counts too

  // `line` and `inner`: squares of the line of C, and of its line of A or B; `other`: of all the
  // other one; `length`: elements in the line.
  double of(double line, double inner, double other, double length) const {
    if (sums == 0) return kExact;
    const double rounding = output * output * line;
    double squares = k * line + inner * other;
    if (own) squares += length * line + length / k * inner * other;
    return t * std::sqrt(rounding + sums * sums * squares);
  }
};

std::string shape_complaint(const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  for (const MatrixView* view : {&a, &b, &c}) {
    if (view->rows < 1 || view->columns < 1 || view->data == nullptr) return "an empty matrix";
  }
  if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns) {
    return "the shapes of the matrices do not fit together";
  }
  return "";
}

}  // namespace

Check check_product(const MatrixView& a, const MatrixView& b, const MatrixView& c,
                    std::uint64_t seed) {
  Check check;
  check.how = format("Freivalds, {} random vectors from each side", kRounds);
  check.complaint = shape_complaint(a, b, c);
  check.error = kLargestRatio;
  if (!check.complaint.empty()) return check;

  const std::uint64_t key = mix(seed ^ 0x46726569'76616C64);  // apart from the operands' keys
  const Vectors x = random_signs(c.columns, key);
  const Vectors z = random_signs(c.rows, mix(key + 1));
  const Sweep of_b = sweep(b, x, {});
  const Sweep of_a = sweep(a, of_b.right, z);
  const Sweep left_of_b = sweep(b, {}, of_a.left);
  const Sweep of_c = sweep(c, x, z);

  const double rows = static_cast<double>(c.rows);
  const double columns = static_cast<double>(c.columns);
  const double lines = rows + columns;
  const bool whole = c.element == Element::s32;
  const bool wide = c.element == Element::f64;
  const Tolerance tolerance{std::sqrt(2 * std::log(2 * kRounds * lines / kFalseAlarms)),
                            facts(c.element).unit_roundoff,
                            whole ? 0 : facts(wide ? Element::f64 : Element::f32).unit_roundoff,
                            static_cast<double>(a.columns), wide};
  const double all_a = sum(of_a.row_squares);
  const double all_b = sum(of_b.row_squares);
  Worst worst;
  for (std::size_t r = 0; r < kRounds; ++r) {
    for (std::size_t i = 0; i < of_c.row_squares.size(); ++i) {
      worst.see(of_c.right[r][i] - of_a.right[r][i],
                tolerance.of(of_c.row_squares[i], of_a.row_squares[i], all_b, columns), "row", i);
    }
    for (std::size_t j = 0; j < of_c.column_squares.size(); ++j) {
      worst.see(of_c.left[r][j] - left_of_b.left[r][j],
                tolerance.of(of_c.column_squares[j], left_of_b.column_squares[j], all_a, rows),
                "column", j);
    }
  }
  check.error = worst.ratio;
  check.passed = worst.ratio <= 1;
  if (whole) check.how += ", exact";
  if (!check.passed && whole) {
    check.complaint =
        format("{} of the product is off by {}, and whole numbers may not be off at all",
               worst.place, show_number(worst.ratio * kExact));
  } else if (!check.passed) {
    check.complaint =
        worst.ratio == kLargestRatio
            ? format("{} of the product holds something that is not finite, or nothing",
                     worst.place)
            : format("{} of the product is off by {} times what rounding explains", worst.place,
                     show_number(worst.ratio));
  }
  return check;
}

}  // namespace roofbeam
