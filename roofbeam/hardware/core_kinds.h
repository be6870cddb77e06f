// SPDX-License-Identifier: Apache-2.0
// Cores that differ (P and E, big and little): what the system states about sets of CPUs, made
// into kinds. A statement is one <cpukind> of hwloc's XML.
//
// Where every statement has a type, the type names the kind: "performance" for IntelCore,
// "efficient" for IntelAtom, "low-power" for IntelLowPower and for an IntelAtom well below the
// fastest one. Otherwise statements are ranked by the first of efficiency, capacity and highest
// clock in which they differ: the top is "performance", the bottom "efficient", all between
// "middle". Less than a tenth is no difference: the favoured cores of one make boost a little
// higher. A kind has the highest clocks of its statements. Base clocks rank nothing: servers grant
// some cores of one make a higher one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/units.h"
#include "roofbeam/hardware/box.h"

namespace roofbeam {

struct KindStatement {
  std::vector<int> cpus;  // ascending
  std::string type;       // CoreType; empty where it is not stated
  std::optional<double> efficiency;
  std::optional<double> capacity;
  std::optional<Hertz> clock_base;
  std::optional<Hertz> clock_max;
};

// Fills the topology's kinds and the kind of its cores. Statements that leave out a core say
// nothing.
void set_kinds(Topology& topology, std::vector<KindStatement> statements);

// "0x00000003,,0x0000000f": words of 32 bits, the highest first, an empty one is 0. Ascending;
// absent where it is malformed, empty, infinite or beyond CPU 65535.
std::optional<std::vector<int>> parse_cpu_mask(std::string_view text);

}  // namespace roofbeam
