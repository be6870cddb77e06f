// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table: read or refused with a place; every row has a cell for each column.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "roofbeam/base/table_reader.h"
#include "roofbeam/hardware/known.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofbeam;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = read_table(text, "fuzz");
  if (!table) {
    if (table.error().where.empty()) std::abort();
    return 0;
  }
  for (const TableRows::Row& row : table->rows()) {
    if (row.cells.size() != table->columns().size() || row.line < 1) std::abort();
    for (const std::string& column : table->columns()) (void)table->number(row, column);
  }
  (void)read_known(text, "fuzz");
  return 0;
}
