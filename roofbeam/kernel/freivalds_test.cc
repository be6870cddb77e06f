// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/freivalds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

// Operands as f32 values (already rounded where the type is bf16), and a product of them.
struct Product {
  Shape shape;
  DataType type;
  std::vector<float> a, b, c;

  float& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i * shape.n + j)]; }
};

std::vector<float> operand(Operand which, DataType type, Operands operands, std::uint64_t seed,
                           std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_operand(which, DataType::f32, operands, seed, 0, count, values.data());
  if (type == DataType::bf16) {
    for (float& value : values) value = float_from_bf16(bf16_from_float(value));
  }
  return values;
}

// One f32 accumulator an element, in order: the order that errs most.
void multiply(Product& p, const std::vector<float>& a, const std::vector<float>& b) {
  p.c.assign(static_cast<std::size_t>(p.shape.m * p.shape.n), 0.0f);
  for (std::int64_t i = 0; i < p.shape.m; ++i) {
    for (std::int64_t l = 0; l < p.shape.k; ++l) {
      const float left = a[static_cast<std::size_t>(i * p.shape.k + l)];
      const float* row = &b[static_cast<std::size_t>(l * p.shape.n)];
      for (std::int64_t j = 0; j < p.shape.n; ++j) p.at(i, j) += left * row[j];
    }
  }
}

Product make(Shape shape, DataType type, std::uint64_t seed, Operands operands = Operands::random) {
  Product p{shape,
            type,
            operand(Operand::a, type, operands, seed, shape.m * shape.k),
            operand(Operand::b, type, operands, seed, shape.k * shape.n),
            {}};
  multiply(p, p.a, p.b);
  return p;
}

std::vector<std::uint16_t> narrow(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (float value : values) bits.push_back(bf16_from_float(value));
  return bits;
}

Check check(const Product& p, std::uint64_t seed) {
  const Shape& s = p.shape;
  if (p.type == DataType::f32) {
    return check_product({p.a.data(), s.m, s.k}, {p.b.data(), s.k, s.n}, {p.c.data(), s.m, s.n},
                         seed);
  }
  const auto a = narrow(p.a), b = narrow(p.b), c = narrow(p.c);
  return check_product({a.data(), s.m, s.k, Element::bf16}, {b.data(), s.k, s.n, Element::bf16},
                       {c.data(), s.m, s.n, Element::bf16}, seed);
}

constexpr DataType kTypes[] = {DataType::f32, DataType::bf16};

TEST(Freivalds, NeverRefusesACorrectProduct) {
  double largest = 0;
  for (DataType type : kTypes) {
    for (std::int64_t k : {1, 2, 3, 7, 16, 64, 100, 512, 1024, 4096, 8192}) {
      for (std::uint64_t seed = 0; seed < (k > 1000 ? 20u : 150u); ++seed) {
        const Shape shape{1 + static_cast<std::int64_t>(seed * 7 % 33),
                          1 + static_cast<std::int64_t>(seed * 11 % 40), k};
        const Check found = check(make(shape, type, seed), seed);
        ASSERT_TRUE(found.passed) << name(type) << " k " << k << " seed " << seed << ": "
                                  << found.complaint;
        largest = std::max(largest, found.error);
      }
    }
  }
  RecordProperty("largest_error", std::to_string(largest));
  EXPECT_GT(largest, 0.2);  // a tolerance nothing comes near would be a loose one
}

TEST(Freivalds, NeverRefusesACorrectProductOfConstants) {
  for (DataType type : kTypes) {
    for (std::int64_t k = 1; k <= 8192; k = k * 3 + 1) {
      const Check found = check(make({9, 10, k}, type, 1, Operands::constant), 5);
      EXPECT_TRUE(found.passed) << name(type) << " k " << k << ": " << found.complaint;
    }
    EXPECT_TRUE(check(make({9, 10, 8192}, type, 1, Operands::constant), 5).passed);
  }
}

TEST(Freivalds, SaysHowItChecked) {
  const Check found = check(make({8, 8, 8}, DataType::f32, 1), 1);
  EXPECT_EQ(found.how, "Freivalds, 2 random vectors from each side");
  EXPECT_EQ(found.complaint, "");
}

// Every fault a library has been seen to make, on many seeds and sizes: none may pass.
template <class Damage>
void expect_caught(const char* what, Damage damage) {
  for (DataType type : kTypes) {
    for (Shape shape : {Shape{24, 24, 24}, Shape{96, 96, 1}, Shape{64, 80, 96}, Shape{200, 200, 50},
                        Shape{33, 257, 1024}}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Product p = make(shape, type, seed);
        damage(p);
        const Check found = check(p, seed + 100);
        ASSERT_FALSE(found.passed) << what << ", " << name(type) << ", m " << shape.m << ", n "
                                   << shape.n << ", k " << shape.k << ", seed " << seed;
        ASSERT_NE(found.complaint, "");
      }
    }
  }
}

