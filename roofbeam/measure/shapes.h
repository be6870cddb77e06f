// SPDX-License-Identifier: Apache-2.0
// How large a problem must be to meet one ceiling: which sizes lie inside a memory, and how much
// makes a window. Pure but for probe_window, which tries.
#pragma once

#include <optional>

#include "roofbeam/backend/registry.h"
#include "roofbeam/measure/ceilings.h"

namespace roofbeam {

// What each of `workers` works on to stay in this memory of the device: half of a private cache, a
// third of a shared one divided by the workers that share it; of DRAM four times all last-level
// caches (half a GiB at least unless it must be quick), divided by the workers and capped by the
// memory that is available. Absent where the device has no such memory.
std::optional<Bytes> footprint_each(const Box& box, std::string_view memory, int workers,
                                    Effort effort);

// The shape of a stream or chase that works on `each` bytes a worker: Shape::m is set, and n to one
// pass.
Shape shape_over(const KernelSpec& spec, DataType dtype, Bytes each, int workers,
                 std::int64_t batch = 1);

// How much an execution that streams from DRAM passes over: twice all last-level caches, so that
// nothing of it still lies there from the one before. `shape` is that of shape_over.
Shape dram_window(const Box& box, const KernelSpec& spec, DataType dtype, Shape shape);

// `problem` with n such that one execution takes a window of 0.3 ms (short enough to fit between
// two turns of a neighbour), found by trying.
Result<Shape> probe_window(const Way& way, const Device& device, Problem problem,
                           const Placement& placement, const StopToken& stop);

}  // namespace roofbeam
