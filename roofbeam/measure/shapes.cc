// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

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

Shape shape_over(const KernelSpec& spec, DataType dtype, Bytes each, int workers, std::int64_t) {
  const double total = each.value() * workers;
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
  const double one = spec.work({shape.m, 1, 1}, dtype).bytes().value();
  shape.n = std::max<std::int64_t>(kFewest, std::llround(std::ceil(least / one)));
  return shape;
}

Result<Shape> probe_window(const Way& way, const Device& device, Problem problem,
                           const Placement& placement, const StopToken& stop) {
  // Small enough to try; the window's length follows by proportion.
  problem.shape.n = std::max(kFewest, std::min(problem.shape.n, std::int64_t{1} << 20));
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
  const double operations = static_cast<double>((*kernel)->executed_shape().n) * kWindow / one;
  shape.n = std::max<std::int64_t>(kFewest, std::llround(operations));
  return shape;
}

}  // namespace roofbeam
