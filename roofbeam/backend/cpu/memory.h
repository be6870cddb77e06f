// SPDX-License-Identifier: Apache-2.0
// Anonymous memory whose pages belong to whoever touches them first, in huge pages where there are
// any.
#pragma once

#include <cstddef>

#include "roofbeam/base/result.h"

namespace roofbeam {

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Zero pages, aligned to 2 MiB. Fails with the size where the system has no more.
  static Result<Memory> allocate(std::size_t bytes);

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(start_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace roofbeam
