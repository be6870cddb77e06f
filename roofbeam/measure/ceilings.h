// SPDX-License-Identifier: Apache-2.0
// Which ceilings there are to measure: a table. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/kernel/data_type.h"

namespace roofbeam {

// How much is measured: quick is what verdicts need (10 s with the libraries), normal adds every
// access of every memory and the size sweep, thorough repeats more and adds what only few ask for.
enum class Effort { quick, normal, thorough };

enum class Scope {
  core_and_all,  // .core and .all, the first with one worker
  all,           // .all only
  core,          // .core only
  none,          // no scope in its name: one worker (latency), two (wake) or all (barrier)
};

struct CeilingRow {
  std::string_view stem;    // canonical name without its scope: compute.f32.fma
  std::string_view kernel;  // of the kernel table
  DataType dtype;
  std::string_view unit;    // flop_per_s, bytes_per_s or s
  std::string_view memory;  // l1, l2, l3 or dram; empty for arithmetic and overheads
  Effort from;              // the least effort that measures it
  Scope scope;              // in quick; otherwise core_and_all where it has scopes
};
const std::vector<CeilingRow>& ceiling_rows();

// The part of a name that classes share: compute, bandwidth, gemm, latency, overhead.
std::string class_of(std::string_view ceiling);

// The ceilings whose sustained rate is measured, one a class; others of it are inferred.
const std::vector<std::string_view>& sustained_stems();

}  // namespace roofbeam
