// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/chase_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "roofbeam/backend/cpu/memory.h"
#include "roofbeam/backend/cpu/xorshift.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kPieceFloats = std::int64_t{1} << 16;  // 256 KiB, some 20 µs
constexpr std::int64_t kWalkedInCheck = std::int64_t{1} << 16;
constexpr std::int64_t kWalkedFirst = std::int64_t{1} << 18;  // 16 MiB of lines

struct alignas(128) Reader {
  Memory memory;
  std::int64_t at = 0;
  std::uint64_t sum = 0;
};

class ChaseJob : public Job {
 public:
  ChaseJob(const Problem& problem, int workers, const ChaseLoad& load, ChaseBlock block)
      : problem_(problem),
        load_(load),
        block_(block),
        readers_(static_cast<std::size_t>(workers)),
        lines_(std::max<std::int64_t>(1, problem.shape.m)),
        steps_(std::max<std::int64_t>(1, problem.shape.n)) {
    const auto floats = load.bytes / static_cast<std::int64_t>(sizeof(float));
    read_floats_ = std::max(kPieceFloats, floats / kPieceFloats * kPieceFloats);
  }

  Status set_up(int worker) override {
    if (worker > 0 && load_.read == nullptr) return {};
    const auto bytes = worker == 0 ? lines_ * static_cast<std::int64_t>(sizeof(ChaseLine))
                                   : read_floats_ * static_cast<std::int64_t>(sizeof(float));
    auto memory = Memory::allocate(static_cast<std::size_t>(bytes));
    if (!memory) return fail(memory.error());
    if (worker == 0) {
      memory_ = std::move(*memory);
      link_lines(memory_.as<ChaseLine>(), lines_, problem_.seed);
      // Walked once, so that a cache holds them as it does when they are walked for long; of more
      // lines than a cache holds the first ones, which change nothing.
      at_ = block_(memory_.as<ChaseLine>(), std::min(lines_, kWalkedFirst));
      return {};
    }
    Xorshift random(problem_.seed + static_cast<std::uint64_t>(worker));
    auto* words = memory->as<std::uint64_t>();
    for (std::int64_t i = 0; i < bytes / 8; ++i) words[i] = random.next();
    readers_[static_cast<std::size_t>(worker)].memory = std::move(*memory);
    return {};
  }

  void execute(int worker) override {
    if (worker == 0) {
      from_ = at_;
      at_ = block_(at_, steps_);
    } else if (load_.read != nullptr) {
      Reader& own = readers_[static_cast<std::size_t>(worker)];
      StreamArrays arrays;
      arrays.b = own.memory.as<float>() + own.at;
      own.sum += load_.read(arrays, kPieceFloats);
      own.at = (own.at + kPieceFloats) % read_floats_;
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  // The last execution is walked again; and no shorter cycle, which a nearer cache would hold, was
  // walked in its place.
  Check check() override {
    Check check{true, true, "where the links lead, one by one", 0, ""};
    const ChaseLine* at = from_;
    for (std::int64_t i = 0; i < steps_; ++i) at = at->next;
    const std::int64_t walked = std::min(lines_, kWalkedInCheck);
    const ChaseLine* const start = memory_.as<ChaseLine>();
    const ChaseLine* round = start->next;
    std::int64_t length = 1;
    for (; length < walked && round != start; ++length) round = round->next;
    if (length < walked || (walked == lines_ && round != start)) {
      check.complaint = format("a chain of {} lines ends after {}", lines_, length);
    } else if (at != at_) {
      check.complaint = "the chase ended elsewhere than its links lead";
    }
    check.passed = check.complaint.empty();
    check.error = check.passed ? 0 : 2;
    return check;
  }

  Spans::Mode mode() const override { return Spans::Mode::apart; }
  Shape executed_shape() const override { return {lines_, steps_, 1}; }
  bool timed(int worker) const override { return worker == 0; }

 private:
  Problem problem_;
  ChaseLoad load_;
  ChaseBlock block_;
  std::vector<Reader> readers_;
  std::int64_t lines_;
  std::int64_t steps_;
  std::int64_t read_floats_ = 0;
  Memory memory_;
  // Where the last execution began, and where it ended.
  alignas(128) const ChaseLine* from_ = nullptr;
  const ChaseLine* at_ = nullptr;
};

}  // namespace

void link_lines(ChaseLine* lines, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = 0; i < count; ++i) lines[i].next = lines + i;
  Xorshift random(seed);
  for (std::int64_t i = count - 1; i > 0; --i) {
    const auto other = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(i));
    std::swap(lines[i].next, lines[other].next);
  }
}

const ChaseLine* chase(const ChaseLine* from, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) from = from->next;
  return from;
}

Result<std::unique_ptr<Job>> make_chase_job(const Problem& problem, int workers,
                                            const ChaseLoad& load, ChaseBlock block) {
  if (load.read != nullptr && workers < 2) {
    return failed("a load on memory needs a second core to make it", "", "use two cores or more");
  }
  return std::make_unique<ChaseJob>(problem, workers, load, block);
}

}  // namespace roofbeam