TEST(Freivalds, SeesABlockLeftZero) {
  expect_caught("block zero", [](Product& p) {
    for (std::int64_t i = 8; i < 16; ++i) {
      for (std::int64_t j = 8; j < 24; ++j) p.at(i, j) = 0;
    }
  });
}

TEST(Freivalds, SeesExchangedRows) {
  expect_caught("rows exchanged", [](Product& p) {
    for (std::int64_t j = 0; j < p.shape.n; ++j) std::swap(p.at(2, j), p.at(11, j));
  });
}

TEST(Freivalds, SeesOneScaledColumn) {
  expect_caught("column scaled", [](Product& p) {
    for (std::int64_t i = 0; i < p.shape.m; ++i) p.at(i, 5) *= 1.5f;
  });
}

TEST(Freivalds, SeesOneScaledRow) {
  expect_caught("row scaled", [](Product& p) {
    for (std::int64_t j = 0; j < p.shape.n; ++j) p.at(5, j) *= 1.5f;
  });
}

TEST(Freivalds, SeesAHalfOfKLeftOut) {
  expect_caught("half of k", [](Product& p) {
    std::vector<float> a = p.a;
    for (std::int64_t i = 0; i < p.shape.m; ++i) {
      for (std::int64_t l = p.shape.k / 2; l < p.shape.k; ++l) {
        a[static_cast<std::size_t>(i * p.shape.k + l)] = 0;
      }
    }
    multiply(p, a, p.b);
  });
}

TEST(Freivalds, SeesSomethingNotFinite) {
  for (float value : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF, -HUGE_VALF}) {
    expect_caught("not finite", [value](Product& p) { p.at(3, 4) = value; });
  }
}

TEST(Freivalds, SeesATransposedB) {
  for (DataType type : kTypes) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Product p = make({24, 24, 24}, type, seed);
      std::vector<float> turned(p.b.size());
      for (std::size_t l = 0; l < 24; ++l) {
        for (std::size_t j = 0; j < 24; ++j) turned[j * 24 + l] = p.b[l * 24 + j];
      }
      multiply(p, p.a, turned);
      ASSERT_FALSE(check(p, seed).passed) << name(type) << " seed " << seed;
    }
  }
}

TEST(Freivalds, SeesF32OperandsRoundedToTf32) {
  for (std::int64_t k : {16, 256, 8192}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Product p = make({40, 40, k}, DataType::f32, seed);
      auto rounded = [](std::vector<float> values) {
        for (float& value : values) {
          const float shifted = value * 8193.0f;  // Dekker's split: 24 - 13 bits stay
          value = shifted - (shifted - value);
        }
        return values;
      };
      multiply(p, rounded(p.a), rounded(p.b));
      ASSERT_FALSE(check(p, seed).passed) << "k " << k << " seed " << seed;
    }
  }
}

// The size the header promises is sure to be seen, wherever the element lies.
TEST(Freivalds, SeesOneWrongElementOfThePromisedSize) {
  constexpr std::int64_t kSide = 256;
  Product p = make({kSide, kSide, kSide}, DataType::f32, 1);
  double squares = 0;
  for (float value : p.c) squares += static_cast<double>(value) * value;
  const double usual = std::sqrt(squares / (kSide * kSide));
  const auto wrong =
      static_cast<float>(2 * 4.8e-7 * std::sqrt(2.0 * kSide + 1) * std::sqrt(kSide) * usual);
  for (std::int64_t at : {0, 17, 255}) {
    Product damaged = p;
    damaged.at(at, 255 - at) += wrong;
    EXPECT_FALSE(check(damaged, 3).passed) << at;
    damaged.at(at, 255 - at) -= wrong * 0.9f;
    EXPECT_TRUE(check(damaged, 3).passed) << at;
  }
}

TEST(Freivalds, NamesTheLineThatIsWrong) {
  Product p = make({32, 32, 32}, DataType::f32, 1);
  p.at(7, 9) += 1000;
  const Check found = check(p, 1);
  EXPECT_TRUE(found.complaint.rfind("row 7 of the product is off by ", 0) == 0 ||
              found.complaint.rfind("column 9 of the product is off by ", 0) == 0)
      << found.complaint;
}

TEST(Freivalds, RefusesMatricesThatDoNotFit) {
  const std::vector<float> data(100, 1.0f);
  const MatrixView a{data.data(), 2, 3};
  const Check unfit = check_product(a, a, a, 1);
  EXPECT_EQ(std::make_pair(unfit.passed, unfit.complaint),
            std::make_pair(false, std::string("the shapes of the matrices do not fit together")));
  EXPECT_EQ(check_product(a, {data.data(), 3, 0}, a, 1).complaint, "an empty matrix");
}

// A product in any type, each element summed in `Sum`, and its elements as they lie in memory.
template <class A, class B, class C, class Sum>
struct Typed {
  Shape shape;
  DataType type;
  std::vector<A> a;
  std::vector<B> b;
  std::vector<C> c;

