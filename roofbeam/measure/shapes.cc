// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "roofbeam/base/format.h"
#include "roofbeam/measure/windows.h"

namespace roofbeam {
namespace {

constexpr double kWindow = 0.3e-3;  // seconds
constexpr double kMebibyte = 1024.0 * 1024;
constexpr double kLeastArray = 512 * kMebibyte;  // for DRAM, unless it must be quick
constexpr double kUnknownCache = 32 * kMebibyte;
constexpr double kLine = 64;
constexpr double kShareOfMemory = 0.5;  // that the arrays of one probe may take
constexpr std::int64_t kFewest = 64;    // operations or elements a window may have
constexpr double kNear = kMebibyte;     // of a worker: beside its core
constexpr double kLongRow = 4096;       // bytes; half of that near the core
constexpr double kLeastRow = 64;
constexpr double kFewestRows = 16;
constexpr double kUnlearnt = 4 * kMebibyte;  // of signs that no predictor has by heart
constexpr int kRowGroup = 8;                 // rows that gemv takes at once
constexpr double kTried = 4 * kMebibyte;

// What a window may have of a kernel's amount at least.
std::int64_t fewest(const KernelSpec& spec) {
  return spec.amount == &Shape::n ? kFewest : 1;
}

// A power of two, up to so many bytes.
double row_bytes(double most) {
  double bytes = kLeastRow;
  while (2 * bytes <= most) bytes *= 2;
  return bytes;
}

Shape gemv_over(DataType dtype, double each, int workers, std::int64_t vectors) {
  const double count = static_cast<double>(vectors);
  const double longest = each > kNear ? kLongRow : kLongRow / 2;
  // All vectors in a quarter.
  const double row = row_bytes(std::min({longest, each / kFewestRows, each / 4 / count}));
  const double result = 4;
  const double rows = (each - count * row) / (row + count * result);
  Shape shape;
  shape.m = vectors;
  shape.n = std::max<std::int64_t>(1, std::llround(rows / kRowGroup)) * kRowGroup * workers;
  shape.k = std::llround(row / facts(dtype).bytes);
  return shape;
}

Shape grid_over(DataType dtype, double each, int workers) {
  const double longest = each > kNear ? kLongRow : kLongRow / 2;
  const double row = row_bytes(std::min(longest, each / 2 / kFewestRows));
  Shape shape;
  shape.m = std::max<std::int64_t>(1, std::llround(each / 2 / row)) * workers;
  shape.n = std::llround(row / facts(dtype).bytes);
  return shape;
}

const Cache* cache_of(const Topology& topology, std::string_view memory) {
  if (memory.size() != 2 || memory.front() != 'l') return nullptr;
  const Cache* found = nullptr;  // the smallest of a level: what fits there fits in the others
  for (const Cache& cache : topology.caches) {
    if (cache.level != memory.back() - '0') continue;
    if (found == nullptr || cache.size < found->size) found = &cache;
  }
  return found;
}

Bytes dram_each(const Box& box, int workers, Effort effort) {
  const double known = box.topology.last_level_caches().value();
  double bytes = 4 * (known > 0 ? known : kUnknownCache);
  if (effort != Effort::quick) bytes = std::max(bytes, kLeastArray);
  const double available = box.limits.memory_available.value();
  if (available > 0) bytes = std::min(bytes, available * kShareOfMemory);
  return Bytes(bytes / workers);
}

}  // namespace

std::optional<Bytes> footprint_each(const Box& box, std::string_view memory, int workers,
                                    Effort effort) {
  if (memory == "dram") return dram_each(box, workers, effort);
  const Cache* cache = cache_of(box.topology, memory);
  if (cache == nullptr || cache->size <= Bytes(0)) return std::nullopt;
  if (cache->cores_each <= 1) return cache->size / 2;
  return cache->size / 3 / std::min(workers, cache->cores_each);
}

Shape shape_over(const KernelSpec& spec, DataType dtype, Bytes each, int workers,
                 std::int64_t vectors) {
  if (spec.name == "gemv") return gemv_over(dtype, each.value(), workers, vectors);
  if (spec.amount == &Shape::repeats) return grid_over(dtype, each.value(), workers);
  const double least = spec.name == "branchy" ? kUnlearnt : 0;
  const double total = std::max(each.value(), least) * workers;
  Shape shape;
  if (spec.name == "chase" || spec.name == "chase_loaded") {
    shape.m = std::max<std::int64_t>(2, std::llround(each.value() / kLine));
    shape.n = shape.m;
    return shape;
  }
  const double arrays = spec.work({1, 1, 1}, dtype).footprint.value() / facts(dtype).bytes;
  shape.m = std::max<std::int64_t>(kFewest, std::llround(total / arrays / facts(dtype).bytes));
  shape.n = shape.m;
  return shape;
}

Shape dram_window(const Box& box, const KernelSpec& spec, DataType dtype, Shape shape) {
  const double known = box.topology.last_level_caches().value();
  const double least = 2 * (known > 0 ? known : kUnknownCache);
  shape.*spec.amount = 1;
  const double one = spec.work(shape, dtype).bytes().value();
  shape.*spec.amount = std::max<std::int64_t>(fewest(spec), std::llround(std::ceil(least / one)));
  return shape;
}

Result<Shape> probe_window(const Way& way, const Device& device, Problem problem,
                           const Placement& placement, const StopToken& stop) {
  // Small enough to try; the window's length follows by proportion.
  const auto amount = problem.spec->amount;
  if (amount == &Shape::n) {
    problem.shape.n = std::max(kFewest, std::min(problem.shape.n, std::int64_t{1} << 20));
  } else {
    problem.shape.*amount = 1;
    const double one = problem.work().bytes().value();
    problem.shape.*amount = std::max<std::int64_t>(1, std::llround(kTried / one));
  }
  auto kernel = way.backend->prepare(device, problem, way.variant, placement, stop);
  if (!kernel) return fail(kernel.error());
  double one = 0;
  for (int repeats : {1, 4, 16}) {  // the first ones wake the clock up
    auto spans = (*kernel)->run(repeats, stop);
    if (!spans) return fail(spans.error());
    one = sustained_time(*spans);
    if (stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  }
  if (!(one > 0)) {
    return failed("the probe took no time", way.variant.name,
                  "the clock is too coarse to measure with");
  }
  Shape shape = problem.shape;
  const double done = static_cast<double>((*kernel)->executed_shape().*amount);
  shape.*amount = std::max<std::int64_t>(fewest(*problem.spec), std::llround(done * kWindow / one));
  return shape;
}

Result<Shape> window_in(std::string_view memory, const Way& way, const Device& device,
                        const Problem& problem, const Placement& placement, Effort effort,
                        const StopToken& stop) {
  const auto each = footprint_each(device.box, memory, placement.threads(), effort);
  if (!each) return failed(format("this device has no {} that is known", memory));
  Problem sized = problem;
  sized.shape =
      shape_over(*problem.spec, problem.dtype, *each, placement.threads(), problem.shape.m);
  if (memory == "dram") return dram_window(device.box, *problem.spec, problem.dtype, sized.shape);
  return probe_window(way, device, sized, placement, stop);
}

}  // namespace roofbeam
