// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/read_job.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

struct alignas(64) Worker {
  Memory memory;
  std::vector<std::uint64_t> expected;  // of each part
  std::int64_t next = 0;                // part to be read
  std::int64_t wrong = 0;               // parts whose sum came out wrong
};

class ReadJob : public Job {
 public:
  ReadJob(ReadBlock block, const Problem& problem, int workers)
      : block_(block), problem_(problem), workers_(static_cast<std::size_t>(workers)) {
    const double bytes = static_cast<double>(problem.shape.n) * facts(problem.dtype).bytes;
    const auto words = static_cast<std::int64_t>(bytes / 8 / workers);
    words_ = std::max(kReadGrain, words / kReadGrain * kReadGrain);
    executed_ = {problem.shape.m,
                 static_cast<std::int64_t>(8.0 * static_cast<double>(words_) * workers /
                                           facts(problem.dtype).bytes),
                 1};
  }

  Status set_up(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::int64_t parts = problem_.shape.m;
    auto memory = Memory::allocate(static_cast<std::size_t>(parts * words_ * 8));
    if (!memory) return fail(memory.error());
    own.memory = std::move(*memory);
    auto* data = own.memory.as<std::uint64_t>();
    std::uint64_t state = mix(problem_.seed + static_cast<std::uint64_t>(worker));
    for (std::int64_t part = 0; part < parts; ++part) {
      std::uint64_t sum = 0;
      for (std::int64_t i = part * words_; i < (part + 1) * words_; ++i) {
        // xorshift64: incompressible is all this must be, and it must be quick to make.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        data[i] = state;
        sum += state;
      }
      own.expected.push_back(sum);
    }
    return {};
  }

  void execute(int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    const std::uint64_t sum = block_(own.memory.as<std::uint64_t>() + own.next * words_, words_);
    if (sum != own.expected[static_cast<std::size_t>(own.next)]) ++own.wrong;
    own.next = (own.next + 1) % problem_.shape.m;
  }

  Check check() override {
    Check check{true, true, "the sum of every part read, exactly", 0, ""};
    for (const Worker& own : workers_) check.error += static_cast<double>(own.wrong);
    check.passed = check.error == 0;
    if (!check.passed) check.complaint = "the read probe saw other bytes than were written";
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return executed_; }

 private:
  ReadBlock block_;
  Problem problem_;
  std::vector<Worker> workers_;
  std::int64_t words_ = 0;
  Shape executed_;
};

}  // namespace

std::unique_ptr<Job> make_read_job(ReadBlock block, const Problem& problem, int workers) {
  return std::make_unique<ReadJob>(block, problem, workers);
}

}  // namespace roofbeam
