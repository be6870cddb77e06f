// SPDX-License-Identifier: Apache-2.0
// How a long call learns that it should end. The flag is lock-free so that a signal handler may set
// it.
#pragma once

#include <atomic>

namespace roofbeam {

// A view of a stop flag that outlives the call. The default token never stops.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(const std::atomic<bool>& flag) : flag_(&flag) {}
  bool requested() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace roofbeam
