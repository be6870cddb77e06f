// SPDX-License-Identifier: Apache-2.0
// What several products beside each other show: how many times as fast, and in sentences. Pure.
#pragma once

#include "roofbeam/answer/matmul_answer.h"

namespace roofbeam {

// Fills `speedups` and `remarks` from the points. Points that differ in
// - threads (and size) are a sweep: each against the one of its size with one thread;
// - operands: constant against random ones;
// - library: each against the first, the fastest.
void compare_points(MatmulAnswer& answer);

}  // namespace roofbeam
