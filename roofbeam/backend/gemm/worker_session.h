// SPDX-License-Identifier: Apache-2.0
// A worker's answers to the requests of protocol.h: owns the library and the operands.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "roofbeam/backend/gemm/worker_library.h"
#include "roofbeam/base/json.h"

namespace roofbeam {

// Fresh pages of this process, zero-filled, freed at the end. Empty where there is not that much.
// `stagger` moves the start of the data: sides of a power of two would else put the rows of A, B
// and C into the same cache sets, which costs about 2 % and is no library's fault.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes, std::size_t stagger = 0);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();
  void* data() const { return data_ == nullptr ? nullptr : data_ + stagger_; }

 private:
  std::byte* data_ = nullptr;  // of the mapping
  std::size_t bytes_ = 0;
  std::size_t stagger_ = 0;
};

class WorkerSession {
 public:
  explicit WorkerSession(std::unique_ptr<WorkerLibrary> library) : library_(std::move(library)) {}
  // Never throws: what goes wrong is a reply too.
  Json answer(const Json& request);

 private:
  Result<Json> prepare(const Json& request);
  Result<Json> run(const Json& request);
  Result<Json> check() const;
  // Fills A and B, and C with NaN, so that an element no product wrote is seen.
  void fill();

  std::unique_ptr<WorkerLibrary> library_;
  ProductTask task_;
  Pages a_, b_, c_;
  bool prepared_ = false;
  bool ran_ = false;
};

}  // namespace roofbeam
