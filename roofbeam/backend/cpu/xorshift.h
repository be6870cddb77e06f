// SPDX-License-Identifier: Apache-2.0
// Words nothing compresses and no predictor learns, quick to make: Marsaglia's xorshift64.
#pragma once

#include <cstdint>

#include "roofbeam/kernel/operands.h"

namespace roofbeam {

class Xorshift {
 public:
  explicit Xorshift(std::uint64_t seed) : state_(mix(seed) | 1) {}  // 0 would stay 0

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_;
};

}  // namespace roofbeam
