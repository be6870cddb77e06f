// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

namespace roofbeam {
namespace {

constexpr double kNano = 1e-9;
constexpr std::size_t kLeastSpans = 8;  // fewer differences may share a divisor by chance

using Rows = std::vector<const std::vector<Span>*>;

Rows rows_with_spans(const Spans& spans) {
  Rows rows;
  for (const auto& worker : spans.workers) {
    if (!worker.empty()) rows.push_back(&worker);
  }
  return rows;
}

void add(WindowTimes& times, const Span& window, double executions) {
  if (window.end_ns <= window.start_ns) {
    ++times.empty;
    return;
  }
  const double time = kNano * static_cast<double>(window.end_ns - window.start_ns) / executions;
  times.all.push_back(time);
  if (!window.disturbed) times.quiet.push_back(time);
}

WindowTimes together(const Rows& rows) {
  std::size_t repeats = std::numeric_limits<std::size_t>::max();
  for (const auto* worker : rows) repeats = std::min(repeats, worker->size());
  WindowTimes times;
  for (std::size_t i = 0; i < repeats; ++i) {
    Span whole = (*rows.front())[i];
    for (const auto* worker : rows) {
      const Span& span = (*worker)[i];
      whole.start_ns = std::min(whole.start_ns, span.start_ns);
      whole.end_ns = std::max(whole.end_ns, span.end_ns);
      whole.disturbed = whole.disturbed || span.disturbed;
    }
    add(times, whole, 1);
  }
  return times;
}

// How many of `worker`'s spans lie inside the window, in parts; marks the window as disturbed where
// one of them is. `from` moves on with the windows.
double spans_inside(const std::vector<Span>& worker, Span& window, std::size_t& from) {
  while (from < worker.size() && worker[from].end_ns <= window.start_ns) ++from;
  double inside = 0;
  for (std::size_t i = from; i < worker.size() && worker[i].start_ns < window.end_ns; ++i) {
    const Span& span = worker[i];
    const std::int64_t length = span.end_ns - span.start_ns;
    if (length <= 0) continue;
    const std::int64_t shared =
        std::min(span.end_ns, window.end_ns) - std::max(span.start_ns, window.start_ns);
    if (shared <= 0) continue;
    inside += static_cast<double>(shared) / static_cast<double>(length);
    window.disturbed = window.disturbed || span.disturbed;
  }
  return inside;
}

WindowTimes apart(const Rows& rows) {
  std::int64_t all_started = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_ended = std::numeric_limits<std::int64_t>::max();
  for (const auto* worker : rows) {
    all_started = std::max(all_started, worker->front().start_ns);
    first_ended = std::min(first_ended, worker->back().end_ns);
  }
  const double workers = static_cast<double>(rows.size());
  std::vector<std::size_t> from(rows.size(), 0);
  WindowTimes times;
  for (Span window : *rows.front()) {
    if (window.start_ns < all_started || window.end_ns > first_ended) continue;
    double executions = 0;
    for (std::size_t w = 0; w < rows.size(); ++w) {
      executions += spans_inside(*rows[w], window, from[w]) / workers;
    }
    add(times, window, executions);
  }
  return times;
}

}  // namespace

WindowTimes window_times(const Spans& spans) {
  const Rows rows = rows_with_spans(spans);
  if (rows.empty()) return {};
  return spans.mode == Spans::Mode::together ? together(rows) : apart(rows);
}

double clock_step(const Spans& spans) {
  std::vector<std::int64_t> lengths;
  for (const auto& worker : spans.workers) {
    for (const Span& span : worker) {
      if (!span.disturbed) lengths.push_back(span.end_ns - span.start_ns);
    }
  }
  if (lengths.size() < kLeastSpans) return 0;
  const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
  std::int64_t step = 0;
  for (const std::int64_t length : lengths) step = std::gcd(step, length - shortest);
  // Lengths are whole steps themselves: what is longer than one is no step of the clock.
  if (step > shortest && shortest > 0) return 0;
  return kNano * static_cast<double>(std::gcd(step, step > 0 ? shortest : 0));
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
  const Rows rows = rows_with_spans(spans);
  if (rows.empty()) return 0;
  double executions = 0;
  for (const auto* worker : rows) executions += static_cast<double>(worker->size());
  const Span whole = extent(spans);
  return kNano * static_cast<double>(whole.end_ns - whole.start_ns) *
         static_cast<double>(rows.size()) / executions;
}

}  // namespace roofbeam
