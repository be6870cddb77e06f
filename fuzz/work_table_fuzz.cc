// SPDX-License-Identifier: Apache-2.0
#include "fuzz/import_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return roofbeam::check_format("csv", data, size);
}