  Typed(Shape of, DataType dtype, std::uint64_t seed, Operands operands = Operands::random)
      : shape(of), type(dtype) {
    a.resize(static_cast<std::size_t>(of.m * of.k));
    b.resize(static_cast<std::size_t>(of.k * of.n));
    c.resize(static_cast<std::size_t>(of.m * of.n));
    fill_operand(Operand::a, dtype, operands, seed, 0, of.m * of.k, a.data());
    fill_operand(Operand::b, dtype, operands, seed, 0, of.k * of.n, b.data());
  }
  template <class Load, class Store>
  void multiply(Load load, Store store) {
    for (std::size_t at = 0; at < c.size(); ++at) {
      const std::size_t i = at / static_cast<std::size_t>(shape.n);
      const std::size_t j = at % static_cast<std::size_t>(shape.n);
      Sum sum = 0;
      for (std::size_t l = 0; l < static_cast<std::size_t>(shape.k); ++l) {
        sum += load(a[i * static_cast<std::size_t>(shape.k) + l]) *
               load(b[l * static_cast<std::size_t>(shape.n) + j]);
      }
      c[at] = store(sum);
    }
  }
  Check check(std::uint64_t seed) const {
    const ProductElements elements = product_elements(type);
    return check_product({a.data(), shape.m, shape.k, elements.a},
                         {b.data(), shape.k, shape.n, elements.b},
                         {c.data(), shape.m, shape.n, elements.c}, seed);
  }
};
using F64Product = Typed<double, double, double, double>;
using F16Product = Typed<std::uint16_t, std::uint16_t, std::uint16_t, float>;
using Int8Product = Typed<std::uint8_t, std::int8_t, std::int32_t, std::int32_t>;

F64Product f64_product(Shape shape, std::uint64_t seed) {
  F64Product p(shape, DataType::f64, seed);
  p.multiply([](double v) { return v; }, [](double v) { return v; });
  return p;
}
Int8Product int8_product(Shape shape, std::uint64_t seed, Operands operands = Operands::random) {
  Int8Product p(shape, DataType::int8, seed, operands);
  p.multiply([](auto v) { return std::int32_t{v}; }, [](std::int32_t v) { return v; });
  return p;
}

constexpr Shape kOddShapes[] = {{1, 1, 1},    {1, 90, 7},    {90, 1, 7},    {17, 31, 13},
                                {64, 64, 64}, {9, 300, 500}, {300, 9, 500}, {20, 20, 4096}};

TEST(Freivalds, NeverRefusesACorrectProductInF64AndF16AndInt8) {
  for (const Shape& shape : kOddShapes) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      EXPECT_LE(f64_product(shape, seed).check(seed).error, 1) << shape.n << " seed " << seed;
      F16Product half(shape, DataType::f16, seed);
      half.multiply(float_from_f16, f16_from_float);
      EXPECT_LE(half.check(seed).error, 1) << shape.n << " seed " << seed;
      const Check exact = int8_product(shape, seed).check(seed);
      EXPECT_EQ(exact.error, 0) << shape.n << " seed " << seed;
      EXPECT_EQ(exact.how, "Freivalds, 2 random vectors from each side, exact");
    }
  }
  EXPECT_TRUE(int8_product({40, 50, 60}, 1, Operands::constant).check(1).passed);
}

TEST(Freivalds, SeesF64SummedInF32) {
  F64Product p({50, 60, 70}, DataType::f64, 1);
  p.multiply([](double v) { return static_cast<double>(static_cast<float>(v)); },
             [](double v) { return v; });
  const Check check = p.check(1);
  EXPECT_FALSE(check.passed);
  EXPECT_GT(check.error, 1e5);
}

TEST(Freivalds, SeesOneWholeNumberOffByOne) {
  for (std::size_t at : {std::size_t{0}, std::size_t{1234}, std::size_t{50 * 60 - 1}}) {
    Int8Product p = int8_product({50, 60, 70}, 3);
    ++p.c[at];
    const Check check = p.check(3);
    EXPECT_FALSE(check.passed) << at;
    EXPECT_EQ(check.complaint,
              format("row {} of the product is off by 1, and whole numbers may not be off at all",
                     at / 60));
  }
}

// Two products added in 16 bits saturate where weights have eight bits; ours have seven.
TEST(Freivalds, PairsOfInt8OperandsFitInSixteenBits) {
  const Int8Product p({64, 64, 64}, DataType::int8, 5);
  const auto a = *std::max_element(p.a.begin(), p.a.end());
  const auto [low, high] = std::minmax_element(p.b.begin(), p.b.end());
  EXPECT_EQ(a, 255);
  EXPECT_EQ(*low, -64);
  EXPECT_EQ(*high, 63);
  EXPECT_LE(2 * 255 * 64, 32767);
}

}  // namespace
}  // namespace roofbeam
