// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/model/expected.h"

#include <gtest/gtest.h>

#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

// 10 flop/s and 4 B/s; a load waits 0.5 s, a wrong guess costs 0.25 s.
Expected machine() {
  Expected made;
  made.roof.arithmetic_ceiling = "compute.f32.fma.all";
  made.roof.arithmetic = {FlopRate(10), FlopRate(8), FlopRate(12), 5, Method::best};
  made.roof.memories = {{"dram", "bandwidth.dram.read.all", exactly(ByteRate(4))}};
  made.latency_ceiling = "latency.dram";
  made.latency = exactly(Seconds(0.5));
  made.wrong_guess = exactly(Seconds(0.25));
  return made;
}

Operation work(double flops, double bytes) {
  Operation made;
  made.name = "work";
  made.dtype = "f32";
  made.flops = Flops(flops);
  made.traffic = {{"dram", Bytes(bytes), Bytes(0)}};
  return made;
}

double seconds(const Operation& operation) {
  const auto time = expected_time(operation, machine());
  EXPECT_TRUE(time) << time.error().what;
  return time ? total(*time).value.value() : 0;
}

TEST(Expected, TheSlowestOfArithmeticBytesAndWaits) {
  EXPECT_DOUBLE_EQ(seconds(work(20, 4)), 2) << "20 flop at 10 flop/s";
  EXPECT_DOUBLE_EQ(seconds(work(20, 12)), 3) << "12 B at 4 B/s";
  Operation waits = work(20, 12);
  waits.waiting_loads = 8;
  EXPECT_DOUBLE_EQ(seconds(waits), 4) << "8 loads of 0.5 s";
}

TEST(Expected, WaitsAreSharedOutOverTheWorkers) {
  Operation guesses = work(20, 4);
  guesses.wrong_guesses = 4;
  Expected two = machine();
  two.workers = 2;
  EXPECT_DOUBLE_EQ(total(*expected_time(guesses, two)).value.value(), 2.5) << "2 s and 2 of 0.25 s";
  Operation waits = work(0, 4);
  waits.waiting_loads = 8;
  EXPECT_DOUBLE_EQ(total(*expected_time(waits, two)).value.value(), 2) << "4 loads of 0.5 s each";
}

TEST(Expected, WrongGuessesComeOnTop) {
  Operation guesses = work(20, 4);
  guesses.wrong_guesses = 4;
  EXPECT_DOUBLE_EQ(seconds(guesses), 3) << "2 s and 4 times 0.25 s";
}

TEST(Expected, WhatNoThroughputTellsHasNoTimeAndSaysWhy) {
  Operation chain = work(20, 0);
  chain.arithmetic = kChain;
  EXPECT_EQ(expected_time(chain, machine()).error().code, ErrorCode::cannot_tell);
  Operation uncounted = work(0, 12);
  uncounted.arithmetic = kUncounted;
  const auto none = expected_time(uncounted, machine());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("take 3 s"), std::string::npos) << none.error().what;
  Operation waits = work(20, 12);
  waits.waiting_loads = 1;
  Expected without = machine();
  without.latency.reset();
  EXPECT_NE(expected_time(waits, without).error().what.find("latency.dram"), std::string::npos);
}

}  // namespace
}  // namespace roofbeam
