// SPDX-License-Identifier: Apache-2.0
// Where threads meet without sleeping: sleeping ones would not go on together.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace roofbeam {

class SpinBarrier {
 public:
  explicit SpinBarrier(int parties) : parties_(parties) {}

  // Returns once all parties are here. What each did before is seen by all afterwards.
  void meet() {
    const std::int64_t crossing = crossings_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
      arrived_.store(0, std::memory_order_relaxed);
      crossings_.store(crossing + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; crossings_.load(std::memory_order_acquire) == crossing;) {
      if (spins < kSpinsBeforeYield) {
        ++spins;
      } else {
        std::this_thread::yield();  // more parties than CPUs: one of them may wait for ours
      }
    }
  }
  std::int64_t crossings() const { return crossings_.load(std::memory_order_acquire); }

 private:
  static constexpr int kSpinsBeforeYield = 20000;

  const int parties_;
  // On lines of their own (prefetchers take two at a time): who waits must not slow who arrives.
  alignas(128) std::atomic<int> arrived_{0};
  alignas(128) std::atomic<std::int64_t> crossings_{0};
};

}  // namespace roofbeam
