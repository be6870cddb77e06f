// SPDX-License-Identifier: Apache-2.0
// The clock of a core, measured: neither the nominal clock nor a time-stamp counter's says it.
#pragma once

#include <optional>

namespace roofbeam {

// Of the core the caller runs on, now, within about half a percent; takes about 0.2 ms.
//
// Two chains in which every step waits for the one before: additions of a register, which take one
// cycle and which no CPU folds away (as some do with constants), and 64-bit multiplications, which
// take a whole number of cycles on every core. The clock is a step of the first, and the second
// tells whether to believe it: absent where the two are not as 1 to 2 … 6, within 2 %, be it for
// interrupts, for an emulator or for a core of another kind. Also absent on architectures whose
// instructions are not written down here.
std::optional<double> core_clock_hz();

}  // namespace roofbeam
