// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Memory::~Memory() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

Memory::Memory(Memory&& other) noexcept {
  *this = std::move(other);
}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(start_, other.start_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<Memory> Memory::allocate(std::size_t bytes) {
  Memory memory;
  // Whole huge pages even for a little: an array the size of a cache would otherwise be slowed by
  // the TLB and measure that.
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  memory.mapped_ = whole + kHugePage;
  void* mapping = mmap(nullptr, memory.mapped_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return failed(format("could not allocate {}", show_binary(Bytes(double(bytes)))), "",
                  "free memory, raise the limit, or choose a smaller size");
  }
  memory.mapping_ = mapping;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  memory.start_ = static_cast<std::byte*>(mapping) + (kHugePage - address % kHugePage) % kHugePage;
  memory.bytes_ = bytes;
  madvise(memory.start_, whole, MADV_HUGEPAGE);  // a wish: small pages do as well
  return memory;
}

}  // namespace roofbeam
