// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul_remarks.h"

#include <algorithm>
#include <string>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr double kNearBest = 0.9;  // of the best rate: from there on a size is large enough

using Speedup = MatmulAnswer::Speedup;

std::string show_interval(const Estimate<double>& ratio) {
  return format("{} ({} to {})", show_ratio(ratio.value), show_ratio(ratio.low),
                show_ratio(ratio.high));
}

bool right(const MatmulPoint& point) {
  return point.check_passed.value_or(true);
}

std::string threads_of(const MatmulPoint& point) {
  return counted(point.threads, "thread", "threads");
}

double products_of(const MatmulPoint& point) {
  return static_cast<double>(point.m) * static_cast<double>(point.n);
}

const Speedup& add(MatmulAnswer& answer, std::size_t from, std::size_t to) {
  const Estimate<double> ratio = answer.points[from].time / answer.points[to].time;
  answer.speedups.push_back({static_cast<int>(from), static_cast<int>(to), ratio});
  return answer.speedups.back();
}

// Of the sweep's points with as many threads as the judged one, in order of size.
std::vector<const MatmulPoint*> widest_of(const MatmulAnswer& answer) {
  std::vector<const MatmulPoint*> found;
  const int threads = answer.points[static_cast<std::size_t>(answer.judged)].threads;
  for (const MatmulPoint& point : answer.points) {
    if (point.threads == threads && right(point)) found.push_back(&point);
  }
  return found;
}

void tell_growth(MatmulAnswer& answer) {
  const std::vector<const MatmulPoint*> points = widest_of(answer);
  if (points.size() < 2) return;
  const MatmulPoint& small = *points.front();
  const MatmulPoint& large = *points.back();
  answer.remarks.push_back(
      format("n = {} has {} independent dot products of length {}, n = {} has {} of length {}: the "
             "work grows as n^3, what is read and written only as n^2",
             small.n, show_number(products_of(small)), small.k, large.n,
             show_number(products_of(large)), large.k));
  const auto fastest =
      std::max_element(points.begin(), points.end(),
                       [](const auto* a, const auto* b) { return a->rate.value < b->rate.value; });
  const FlopRate best = (*fastest)->rate.value;
  auto enough = points.end();  // from there on all are near the best
  while (enough != points.begin() && (*(enough - 1))->rate.value >= best * kNearBest) --enough;
  answer.remarks.push_back(
      format("with {} speed goes from {} at n = {} to {} at n = {}", threads_of(large),
             show(small.rate.value), small.n, show(best), (*fastest)->n) +
      (enough == points.end()
           ? format(", and at n = {} it is down to {}", large.n, show(large.rate.value))
           : format("; from n = {} on it is within {} of the best", (*enough)->n,
                    show_percent(1 - kNearBest))));
  // Where others took the CPU, what is missing may be theirs.
  const bool told = small.bound_by != Cause::cannot_tell && small.share_of_ceiling.value < 1;
  if (enough == points.begin() || !told) return;
  const Seconds busy = small.time.value * small.share_of_ceiling.value;
  answer.remarks.push_back(format(
      "n = {} takes {}, of which its arithmetic needs {} at {}: the other {} go into the "
      "call itself, handing work to threads and packing operands, which too few dot "
      "products share",
      small.n, show(small.time.value), show(busy), small.ceiling, show(small.time.value - busy)));
}

void tell_scaling(MatmulAnswer& answer) {
  const auto& points = answer.points;
  for (std::size_t to = 0; to < points.size(); ++to) {
    if (points[to].threads == 1 || !right(points[to])) continue;
    for (std::size_t from = 0; from < points.size(); ++from) {
      if (points[from].n == points[to].n && points[from].threads == 1 && right(points[from])) {
        add(answer, from, to);
      }
    }
  }
  if (answer.speedups.empty()) return;
  // The largest and the smallest size, each with the most threads it was measured with.
  const auto sentence = [&](const Speedup& speedup) {
    const MatmulPoint& point = points[static_cast<std::size_t>(speedup.to)];
    const double perfect = point.threads;
    const char* verdict = speedup.ratio.high < 1   ? "slower than one alone"
                          : speedup.ratio.low <= 1 ? "no gain that can be told from none"
                          : speedup.ratio.value < perfect / 2
                              ? "most of what they could add is lost"
                              : "";
    return format("{} compute n = {} {} as fast as one, of {} at most{}{}", threads_of(point),
                  point.n, show_interval(speedup.ratio), show_ratio(perfect),
                  *verdict == 0 ? "" : ": ", verdict);
  };
  const Speedup& last = answer.speedups.back();
  const Speedup* first = nullptr;
  for (const Speedup& speedup : answer.speedups) {
    const MatmulPoint& point = points[static_cast<std::size_t>(speedup.to)];
    const bool widest = point.threads == points[static_cast<std::size_t>(last.to)].threads;
    if (widest && first == nullptr) first = &speedup;
  }
  answer.remarks.push_back(sentence(last));
  if (first != nullptr && first != &last) answer.remarks.push_back(sentence(*first));
}

void tell_operands(MatmulAnswer& answer) {
  const Speedup& speedup = add(answer, 0, 1);
  const Estimate<double>& ratio = speedup.ratio;
  const char* why =
      ratio.low > 1 ? "equal bits switch fewer transistors, which draws less power and lets the "
                      "clock run higher; random operands are what counts"
      : ratio.high < 1
          ? "slower, which power does not explain: something else disturbed one of them"
          : "no difference that can be told from none, so power does not hold this product back";
  answer.remarks.push_back(format("constant operands run at {} the speed of random ones: {}",
                                  show_interval(ratio), why));
}

void tell_libraries(MatmulAnswer& answer) {
  const auto& points = answer.points;
  for (std::size_t from = 1; from < points.size(); ++from) {
    if (!right(points[from]) || !right(points.front())) continue;
    const Speedup& speedup = add(answer, from, 0);
    answer.remarks.push_back(format("{} is {} as fast as {}", points.front().library,
                                    show_interval(speedup.ratio), points[from].library));
  }
}

}  // namespace

void compare_points(MatmulAnswer& answer) {
  const auto& points = answer.points;
  if (points.size() < 2) return;
  if (points[0].library != points[1].library) {
    tell_libraries(answer);
  } else if (points[0].constant != points[1].constant) {
    tell_operands(answer);
  } else {
    tell_growth(answer);
    tell_scaling(answer);
  }
}

}  // namespace roofbeam
