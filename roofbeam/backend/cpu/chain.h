// SPDX-License-Identifier: Apache-2.0
// Arithmetic in registers: independent accumulators, each changed by one instruction a half step.
// Enough of them hide the latency; they must never leave the registers.
#pragma once

#include <cstdint>

#include "roofbeam/kernel/data_type.h"

namespace roofbeam {

// What an accumulator x goes through in a step of two halves, after which it is where it began but
// for rounding: values stay normal, and no half repeats the operands of the other.
enum class ChainForm {
  fma,  // x ← x·r0 + r1, then x ← x·r2 + r3          (r2 = 1/r0, r3 = −r1/r0)
  add,  // x ← x + r1, then x ← x + r3                (r3 = −r1)
  any,  // the first `multiplied` accumulators as fma, the others as add with r1 and −r1 (row 4)
  dot,  // x ← x + Σ r0·r1, then x ← x + Σ r0·r2      (r2 = −r1), pairs of bf16 or fours of int8
};

// Takes `steps` from `initial` and writes where it got to. initial, result: accumulators · lanes
// elements. constants: kConstantRows rows of `lanes` elements, aligned to 64 bytes.
// bf16 elements of constants are pairs in 32 bits, accumulators f32. int8: r0 four unsigned, r1 and
// r2 four signed bytes in 32 bits, accumulators 32-bit integers.
using ChainBlock = void (*)(std::int64_t steps, const void* constants, const void* initial,
                            void* result);

constexpr int kConstantRows = 5;

struct ChainKernel {
  ChainBlock block;
  ChainForm form;
  int accumulators;    // vectors
  int multiplied;      // of those, how many do multiply-adds (form any)
  int lanes;           // elements of one accumulator
  int flops_per_step;  // of both halves, all accumulators and lanes
};

}  // namespace roofbeam
