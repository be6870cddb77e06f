// SPDX-License-Identifier: Apache-2.0
// Amounts as people type them: 2.1T, 3.4GB, 64KiB, 12ms. Prefixes exist only here; what comes out
// is in base SI.
#pragma once

#include <string_view>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

// None of them takes a negative number, and errors say which units there are.
Result<double> parse_count(std::string_view text);     // 12, 3.5k, 2G
Result<Flops> parse_flops(std::string_view text);      // 2.1T, 2.1TFLOP
Result<Bytes> parse_bytes(std::string_view text);      // 3.4GB, 3.4G, 64KiB
Result<Seconds> parse_seconds(std::string_view text);  // 12ms, 3us, 2min; without a unit seconds

}  // namespace roofbeam
