// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "roofbeam/stats/estimate.h"
#include "roofbeam/stats/next_run.h"
#include "roofbeam/stats/restarts.h"
#include "roofbeam/stats/robust.h"
#include "roofbeam/stats/stopping.h"
#include "roofbeam/stats/student.h"

namespace roofbeam {
namespace {

TEST(Robust, MedianAndQuantilesInterpolate) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile({0, 10, 20, 30, 40}, 0.1), 4);
  EXPECT_EQ(quantile({5}, 0.9), 5);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Robust, OneOutlierMovesTheMedianLittle) {
  EXPECT_EQ(median({1, 1, 1, 1, 1000}), 1);
}

TEST(Robust, StandardDeviationDividesByOneLess) {
  EXPECT_DOUBLE_EQ(standard_deviation({2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7));
  EXPECT_EQ(standard_deviation({3}), 0);
}

// Table values: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
TEST(Student, PublishedQuantiles) {
  EXPECT_NEAR(student_two_sided(0.95, 4), 2.776, 0.0005);
  EXPECT_NEAR(student_two_sided(0.95, 1), 12.706, 0.0005);
  EXPECT_NEAR(student_two_sided(0.99, 10), 3.169, 0.0005);
}

// Draws from the definition, with a generator of our own so that every library gives the same.
class Normals {
 public:
  double next() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(state_ >> 11) + 0.5) * 0x1p-53;
  }
  std::uint64_t state_ = 1;
};

double covered_by_factor(int count, Normals& normals) {
  constexpr int kPairs = 40000;
  int covered = 0;
  std::vector<double> one(static_cast<std::size_t>(count));
  std::vector<double> other(one.size());
  for (int pair = 0; pair < kPairs; ++pair) {
    for (double& figure : one) figure = normals.next();
    for (double& figure : other) figure = normals.next();
    const double reach = next_run_factor(count) * standard_deviation(one);
    if (std::abs(median(other) - median(one)) <= reach) ++covered;
  }
  return covered / static_cast<double>(kPairs);
}

TEST(NextRun, TheMedianOfAsManyOthersLiesWithinTheFactor19TimesIn20) {
  Normals normals;
  // Four standard errors of 40,000 pairs are 0.0044.
  for (int count : {2, 3, 5, 6, 9, 20}) {
    EXPECT_NEAR(covered_by_factor(count, normals), 0.95, 0.0044) << count;
  }
}

TEST(NextRun, AboveTheTableTheIntervalIsALittleTooWide) {
  Normals normals;
  EXPECT_NEAR(covered_by_factor(21, normals), 0.953, 0.0044);
}

TEST(NextRun, OfTwoFiguresTheMedianIsTheMeanAndTheFactorStudents) {
  EXPECT_NEAR(next_run_factor(2), student_two_sided(0.95, 1), 0.0005);
}

TEST(Restarts, TheIntervalIsThatOfTheMedianOfAsManyOthers) {
  // Logarithms ln 100 ± 0.01: s = 0.01, n = 3, K = 3.845.
  const std::vector<double> figures = {100 * std::exp(-0.01), 100, 100 * std::exp(0.01)};
  const auto estimate = estimate_of_restarts(figures, Method::best);
  EXPECT_NEAR(estimate.value, 100, 1e-12);
  EXPECT_NEAR(estimate.low, 100 * std::exp(-0.03845), 1e-6);
  EXPECT_NEAR(estimate.high, 100 * std::exp(0.03845), 1e-6);
  EXPECT_EQ(estimate.samples, 3);
  EXPECT_EQ(estimate.method, Method::best);
}

TEST(Restarts, AStepOfTheClockWidensBothEndsAndNeverBelowZero) {
  EXPECT_EQ(estimate_of_restarts({7, 7, 7}, Method::median, 0.5),
            (Estimate<double>{7, 6.5, 7.5, 3, Method::median}));
  EXPECT_EQ(estimate_of_restarts({7, 7, 7}, Method::median, 8),
            (Estimate<double>{7, 0, 15, 3, Method::median}));
}

TEST(Restarts, EqualFiguresGiveNoWidthAndOneFigureNoInterval) {
  EXPECT_EQ(estimate_of_restarts({7, 7, 7}, Method::median),
            (Estimate<double>{7, 7, 7, 3, Method::median}));
  EXPECT_EQ(estimate_of_restarts({7}, Method::median),
            (Estimate<double>{7, 7, 7, 1, Method::median}));
}

TEST(Estimate, DividingTakesTheEndsThatMakeItSmallestAndLargest) {
  const Estimate<Seconds> a{Seconds(4), Seconds(2), Seconds(6), 5, Method::median};
  const Estimate<Seconds> b{Seconds(2), Seconds(1), Seconds(3), 3, Method::median};
  EXPECT_EQ(a / b, (Estimate<double>{2, 2.0 / 3, 6, 3, Method::predicted}));
  const Estimate<ByteRate> rate{ByteRate(4), ByteRate(2), ByteRate(8), 5, Method::best};
  EXPECT_EQ(divide(Bytes(8), rate),
            (Estimate<Seconds>{Seconds(2), Seconds(1), Seconds(4), 5, Method::best}));
}

TEST(Estimate, OverlapCountsTouchingEnds) {
  const Estimate<double> a{2, 1, 3, 5, Method::median};
  EXPECT_TRUE(overlap(a, Estimate<double>{4, 3, 5, 5, Method::median}));
  EXPECT_FALSE(overlap(a, Estimate<double>{4, 3.1, 5, 5, Method::median}));
}

TEST(Estimate, ReadsBackEqualAndRefusesDisorder) {
  const Estimate<double> estimate{2, 1, 3, 5, Method::fit};
  const Json json = Json::object({{"e", to_json(estimate)}});
  JsonReader reader(json, "f");
  EXPECT_EQ(estimate_from(reader, "e"), estimate);
  EXPECT_EQ(reader.error(), nullptr);
  const Json wrong = Json::object({{"e", to_json(Estimate<double>{0, 1, 3, 5, Method::fit})}});
  JsonReader other(wrong, "f");
  estimate_from(other, "e");
  ASSERT_NE(other.error(), nullptr);
}

TEST(Stopping, EndsWhenNarrowOrSpentAndNeverBeforeTheLeast) {
  const StoppingRule rule{5, 100, Seconds(1), 0.01};
  EXPECT_FALSE(enough(rule, {1, 1, 1, 1}, Seconds(9)));
  EXPECT_TRUE(enough(rule, {1, 1, 1, 1, 1}, Seconds(0)));
  EXPECT_FALSE(enough(rule, {1, 2, 3, 4, 5}, Seconds(0.9)));
  EXPECT_TRUE(enough(rule, {1, 2, 3, 4, 5}, Seconds(1)));
  EXPECT_TRUE(enough({1, 3, Seconds(9), 0}, {1, 2, 3}, Seconds(0)));
}

}  // namespace
}  // namespace roofbeam
