// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/cursor.h"

#include <algorithm>

#include "roofbeam/base/format.h"

namespace roofbeam {

void Cursor::reject(const std::string& why) {
  if (failed_) return;
  failed_ = true;
  error_ = {ErrorCode::usage, why, format("{}:{}", where_, offset_), ""};
}

Status Cursor::status() const {
  if (failed_) return fail(error_);
  return {};
}

std::string_view Cursor::take(std::uint64_t count) {
  if (failed_) return {};
  if (count > left()) {
    reject(format("{} bytes are stated here and {} are left", count, left()));
    return {};
  }
  const std::string_view taken = bytes_.substr(offset_, count);
  offset_ += count;
  return taken;
}

std::string_view Cursor::until(char end, std::uint64_t most) {
  if (failed_) return {};
  const std::string_view window = bytes_.substr(offset_, std::min(left(), most));
  const std::size_t at = window.find(end);
  if (at == std::string_view::npos) {
    reject(window.size() < most ? "the file ends in the middle of something"
                                : format("longer than the {} bytes this may have", most));
    return {};
  }
  offset_ += at + 1;
  return window.substr(0, at);
}

int Cursor::peek() const {
  if (failed_ || at_end()) return -1;
  return static_cast<unsigned char>(bytes_[offset_]);
}

std::uint64_t Cursor::count(std::uint64_t stated, std::uint64_t least_bytes) {
  if (failed_) return 0;
  const std::uint64_t each = std::max<std::uint64_t>(1, least_bytes);
  if (stated > left() / each) {
    reject(format("{} things of at least {} bytes are stated, and {} bytes are left", stated, each,
                  left()));
    return 0;
  }
  return stated;
}

std::uint64_t Cursor::little_endian(int bytes) {
  const std::string_view taken = take(static_cast<std::uint64_t>(bytes));
  std::uint64_t value = 0;
  for (std::size_t i = taken.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(taken[i - 1]);
  }
  return value;
}

std::uint8_t Cursor::u8() {
  return static_cast<std::uint8_t>(little_endian(1));
}
std::uint16_t Cursor::u16() {
  return static_cast<std::uint16_t>(little_endian(2));
}
std::uint32_t Cursor::u32() {
  return static_cast<std::uint32_t>(little_endian(4));
}
std::uint64_t Cursor::u64() {
  return little_endian(8);
}

}  // namespace roofbeam
