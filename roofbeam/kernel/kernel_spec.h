// SPDX-License-Identifier: Apache-2.0
// A kernel as data: what it computes and what that costs, as functions of its shape. Bytes are the
// useful bytes, each operand once; write-allocate traffic is another figure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/kernel/data_type.h"

namespace roofbeam {

// matmul: m × k times k × n.
// fma, add, any, dot, fma_chain: n operations on values that stay in registers.
// read, write, copy, triad, vadd, vscale, vdot, branchy: one execution passes over n elements of
//   each array, round and round through arrays of m elements each, all workers' parts together.
// gemv: n × k weights and m vectors of k elements, one after another in memory.
// softmax, layer_norm, stencil: m rows of n elements, all workers' parts together.
// chase: n loads, each from where the one before it says, through m cache lines.
// barrier, wake, branch: n events.
struct Shape {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  // gemv, softmax, layer_norm, stencil: how often one execution computes all of it. The result of a
  // single time is too soon there to be timed.
  std::int64_t repeats = 1;

  bool operator==(const Shape&) const = default;
};

enum class Operands { random, constant };

struct Work {
  Flops flops;
  Bytes bytes_read;
  Bytes bytes_written;
  Bytes footprint;  // memory that must be there at once, however often it is passed over
  // Read again from the innermost cache, where an algorithm uses what it has just used: no memory
  // further out sees it. Beside bytes_read, which are useful ones.
  Bytes read_again{0};
  // What no throughput says anything of, and what it costs is another ceiling's to say:
  double waiting_loads = 0;  // loads whose address is what the load before them brought
  double wrong_guesses = 0;  // branches that no predictor can guess, and that are guessed wrong

  Bytes bytes() const { return bytes_read + bytes_written; }
  bool operator==(const Work&) const = default;
};

struct KernelSpec {
  std::string_view name;
  std::string_view sentence;
  std::vector<DataType> types;
  Work (*work)(const Shape&, DataType);
  // The instructions its flops are made of, which say what ceiling they stand under: fma (dot
  // products of small types where the device has them), add, or any.
  std::string_view arithmetic = "fma";
  // What makes an execution longer and its footprint no larger.
  std::int64_t Shape::*amount = &Shape::n;
};

struct Problem {
  const KernelSpec* spec = nullptr;  // a row of the kernel table
  Shape shape;
  DataType dtype = DataType::f32;
  Operands operands = Operands::random;
  std::uint64_t seed = 1;

  Work work() const {
    Work work = spec->work(shape, dtype);
    if (operands == Operands::constant) work.wrong_guesses = 0;  // every branch goes the same way
    return work;
  }
};

// What a backend found when it compared its result with the reference.
struct Check {
  bool passed = false;
  bool done = true;       // false: nothing was compared, and `how` says why
  std::string how;        // "Freivalds, 2 random vectors"
  double error = 0;       // the largest found, in units of the tolerance: passed means <= 1
  std::string complaint;  // empty when passed

  bool operator==(const Check&) const = default;
};

}  // namespace roofbeam
