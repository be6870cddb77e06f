// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/windows.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace roofbeam {
namespace {

constexpr double kNano = 1e-9;

std::vector<double> together(const Spans& spans) {
  std::size_t repeats = std::numeric_limits<std::size_t>::max();
  for (const auto& worker : spans.workers) repeats = std::min(repeats, worker.size());
  std::vector<double> times;
  for (std::size_t i = 0; i < repeats; ++i) {
    Span whole = spans.workers.front()[i];
    for (const auto& worker : spans.workers) {
      whole.start_ns = std::min(whole.start_ns, worker[i].start_ns);
      whole.end_ns = std::max(whole.end_ns, worker[i].end_ns);
    }
    if (whole.end_ns > whole.start_ns) {
      times.push_back(kNano * static_cast<double>(whole.end_ns - whole.start_ns));
    }
  }
  return times;
}

// How many of `worker`'s spans lie inside the window, in parts; `from` moves on with the windows.
double spans_inside(const std::vector<Span>& worker, const Span& window, std::size_t& from) {
  while (from < worker.size() && worker[from].end_ns <= window.start_ns) ++from;
  double inside = 0;
  for (std::size_t i = from; i < worker.size() && worker[i].start_ns < window.end_ns; ++i) {
    const Span& span = worker[i];
    const std::int64_t length = span.end_ns - span.start_ns;
    if (length <= 0) continue;
    const std::int64_t shared =
        std::min(span.end_ns, window.end_ns) - std::max(span.start_ns, window.start_ns);
    if (shared > 0) inside += static_cast<double>(shared) / static_cast<double>(length);
  }
  return inside;
}

std::vector<double> apart(const Spans& spans) {
  std::int64_t all_started = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_ended = std::numeric_limits<std::int64_t>::max();
  for (const auto& worker : spans.workers) {
    if (worker.empty()) return {};
    all_started = std::max(all_started, worker.front().start_ns);
    first_ended = std::min(first_ended, worker.back().end_ns);
  }
  const double workers = static_cast<double>(spans.workers.size());
  std::vector<std::size_t> from(spans.workers.size(), 0);
  std::vector<double> times;
  for (const Span& window : spans.workers.front()) {
    if (window.start_ns < all_started || window.end_ns > first_ended) continue;
    if (window.end_ns <= window.start_ns) continue;
    double executions = 0;
    for (std::size_t w = 0; w < spans.workers.size(); ++w) {
      executions += spans_inside(spans.workers[w], window, from[w]) / workers;
    }
    times.push_back(kNano * static_cast<double>(window.end_ns - window.start_ns) / executions);
  }
  return times;
}

}  // namespace

std::vector<double> window_times(const Spans& spans) {
  if (spans.workers.empty()) return {};
  return spans.mode == Spans::Mode::together ? together(spans) : apart(spans);
}

Span extent(const Spans& spans) {
  Span whole;
  bool first = true;
  for (const auto& worker : spans.workers) {
    for (const Span& span : worker) {
      whole.start_ns = first ? span.start_ns : std::min(whole.start_ns, span.start_ns);
      whole.end_ns = first ? span.end_ns : std::max(whole.end_ns, span.end_ns);
      first = false;
    }
  }
  return whole;
}

double sustained_time(const Spans& spans) {
  double executions = 0;
  for (const auto& worker : spans.workers) executions += static_cast<double>(worker.size());
  if (spans.workers.empty() || executions == 0) return 0;
  const double workers = static_cast<double>(spans.workers.size());
  const Span whole = extent(spans);
  return kNano * static_cast<double>(whole.end_ns - whole.start_ns) * workers / executions;
}

}  // namespace roofbeam
