// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/conditions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roofbeam {
namespace {

TEST(Conditions, AbsentReadingsStayAbsent) {
  DeviceState before;
  DeviceState after;
  after.at_ns = 1'000'000'000;
  const Conditions conditions = conditions_between(before, after, {{0}, {}});
  EXPECT_EQ(conditions, (Conditions{{0}, {}, {}, {}, {}, {}}));
  EXPECT_TRUE(disturbances(conditions).empty());
}

TEST(Conditions, EachDisturbanceHasItsCode) {
  DeviceState before{0, 0.0, 0.0, 0.0, 0.0, 1.0};
  DeviceState after{1'000'000'000, 2.0, 1.5, 0.1, 0.4, 0.9};
  std::vector<std::string> codes;
  for (const auto& w : disturbances(conditions_between(before, after, {{0, 1}, {}}))) {
    codes.push_back(w.code);
  }
  EXPECT_EQ(codes, (std::vector<std::string>{"neighbour", "steal", "throttled", "clock"}));
}

TEST(Conditions, ACpuIsTakenWhereItsWorkerLostMoreThanTwoPercent) {
  const auto taken = taken_between({0.019, 0.021, 3.0}, 1.0, {{4, 5, 6}, {}});
  EXPECT_EQ(taken, (std::vector<Conditions::Taken>{{5, 0.021}, {6, 1.0}}));
  EXPECT_TRUE(taken_between({}, 1.0, {{4}, {}}).empty()) << "not known";
  EXPECT_TRUE(taken_between({0.5}, 0.0, {{4}, {}}).empty()) << "nothing ran";
  EXPECT_EQ(most_lost({0.1, 0.3}, 2.0), 0.15);
  EXPECT_EQ(most_lost({}, 2.0), 0);
}

TEST(Conditions, TakenCpusAreNamedWorstFirstAndOnce) {
  Conditions conditions;
  conditions.cpus = {0, 1, 2, 3, 4};
  conditions.neighbour_cpus = 1.0;
  conditions.taken = {{1, 0.48}};
  EXPECT_EQ(disturbances(conditions),
            (Warnings{{"neighbour", "something else took 48 % of CPU 1"}}));
  conditions.taken = {{0, 0.1}, {1, 0.48}, {2, 0.2}, {3, 0.05}, {4, 0.03}};
  EXPECT_EQ(disturbances(conditions),
            (Warnings{{"neighbour",
                       "something else took 48 % of CPU 1, 20 % of CPU 2, 10 % of CPU 0 and parts "
                       "of 2 CPUs more"}}));
}

TEST(Conditions, WhatAQuotaExplainsNobodyElseTook) {
  Conditions conditions;
  conditions.cpus = {0, 1};
  conditions.throttled_share = 0.25;
  conditions.taken = {{0, 0.25}, {1, 0.26}};
  const Warnings found = disturbances(conditions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "throttled");
}

}  // namespace
}  // namespace roofbeam
