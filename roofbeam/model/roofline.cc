// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/model/roofline.h"

#include <algorithm>

namespace roofbeam {

Breakdown roofline(const Operation& operation, const Roof& roof) {
  // No arithmetic takes no time, whether or not a rate is known.
  const Estimate<Seconds> arithmetic =
      operation.flops > Flops(0) ? divide(operation.flops, roof.arithmetic) : exactly(Seconds(0));
  std::vector<Breakdown> parts = {
      charge("arithmetic", Cause::compute, roof.arithmetic_ceiling, arithmetic)};
  for (const Roof::Memory& memory : roof.memories) {
    parts.push_back(charge(memory.memory + " traffic", Cause::bandwidth, memory.ceiling,
                           divide(operation.bytes(memory.memory), memory.rate)));
  }
  return max_of(operation.name, std::move(parts));
}

std::optional<Intensity> intensity(const Operation& operation, const std::string& memory) {
  const Bytes bytes = operation.bytes(memory);
  if (bytes <= Bytes(0)) return std::nullopt;
  return operation.flops / bytes;
}

Intensity ridge(const Roof& roof, const Roof::Memory& memory) {
  return roof.arithmetic.value / memory.rate.value;
}

FlopRate height(const Roof& roof, const Roof::Memory& memory, Intensity at) {
  return std::min(roof.arithmetic.value, at * memory.rate.value);
}

}  // namespace roofbeam
