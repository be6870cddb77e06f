// SPDX-License-Identifier: Apache-2.0
// What roofbeam and a GEMM worker say to each other: one JSON object a line, a request on the
// worker's standard input and its reply on the worker's standard output, in turn. The worker ends
// when its input does.
//
// Every request has "protocol": kWorkerProtocol and "ask". Every reply is either {"ok": true, …} or
//   {"ok": false, "code": "failed" | "usage" | "cannot_tell", "what": sentence, "hint": sentence or
//   ""}
// and a worker goes on after it said no.
//
// describe  {}
//        →  protocol   the protocol the worker speaks; it answers this one request in every version
//           library    "oneDNN"
//           version    "2.6.3"
//           types      [{"dtype": "f32", "uses": what computes it, "" where the library does not
//           say}] math_mode  "strict": f32 products are computed from all of f32 (not tf32 or bf16)
// prepare   m, n, k    elements, at least 1: A is m × k, B k × n, C m × n, row-major without gaps
//           dtype      "f32", "bf16", "f64", "int8" or "f16"; what A, B and C are then, and what is
//                      summed in, says product_elements of kernel/data_type.h
//           operands   "random" or "constant", filled by kernel/operands.h
//           seed       the 64 bits of the seed as a signed whole number
//        →  uses       what computes this product: "brg:avx512_core_bf16"; "" where it is not told
//           bytes      memory of A, B and C
// run       repeats    products, 1 … kMostWorkerRepeats
//        →  spans      [[start_ns, end_ns], …] one a product, CLOCK_MONOTONIC, around the library's
//        call
// check     {}         compares the last product with A and B (kernel/freivalds.h)
//        →  passed, how, error (in tolerances; passed means <= 1), complaint ("" when passed)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

inline constexpr std::int64_t kWorkerProtocol = 1;
inline constexpr int kMostWorkerRepeats = 10'000;  // of one request
inline constexpr std::size_t kLongestWorkerLine = std::size_t{4}
                                                  << 20;  // bytes, without the line's end

struct SupportedType {
  DataType type = DataType::f32;
  std::string uses;

  bool operator==(const SupportedType&) const = default;
};

struct WorkerDescription {
  std::string library;
  std::string version;
  std::vector<SupportedType> types;
  std::string math_mode;

  bool operator==(const WorkerDescription&) const = default;
};

struct ProductTask {
  Shape shape;
  DataType dtype = DataType::f32;
  Operands operands = Operands::random;
  std::uint64_t seed = 1;

  bool operator==(const ProductTask&) const = default;
};

Json describe_request();
Json prepare_request(const ProductTask& task);
Json run_request(int repeats);
Json check_request();

Json description_reply(const WorkerDescription& description);
Json prepared_reply(const std::string& uses, double bytes);
Json spans_reply(const std::vector<Span>& spans);
Json check_reply(const Check& check);
Json error_reply(const Error& error);

// The worker's side. `asked` refuses a request of another protocol.
Result<std::string> asked(const Json& request);
Result<ProductTask> task_from(const Json& request);
Result<int> repeats_from(const Json& request);

// The other side. `reply_from` turns {"ok": false} into its error; `worker` names the program in
// it.
Status reply_from(const Json& reply, const std::string& worker);
// Refuses a worker of another protocol, in a sentence.
Result<WorkerDescription> description_from(const Json& reply, const std::string& worker);
Result<std::string> prepared_from(const Json& reply, const std::string& worker);
// Refuses spans that are not `repeats` many, overlap, or lie outside `window`: when it was asked
// and when it had answered.
Result<std::vector<Span>> spans_from(const Json& reply, int repeats, Span window,
                                     const std::string& worker);
Result<Check> check_from(const Json& reply, const std::string& worker);

}  // namespace roofbeam
