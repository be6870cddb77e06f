// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/gemv_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/backend/cpu/xorshift.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kProducts = std::int64_t{1} << 20;  // that a check computes again, about

std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

struct alignas(128) Worker {
  Memory memory;
  unsigned char* weights = nullptr;
  unsigned char* vectors = nullptr;
  unsigned char* results = nullptr;
};

class GemvJob : public Job {
 public:
  GemvJob(GemvBlock block, const Problem& problem, int workers)
      : block_(block),
        problem_(problem),
        element_(static_cast<std::int64_t>(facts(problem.dtype).bytes)),
        rows_(std::max<std::int64_t>(1, problem.shape.n / workers)),
        workers_(static_cast<std::size_t>(workers)),
        executed_(problem.shape) {
    executed_.n = rows_ * workers;
  }

  // The arrays begin a third of a page apart, as those of stream_job.cc.
  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const Shape& s = problem_.shape;
    constexpr std::int64_t kStagger = 21 * 64;
    const std::int64_t vectors = whole_pages(rows_ * s.k * element_) + kStagger;
    const std::int64_t results = whole_pages(vectors + s.m * s.k * element_) + 2 * kStagger;
    const std::int64_t all = results + s.m * rows_ * kResultBytes;
    auto memory = Memory::allocate(static_cast<std::size_t>(all));
    if (!memory) return fail(memory.error());
    own.memory = std::move(*memory);
    own.weights = own.memory.as<unsigned char>();
    own.vectors = own.weights + vectors;
    own.results = own.weights + results;
    Xorshift random(problem_.seed + static_cast<std::uint64_t>(worker));
    fill(own.weights, rows_ * s.k, random, true);
    fill(own.vectors, s.m * s.k, random, false);
    // Equal to no sum.
    auto* const floats = reinterpret_cast<float*>(own.results);
    std::fill_n(floats, s.m * rows_, std::numeric_limits<float>::quiet_NaN());
    return {};
  }

  void execute(int worker) override {
    const Worker& own = workers_[static_cast<std::size_t>(worker)];
    const Shape& s = problem_.shape;
    for (std::int64_t i = 0; i < s.repeats; ++i) {
      block_({own.weights, own.vectors, own.results, rows_, s.m, s.k});
    }
  }

  // Of all results so many that the check does not take longer than the work: every one of a small
  // product, and of others the last row and one in so many of the rest.
  Check check() override {
    Check check{true, true, "results computed again in double precision", 0, ""};
    const std::int64_t results = problem_.shape.m * rows_;
    const std::int64_t wanted = std::max<std::int64_t>(64, kProducts / problem_.shape.k);
    const std::int64_t distance = results / wanted | 1;  // odd: no lane is left out
    for (const Worker& own : workers_) {
      for (std::int64_t back = 1; back <= results; back += distance) {
        check.error = std::max(check.error, error_of(own, results - back));
      }
    }
    check.passed = check.error <= 1;
    if (!check.passed) check.complaint = "a result is not its row times its vector";
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  static constexpr std::int64_t kResultBytes = 4;

  // f32 and bf16: between 0.5 and 2 in size, and of either sign. Bytes: 0 … 127, or -127 … 127.
  void fill(unsigned char* data, std::int64_t count, Xorshift& random, bool weights) const {
    for (std::int64_t i = 0; i < count;) {
      std::uint64_t word = random.next();
      if (problem_.dtype == DataType::f32) word = (word & 0x80ffffff80ffffff) | 0x3f0000003f000000;
      if (problem_.dtype == DataType::bf16) word = (word & 0x80ff80ff80ff80ff) | 0x3f003f003f003f00;
      if (problem_.dtype == DataType::int8) word = bytes_of(word, weights);
      const std::int64_t taken = std::min(count - i, std::int64_t{8} / element_);
      std::memcpy(data + i * element_, &word, static_cast<std::size_t>(taken * element_));
      i += taken;
    }
  }
  static std::uint64_t bytes_of(std::uint64_t word, bool weights) {
    if (!weights) return word & 0x7f7f7f7f7f7f7f7f;
    return word | 0x0101010101010101;  // odd: so never -128
  }

  double element(const unsigned char* data, std::int64_t i, bool weights) const {
    if (problem_.dtype == DataType::int8) {
      return weights ? static_cast<std::int8_t>(data[i]) : data[i];
    }
    float value = 0;
    std::memcpy(reinterpret_cast<unsigned char*>(&value) + 4 - element_, data + i * element_,
                static_cast<std::size_t>(element_));
    return value;
  }

  // In units of what rounding may do: as many roundings as there are products, in f32, each of at
  // most half a unit in the last place of a sum that grows with the root of their number.
  double error_of(const Worker& own, std::int64_t at) const {
    constexpr double kLargest = 1e30;
    const std::int64_t k = problem_.shape.k;
    const unsigned char* const row = own.weights + at % rows_ * k * element_;
    const unsigned char* const vector = own.vectors + at / rows_ * k * element_;
    double sum = 0, size = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      const double product = element(row, i, true) * element(vector, i, false);
      sum += product;
      size += std::fabs(product);
    }
    const unsigned char* const result = own.results + at * kResultBytes;
    if (problem_.dtype == DataType::int8) {
      std::int32_t found = 0;
      std::memcpy(&found, result, sizeof found);
      return found == sum ? 0 : kLargest;
    }
    float found = 0;
    std::memcpy(&found, result, sizeof found);
    const double error = std::fabs(found - sum) / (8 * 0x1p-24 * size);
    return error < kLargest ? error : kLargest;  // NaN too
  }

  GemvBlock block_;
  Problem problem_;
  std::int64_t element_;  // bytes
  std::int64_t rows_;     // of a worker
  std::vector<Worker> workers_;
  Shape executed_;
};

}  // namespace

std::unique_ptr<Job> make_gemv_job(GemvBlock block, const Problem& problem, int workers) {
  return std::make_unique<GemvJob>(block, problem, workers);
}

}  // namespace roofbeam
