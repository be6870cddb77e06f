// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/table_reader.h"

#include <csv.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::size_t kLongest = std::size_t{16} << 20;
constexpr std::size_t kMostColumns = 1000;

// libcsv calls back for every cell and every end of a row.
struct Parsing {
  csv_parser parser{};
  std::int64_t line = 1;      // that is being fed
  std::int64_t begun_at = 0;  // the line where this row began; 0 between rows
  std::vector<std::string> cells;
  std::vector<TableRows::Row> rows;

  Parsing() { csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL); }
  ~Parsing() { csv_free(&parser); }
  Parsing(const Parsing&) = delete;
  Parsing& operator=(const Parsing&) = delete;
};

void on_cell(void* bytes, std::size_t length, void* state) {
  auto& parsing = *static_cast<Parsing*>(state);
  parsing.cells.emplace_back(static_cast<const char*>(bytes), length);
}

void on_row(int, void* state) {
  auto& parsing = *static_cast<Parsing*>(state);
  const std::int64_t line = parsing.begun_at == 0 ? parsing.line : parsing.begun_at;
  parsing.rows.push_back({line, std::move(parsing.cells)});
  parsing.cells.clear();
  parsing.begun_at = 0;
}

Error bad_row(const std::string& where, std::int64_t line, std::string what) {
  return {ErrorCode::usage, std::move(what), format("{}:{}", where, line),
          "cells stand between commas; one that holds a comma or a quote stands in quotes"};
}

std::string many(std::size_t count, const std::string& what) {
  return counted(static_cast<std::int64_t>(count), what, what + "s");
}

Status feed(Parsing& parsing, std::string_view text, const std::string& where) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line =
        text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    text.remove_prefix(line.size());
    const bool between = parsing.begun_at == 0;
    if (between) parsing.begun_at = parsing.line;
    const bool comment = between && line.front() == '#';
    if (!comment && csv_parse(&parsing.parser, line.data(), line.size(), on_cell, on_row,
                              &parsing) != line.size()) {
      return fail(bad_row(where, parsing.line, "this is no row of a table"));
    }
    if (comment || line == "\n" || line == "\r\n") {
      if (between) parsing.begun_at = 0;
    }
    if (parsing.cells.size() > kMostColumns) {
      return fail(bad_row(where, parsing.line, format("more than {} cells", kMostColumns)));
    }
    ++parsing.line;
  }
  if (csv_fini(&parsing.parser, on_cell, on_row, &parsing) != 0) {
    return fail(bad_row(where, std::max<std::int64_t>(parsing.begun_at, 1),
                        "a quote begins here that never ends"));
  }
  return {};
}

}  // namespace

std::optional<std::size_t> TableRows::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string_view TableRows::text(const Row& row, std::string_view column) const {
  const auto index = find(column);
  return index ? std::string_view(row.cells[*index]) : std::string_view();
}

Result<std::optional<double>> TableRows::number(const Row& row, std::string_view column) const {
  const std::string_view cell = text(row, column);
  if (cell.empty()) return std::optional<double>();
  auto value = parse_real(cell);
  if (!value) {
    return usage_error(format("\"{}\" is no number", cell), place(row, column),
                       "write it as 12.5 or 1.25e1, without a unit");
  }
  return std::optional<double>(*value);
}

std::string TableRows::place(const Row& row, std::string_view column) const {
  return format("{}:{}: {}", where_, row.line, column);
}

Result<TableRows> read_table(std::string_view text, const std::string& where) {
  if (text.size() > kLongest) {
    return usage_error(format("longer than the {} a table may have",
                              show_binary(Bytes(static_cast<double>(kLongest)))),
                       where);
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  Parsing parsing;
  if (auto done = feed(parsing, text, where); !done) return fail(done.error());
  if (parsing.rows.empty()) return usage_error("no line of column names", where);
  std::vector<std::string> columns = std::move(parsing.rows.front().cells);
  parsing.rows.erase(parsing.rows.begin());
  for (const std::string& column : columns) {
    if (std::count(columns.begin(), columns.end(), column) > 1) {
      return usage_error(format("two columns are called \"{}\"", column), where);
    }
  }
  for (const TableRows::Row& row : parsing.rows) {
    if (row.cells.size() == columns.size()) continue;
    return fail(bad_row(
        where, row.line,
        format("{} under {}", many(row.cells.size(), "cell"), many(columns.size(), "column"))));
  }
  return TableRows(where, std::move(columns), std::move(parsing.rows));
}

}  // namespace roofbeam
