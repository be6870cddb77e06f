// SPDX-License-Identifier: Apache-2.0
// How large a problem must be to meet one ceiling: which sizes lie inside a memory, and how much
// makes a window. Pure but for probe_window, which tries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "roofbeam/backend/registry.h"
#include "roofbeam/measure/ceilings.h"

namespace roofbeam {

// What each of `workers` works on to stay in this memory of the device: half of a private cache, a
// third of a shared one divided by the workers that share it; of DRAM four times all last-level
// caches (half a GiB at least unless it must be quick), divided by the workers and capped by the
// memory that is available. Absent where the device has no such memory.
std::optional<Bytes> footprint_each(const Box& box, std::string_view memory, int workers,
                                    Effort effort);

// The shape of a kernel that works on about `each` bytes a worker, and passes over them once.
// `vectors`: Shape::m of gemv. A row of gemv and of grids takes 4 KiB, less near the core and where
// there would be few rows. branchy takes 4 MiB or more, for a predictor learns less by heart.
Shape shape_over(const KernelSpec& spec, DataType dtype, Bytes each, int workers,
                 std::int64_t vectors = 1);

// How much an execution that streams from DRAM passes over: twice all last-level caches, so that
// nothing of it still lies there from the one before; or once all there is, where it cannot be
// less. `shape` is that of shape_over.
Shape dram_window(const Box& box, const KernelSpec& spec, DataType dtype, Shape shape);

// `problem` with so much of its amount (KernelSpec) that one execution takes a window of 0.3 ms
// (short enough to fit between two turns of a neighbour), found by trying.
Result<Shape> probe_window(const Way& way, const Device& device, Problem problem,
                           const Placement& placement, const StopToken& stop);

// All of the above: the shape of `problem` that works in `memory` (of gemv with m vectors, as
// problem.shape says) and takes a window. Errors besides: the device has no such memory.
Result<Shape> window_in(std::string_view memory, const Way& way, const Device& device,
                        const Problem& problem, const Placement& placement, Effort effort,
                        const StopToken& stop);

}  // namespace roofbeam
