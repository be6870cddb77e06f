// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/core_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

constexpr int kTries = 6;
constexpr int kUnroll = 512;         // steps in a turn: what the loop costs is lost among them
constexpr int kAdditions = 60'000;   // 15 µs at 4 GHz
constexpr int kProducts = 20'000;    // the same at three cycles each
constexpr double kTolerance = 0.02;  // of the ratio
constexpr double kFewestCycles = 2, kMostCycles = 6;  // of a multiplication

// Written out, because what a compiler puts between two steps (a move, a spill) would count as
// part of them.
#if defined(__x86_64__)
#define ROOFBEAM_ADD "addq %1, %0\n"
#define ROOFBEAM_MULTIPLY "imulq %1, %0\n"
#elif defined(__aarch64__)
#define ROOFBEAM_ADD "add %0, %0, %1\n"
#define ROOFBEAM_MULTIPLY "mul %0, %0, %1\n"
#else
#define ROOFBEAM_ADD ""
#define ROOFBEAM_MULTIPLY ""
#endif

std::uint64_t add_chain(std::uint64_t x, std::uint64_t y, int steps) {
  for (int i = 0; i < steps; i += kUnroll) {
    __asm__ volatile(".rept 512\n" ROOFBEAM_ADD ".endr\n" : "+&r"(x) : "r"(y) : "cc");
  }
  return x;
}

std::uint64_t multiply_chain(std::uint64_t x, std::uint64_t y, int steps) {
  for (int i = 0; i < steps; i += kUnroll) {
    __asm__ volatile(".rept 512\n" ROOFBEAM_MULTIPLY ".endr\n" : "+&r"(x) : "r"(y) : "cc");
  }
  return x;
}

int executed(int steps) {
  return (steps + kUnroll - 1) / kUnroll * kUnroll;
}

// Of one step.
double step_ns(std::uint64_t (*chain)(std::uint64_t, std::uint64_t, int), int steps,
               std::int64_t clock_ns) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // a product of such never becomes 0
  const std::int64_t start = monotonic_ns();
  chain(kOdd, kOdd, steps);
  const std::int64_t took = monotonic_ns() - start - clock_ns;
  return static_cast<double>(std::max<std::int64_t>(took, 1)) / executed(steps);
}

// What reading the time takes: some systems have no quick way to.
std::int64_t clock_cost_ns() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 8; ++i) {
    const std::int64_t start = monotonic_ns();
    least = std::min(least, monotonic_ns() - start);
  }
  return least;
}

}  // namespace

std::optional<double> core_clock_hz() {
  const std::int64_t clock_ns = clock_cost_ns();
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const double addition = step_ns(add_chain, kAdditions, clock_ns);
    const double product = step_ns(multiply_chain, kProducts, clock_ns);
    const double ratio = product / addition;
    const double cycles = std::round(ratio);
    if (cycles < kFewestCycles || cycles > kMostCycles) continue;
    if (std::fabs(ratio / cycles - 1) <= kTolerance) fastest = std::min(fastest, addition);
  }
  if (!std::isfinite(fastest)) return std::nullopt;
  return 1e9 / fastest;
}

}  // namespace roofbeam
