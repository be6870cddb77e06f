// SPDX-License-Identifier: Apache-2.0
// Comma-separated tables: a line of column names, then rows. Quotes as in RFC 4180, ends of lines
// of any system, a byte-order mark, comment lines (# …) and empty lines are taken. The parser
// behind it (table_reader.cc) is libcsv; it takes up to 16 MiB and 1000 columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/base/result.h"

namespace roofbeam {

class TableRows {
 public:
  struct Row {
    std::int64_t line = 0;           // of the text, the first is 1
    std::vector<std::string> cells;  // as many as columns

    bool operator==(const Row&) const = default;
  };

  TableRows(std::string where, std::vector<std::string> columns, std::vector<Row> rows)
      : where_(std::move(where)), columns_(std::move(columns)), rows_(std::move(rows)) {}

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  bool has(std::string_view column) const { return find(column).has_value(); }

  // A cell's text; empty where the column is not there.
  std::string_view text(const Row& row, std::string_view column) const;
  // A cell's number; absent where it is empty or the column is not there. Errors name file, line
  // and column.
  Result<std::optional<double>> number(const Row& row, std::string_view column) const;
  // "file:12: column"
  std::string place(const Row& row, std::string_view column) const;

 private:
  std::optional<std::size_t> find(std::string_view column) const;

  std::string where_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

// Errors: no line of names, a name twice, a row with more or fewer cells than names (its line is
// named), a quote that never ends.
Result<TableRows> read_table(std::string_view text, const std::string& where);

}  // namespace roofbeam
