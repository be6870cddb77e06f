// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/stream_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
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
constexpr std::uint64_t kPositive = 0x7fffffff7fffffff;  // both floats of a word

// What a kernel does with an element: `a` is written from s, b and c; where there is none, `term`
// is what it adds up.
struct Access {
  std::string_view kernel;
  bool b = false;  // whether it reads it
  bool c = false;
  float (*a)(float s, float b, float c) = nullptr;
  double (*term)(double b, double c) = nullptr;  // null for read, which adds up words
};

constexpr Access kAccesses[] = {
    {"read", true},
    {"write", false, false, [](float s, float, float) { return s; }},
    {"copy", true, false, [](float, float b, float) { return b; }},
    {"triad", true, true, [](float s, float b, float c) { return b + s * c; }},
    {"vadd", true, true, [](float, float b, float c) { return b + c; }},
    {"vscale", true, false, [](float s, float b, float) { return s * b; }},
    {"vdot", true, true, nullptr, [](double b, double c) { return b * c; }},
    {"branchy", true, false, nullptr, [](double b, double) { return b < 0 ? b + 4 : b; }},
};

const Access& access_of(std::string_view kernel) {
  const std::string_view stem = kernel.substr(0, kernel.find('_'));  // without _nt
  const Access* found = kAccesses;
  while (found->kernel != stem) ++found;
  return *found;
}

struct alignas(128) Worker {
  Memory memory;
  StreamArrays arrays;
  std::int64_t at = 0;      // the element that is next
  std::int64_t passes = 0;  // finished ones
  std::uint64_t sum = 0;    // of all words read so far
  std::uint64_t sum_of_pass = 0;
  std::int64_t from = 0;  // where the last execution began
  double terms = 0;       // what it added up
};

// Random to the last bit where only bits are moved or added; else numbers between 0.5 and 2 in
// size, whose sums are neither too large nor denormal.
std::uint64_t word_of(const Access& access, std::uint64_t random) {
  const bool bits_only = access.a == nullptr && access.term == nullptr;
  return bits_only ? random : (random & 0x80ffffff80ffffff) | 0x3f0000003f000000;
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
    const std::int64_t arrays = access_.b + access_.c + (access_.a != nullptr);
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
    if (access_.b) own.arrays.b = filled(take(), random, own.sum_of_pass);
    std::uint64_t unused = 0;
    if (access_.c) own.arrays.c = filled(take(), random, unused);
    if (access_.a != nullptr) {
      own.arrays.a = take();
      // Equal to nothing that is to be written.
      std::fill_n(own.arrays.a, part_, std::numeric_limits<float>::quiet_NaN());
    }
    return {};
  }

  void execute(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    own.from = own.at;
    own.terms = 0;
    for (std::int64_t left = step_; left > 0;) {
      if (access_.a == nullptr && own.at == 0 && left >= part_) {
        StreamArrays whole = own.arrays;
        whole.passes = left / part_;
        add(own, block_(whole, part_));
        own.passes += whole.passes;
        left -= whole.passes * part_;
        continue;
      }
      const std::int64_t piece = std::min(left, part_ - own.at);
      const StreamArrays& all = own.arrays;
      const auto from = [&own](auto* array) { return array == nullptr ? array : array + own.at; };
      add(own, block_({from(all.b), from(all.c), from(all.a), factor(own.passes), 1}, piece));
      left -= piece;
      own.at += piece;
      if (own.at == part_) {
        own.at = 0;
        ++own.passes;
      }
    }
  }

  Check check() override {
    if (access_.term != nullptr) return check_terms();
    if (access_.a == nullptr) return check_sums();
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
        std::uint64_t word = word_of(access_, lanes[lane].next());
        if (problem_.operands == Operands::constant && access_.term != nullptr) word &= kPositive;
        words[i + lane] = word;
        sums[lane] += word;
      }
    }
    for (const std::uint64_t part : sums) sum += part;
    return array;
  }

  static void add(Worker& own, std::uint64_t found) {
    own.sum += found;
    double terms = 0;
    std::memcpy(&terms, &found, sizeof terms);
    own.terms += terms;
  }

  // Another one in each pass, so that a pass that wrote nothing is seen. A power of two for triad:
  // then a fused multiply-add rounds as two operations do.
  float factor(std::int64_t pass) const {
    const float size = access_.kernel == "triad"
                           ? 0.5F
                           : 1.0F + static_cast<float>(problem_.seed % 1000 + 1) * 0x1p-10F;
    return pass % 2 == 0 ? size : -size;
  }

  float expected(const Worker& own, std::int64_t i) const {
    const float s = factor(i < own.at ? own.passes : own.passes - 1);
    return access_.a(s, access_.b ? own.arrays.b[i] : 0, access_.c ? own.arrays.c[i] : 0);
  }

  // Of the last execution. A double holds a sum of so few floats exactly; sums of products in f32
  // are each off by half a unit in the last place, of lanes that hold a sixteenth or less each, and
  // the signs of those errors differ.
  Check check_terms() const {
    Check check{true, true, "the sum of the last execution, in double precision", 0, ""};
    const double rounding = access_.c ? 0x1p-24 * std::sqrt(static_cast<double>(step_)) / 4 : 0;
    for (const Worker& own : workers_) {
      double sum = 0, size = 0;
      const auto pass = [&](std::int64_t from, std::int64_t to, double times) {
        for (std::int64_t i = from; i < to; ++i) {
          const double term = access_.term(own.arrays.b[i], access_.c ? own.arrays.c[i] : 0);
          sum += times * term;
          size += times * std::fabs(term);
        }
      };
      const std::int64_t end = own.from + step_;
      pass(own.from, std::min(end, part_), 1);
      if (end > part_) {
        if (end >= 2 * part_) pass(0, part_, static_cast<double>(end / part_ - 1));
        pass(0, end % part_, 1);
      }
      const double error = std::fabs(own.terms - sum);
      if (!(error <= 0)) check.error = std::max(check.error, worse(error / (size * rounding)));
    }
    check.passed = check.error <= 1;
    if (!check.passed) check.complaint = format("{} added up to another sum", problem_.spec->name);
    return check;
  }
  static double worse(double ratio) {
    constexpr double kLargest = 1e30;
    return ratio < kLargest ? ratio : kLargest;  // NaN too
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
  const Access& access_;
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
