// SPDX-License-Identifier: Apache-2.0
// Public measurements to check against, where they are: ROOFBEAM_CONFORMANCE_DIR names their
// folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace roofbeam {

// A test that finds no folder skips, and says why.
#define ROOFBEAM_NEEDS_CONFORMANCE_DATA()                                                   \
  if (std::getenv("ROOFBEAM_CONFORMANCE_DIR") == nullptr) {                                 \
    GTEST_SKIP()                                                                            \
        << "ROOFBEAM_CONFORMANCE_DIR is not set: there is no public data to check against"; \
  }

using CsvRow = std::map<std::string, std::string>;

inline std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells = {""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

// The rows of a file of that folder by the names in its first line.
inline std::vector<CsvRow> csv_rows(const std::string& file) {
  std::ifstream stream(std::string(std::getenv("ROOFBEAM_CONFORMANCE_DIR")) + "/" + file);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = csv_cells(line);
  std::vector<CsvRow> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = csv_cells(line);
    CsvRow row;
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row[names[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace roofbeam
