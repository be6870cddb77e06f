// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/branch_job.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "roofbeam/backend/cpu/xorshift.h"

namespace roofbeam {
namespace {

// 4 million bits, more than any predictor keeps, and an execution goes on where the one before it
// ended.
constexpr std::int64_t kWords = std::int64_t{1} << 16;

struct alignas(128) Worker {
  std::vector<std::uint64_t> bits;
  std::int64_t at = 0;      // the word that is next
  std::int64_t rounds = 0;  // finished ones
  std::int64_t taken = 0;
};

std::int64_t ones(const std::vector<std::uint64_t>& bits, std::int64_t words) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < words; ++i)
    count += std::popcount(bits[static_cast<std::size_t>(i)]);
  return count;
}

class BranchJob : public Job {
 public:
  BranchJob(const Problem& problem, int workers, BranchBlock block)
      : problem_(problem), block_(block), workers_(static_cast<std::size_t>(workers)) {
    words_ = std::max<std::int64_t>(1, problem.shape.n / workers / kBranchGrain);
    executed_ = {1, words_ * kBranchGrain * workers, 1};
  }

  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    own.bits.assign(static_cast<std::size_t>(kWords), ~std::uint64_t{0});
    if (problem_.operands == Operands::constant) return {};
    Xorshift random(problem_.seed + static_cast<std::uint64_t>(worker));
    for (std::uint64_t& word : own.bits) word = random.next();
    return {};
  }

  void execute(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    for (std::int64_t left = words_; left > 0;) {
      const std::int64_t piece = std::min(left, kWords - own.at);
      own.taken += block_(own.bits.data() + own.at, piece);
      left -= piece;
      own.at += piece;
      if (own.at == kWords) {
        own.at = 0;
        ++own.rounds;
      }
    }
  }

  Check check() override {
    Check check{true, true, "branches taken, counted", 0, ""};
    for (const Worker& own : workers_) {
      const std::int64_t expected = own.rounds * ones(own.bits, kWords) + ones(own.bits, own.at);
      if (own.taken != expected) check.error += 2;
    }
    check.passed = check.error == 0;
    if (!check.passed) check.complaint = "the branch probe took other branches than its bits say";
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  Problem problem_;
  BranchBlock block_;
  std::vector<Worker> workers_;
  std::int64_t words_ = 0;  // of an execution
  Shape executed_;
};

}  // namespace

std::int64_t count_branches(const std::uint64_t* bits, std::int64_t words) {
  std::int64_t taken = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    std::uint64_t word = bits[i];
    // Written out: the end of a loop is a branch too, foreseen badly after random ones.
#pragma GCC unroll 64
    for (int bit = 0; bit < kBranchGrain; ++bit, word >>= 1) {
      if ((word & 1) != 0) {
        ++taken;
        // Assembly that must not run for a 0: no arithmetic or conditional move can replace it.
        __asm__ volatile("" : "+r"(taken));
      }
    }
  }
  return taken;
}

std::unique_ptr<Job> make_branch_job(const Problem& problem, int workers, BranchBlock block) {
  return std::make_unique<BranchJob>(problem, workers, block);
}

}  // namespace roofbeam
