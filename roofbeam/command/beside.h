// SPDX-License-Identifier: Apache-2.0
// Devices as rows of one table: this machine's as measured, known ones as their sheets state. Pure.
#pragma once

#include <optional>
#include <vector>

#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/hardware/known.h"

namespace roofbeam {

MachineAnswer::Beside beside_of(const DeviceProfile& device, const Headline& headline,
                                const std::optional<Bytes>& memory);
MachineAnswer::Beside beside_of(const KnownDevice& sheet);

// Known devices that show how far apart devices lie: of CPUs, of chips that share their memory with
// a GPU, of cards for a desk and of all GPUs the one whose memory is fastest.
std::vector<const KnownDevice*> known_for_comparison();

}  // namespace roofbeam
