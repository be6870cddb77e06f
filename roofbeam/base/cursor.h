// SPDX-License-Identifier: Apache-2.0
// Reading outside bytes without ever leaving them. Every parser of a binary or line format stands
// on this: lengths and counts a file states are checked against what is really there before they
// are used, and the first thing wrong is kept with its offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "roofbeam/base/result.h"

namespace roofbeam {

class Cursor {
 public:
  // `where` names the source in errors; `bytes` outlives the cursor and all views taken of it.
  Cursor(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  // Little-endian numbers. After the first failure every read gives 0 and moves nothing.
  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();

  // The next `count` bytes; fails (and gives none) where fewer are left, however large `count` is.
  std::string_view take(std::uint64_t count);
  // Up to `end`, which is skipped; fails where it does not come within `most` bytes.
  std::string_view until(char end, std::uint64_t most);
  void skip(std::uint64_t count) { take(count); }
  // The next byte without taking it; -1 at the end or after a failure.
  int peek() const;

  // A count the file states of things that take at least `least_bytes` each: fails where so many
  // cannot be left, so that nothing is allocated for a lie.
  std::uint64_t count(std::uint64_t stated, std::uint64_t least_bytes);

  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return bytes_.size() - offset_; }
  bool at_end() const { return left() == 0; }

  // Keeps the first complaint.
  void reject(const std::string& why);
  bool failed() const { return failed_; }
  // "where:offset" of the first thing wrong.
  Status status() const;

 private:
  std::uint64_t little_endian(int bytes);

  std::string_view bytes_;
  std::string where_;
  std::uint64_t offset_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace roofbeam
