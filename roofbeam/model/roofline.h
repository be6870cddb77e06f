// SPDX-License-Identifier: Apache-2.0
// The roofline (Williams, Waterman, Patterson 2009) as times: an operation takes at least as long
// as its arithmetic takes at the arithmetic ceiling and as its bytes take at each memory's ceiling,
// all at the same time. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/breakdown/breakdown.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

// The ceilings one operation stands under.
struct Roof {
  struct Memory {
    std::string memory;   // as Traffic names it
    std::string ceiling;  // canonical: bandwidth.dram.read.all
    Estimate<ByteRate> rate;

    bool operator==(const Memory&) const = default;
  };
  std::string arithmetic_ceiling;  // canonical: compute.f32.fma.all
  Estimate<FlopRate> arithmetic;
  std::vector<Memory> memories;

  bool operator==(const Roof&) const = default;
};

// max(arithmetic, bytes of each memory) of one execution. Traffic to a memory the roof does not
// name costs nothing here; the caller says so.
Breakdown roofline(const Operation& operation, const Roof& roof);

// flop ÷ byte to `memory`; absent where it moves none.
std::optional<Intensity> intensity(const Operation& operation, const std::string& memory);
// The intensity from which arithmetic binds and not that memory: the roof's ridge.
Intensity ridge(const Roof& roof, const Roof::Memory& memory);
// min(arithmetic, intensity · bandwidth): the roof's height over an intensity.
FlopRate height(const Roof& roof, const Roof::Memory& memory, Intensity at);

}  // namespace roofbeam
