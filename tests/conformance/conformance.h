// SPDX-License-Identifier: Apache-2.0
// Public measurements to check against, where they are: ROOFBEAM_CONFORMANCE_DIR names their
// folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/base/file.h"
#include "roofbeam/base/table_reader.h"

namespace roofbeam {

// A test that finds no folder skips, and says why.
#define ROOFBEAM_NEEDS_CONFORMANCE_DATA()                                                   \
  if (std::getenv("ROOFBEAM_CONFORMANCE_DIR") == nullptr) {                                 \
    GTEST_SKIP()                                                                            \
        << "ROOFBEAM_CONFORMANCE_DIR is not set: there is no public data to check against"; \
  }

using CsvRow = std::map<std::string, std::string>;

// The rows of a file of that folder by the names in its first line; none where it cannot be read.
inline std::vector<CsvRow> csv_rows(const std::string& file) {
  const std::string path = std::string(std::getenv("ROOFBEAM_CONFORMANCE_DIR")) + "/" + file;
  std::vector<CsvRow> rows;
  const auto text = read_file(path);
  const Result<TableRows> table = text ? read_table(*text, path) : fail(text.error());
  if (!table) {
    ADD_FAILURE() << table.error().where << ": " << table.error().what;
    return rows;
  }
  for (const TableRows::Row& cells : table->rows()) {
    CsvRow row;
    for (const std::string& column : table->columns()) row[column] = table->text(cells, column);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace roofbeam
