// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/stream_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/backend/cpu/xorshift.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// Arrays whose sizes are powers of two would begin in the same sets of a cache, and a store to one
// would look like a store to what is loaded next: both go by the low 12 bits of addresses. So each
// begins a third of 4 KiB further on, in a page of its own.
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kStagger = kPage + 21 * 64;
constexpr std::int64_t kSpotDistance = 1021;  // elements; prime, so that no lane is left out

enum class Access { read, write, copy, triad };

Access access_of(std::string_view kernel) {
  const std::string_view stem = kernel.substr(0, kernel.find('_'));  // without _nt
  if (stem == "read") return Access::read;
  if (stem == "write") return Access::write;
  return stem == "copy" ? Access::copy : Access::triad;
}

struct alignas(128) Worker {
  Memory memory;
  StreamArrays arrays;
  std::int64_t at = 0;      // the element that is next
  std::int64_t passes = 0;  // finished ones
  std::uint64_t sum = 0;    // of all words read so far
  std::uint64_t sum_of_pass = 0;
};

// Random to the last bit where only bits are moved or added; else numbers between 0.5 and 2 in
// size, whose sums are neither too large nor denormal.
std::uint64_t word_of(Access access, std::uint64_t random) {
  if (access == Access::read) return random;
  return (random & 0x80ffffff80ffffff) | 0x3f0000003f000000;
}

class StreamJob : public Job {
 public:
  StreamJob(StreamBlock block, const Problem& problem, int workers)
      : block_(block),
        problem_(problem),
        access_(access_of(problem.spec->name)),
        workers_(static_cast<std::size_t>(workers)) {
    const auto share = [workers](std::int64_t all) {
      return std::max(kStreamGrain, all / workers / kStreamGrain * kStreamGrain);
    };
    part_ = share(problem.shape.m);
    step_ = share(problem.shape.n);
    executed_ = {part_ * workers, step_ * workers, 1};
  }

  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::int64_t arrays = access_ == Access::triad ? 3 : access_ == Access::copy ? 2 : 1;
    const std::int64_t floats = static_cast<std::int64_t>(sizeof(float));
    const std::int64_t distance = (part_ * floats + kPage - 1) / kPage * kPage + kStagger;
    auto memory = Memory::allocate(static_cast<std::size_t>(arrays * distance));
    if (!memory) return fail(memory.error());
    own.memory = std::move(*memory);
    auto* next = own.memory.as<unsigned char>();
    const auto take = [&next, distance] {
      auto* const array = reinterpret_cast<float*>(next);
      next += distance;
      return array;
    };
    Xorshift random(problem_.seed + static_cast<std::uint64_t>(worker));
    if (access_ != Access::write) own.arrays.b = filled(take(), random, own.sum_of_pass);
    std::uint64_t unused = 0;
    if (access_ == Access::triad) own.arrays.c = filled(take(), random, unused);
    if (access_ != Access::read) {
      own.arrays.a = take();
      // Equal to nothing that is to be written.
      std::fill_n(own.arrays.a, part_, std::numeric_limits<float>::quiet_NaN());
    }
    return {};
  }

  void execute(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    for (std::int64_t left = step_; left > 0;) {
      if (access_ == Access::read && own.at == 0 && left >= part_) {
        StreamArrays whole = own.arrays;
        whole.passes = left / part_;
        own.sum += block_(whole, part_);
        own.passes += whole.passes;
        left -= whole.passes * part_;
        continue;
      }
      const std::int64_t piece = std::min(left, part_ - own.at);
      const StreamArrays& all = own.arrays;
      const auto from = [&own](auto* array) { return array == nullptr ? array : array + own.at; };
      own.sum += block_({from(all.b), from(all.c), from(all.a), factor(own.passes), 1}, piece);
      left -= piece;
      own.at += piece;
      if (own.at == part_) {
        own.at = 0;
        ++own.passes;
      }
    }
  }

  Check check() override {
    if (access_ == Access::read) return check_sums();
    Check check{true, true, "what was last written, in full, and spots of the rest", 0, ""};
    for (const Worker& own : workers_) {
      // Backwards from where the next pass goes on: what the last execution wrote comes first.
      const std::int64_t written = own.passes > 0 ? part_ : own.at;
      for (std::int64_t back = 1; back <= written;) {
        const std::int64_t i = (own.at - back + part_) % part_;
        if (own.arrays.a[i] != expected(own, i)) check.error += 1;
        back += back < step_ ? 1 : kSpotDistance;
      }
    }
    check.passed = check.error == 0;
    if (!check.passed) {
      check.complaint = format("{} left {} wrong values", problem_.spec->name,
                               static_cast<std::int64_t>(check.error));
    }
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  // From several generators side by side, since each waits for its own last number.
  float* filled(float* array, Xorshift& random, std::uint64_t& sum) const {
    constexpr int kLanes = 8;
    static_assert(kStreamGrain / 2 % kLanes == 0);
    Xorshift lanes[kLanes] = {Xorshift(random.next()), Xorshift(random.next()),
                              Xorshift(random.next()), Xorshift(random.next()),
                              Xorshift(random.next()), Xorshift(random.next()),
                              Xorshift(random.next()), Xorshift(random.next())};
    auto* words = reinterpret_cast<std::uint64_t*>(array);
    std::uint64_t sums[kLanes] = {};
    for (std::int64_t i = 0; i < part_ / 2; i += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t word = word_of(access_, lanes[lane].next());
        words[i + lane] = word;
        sums[lane] += word;
      }
    }
    for (const std::uint64_t part : sums) sum += part;
    return array;
  }

  // Another one in each pass, so that a pass that wrote nothing is seen. A power of two for triad:
  // then a fused multiply-add rounds as two operations do.
  float factor(std::int64_t pass) const {
    const float size = access_ == Access::triad
                           ? 0.5F
                           : 1.0F + static_cast<float>(problem_.seed % 1000 + 1) * 0x1p-10F;
    return pass % 2 == 0 ? size : -size;
  }

  float expected(const Worker& own, std::int64_t i) const {
    const float s = factor(i < own.at ? own.passes : own.passes - 1);
    if (access_ == Access::write) return s;
    if (access_ == Access::copy) return own.arrays.b[i];
    return own.arrays.b[i] + s * own.arrays.c[i];
  }

  Check check_sums() const {
    Check check{true, true, "the sum of all that was read, exactly", 0, ""};
    for (const Worker& own : workers_) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(own.arrays.b);
      std::uint64_t sum = static_cast<std::uint64_t>(own.passes) * own.sum_of_pass;
      for (std::int64_t i = 0; i < own.at / 2; ++i) sum += words[i];
      if (sum != own.sum) check.error += 1;
    }
    check.passed = check.error == 0;
    if (!check.passed) check.complaint = "the read probe saw other bytes than were written";
    return check;
  }

  StreamBlock block_;
  Problem problem_;
  Access access_;
  std::vector<Worker> workers_;
  std::int64_t part_ = 0;  // elements of a worker's arrays
  std::int64_t step_ = 0;  // elements it passes over in an execution
  Shape executed_;
};

}  // namespace

std::unique_ptr<Job> make_stream_job(StreamBlock block, const Problem& problem, int workers) {
  return std::make_unique<StreamJob>(block, problem, workers);
}

}  // namespace roofbeam
