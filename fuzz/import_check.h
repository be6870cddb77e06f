// SPDX-License-Identifier: Apache-2.0
// Any bytes as one of the formats that work is read from: read or refused with a place, amounts not
// below 0 and times above it; told by content, also finite. A fuzz target each names its format.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "roofbeam/workload/import.h"

namespace roofbeam {

inline void check_work(const Result<Imported>& imported, bool finite) {
  if (!imported) {
    if (imported.error().where.empty() || imported.error().what.empty()) std::abort();
    return;
  }
  const auto amount = [&](double value) {
    if (!(value >= 0) || (finite && !std::isfinite(value))) std::abort();
  };
  for (const Observed& row : imported->rows) {
    amount(row.operation.flops.value());
    amount(row.operation.footprint.value());
    for (const Traffic& traffic : row.operation.traffic) {
      amount(traffic.read.value());
      amount(traffic.written.value());
    }
    for (const Seconds time : row.times) {
      if (!(time > Seconds(0))) std::abort();
      amount(time.value());
    }
    if (row.threads < 0) std::abort();
  }
}

inline int check_format(std::string_view name, const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) check_work(format.read(text, "fuzz"), false);
  }
  check_work(import_work(text, "fuzz"), true);
  return 0;
}

}  // namespace roofbeam
