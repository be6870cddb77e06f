// SPDX-License-Identifier: Apache-2.0
// A table of ours: columns by name, amounts with prefixes and units. docs/methods/place.md has the
// columns.
#include <algorithm>
#include <cmath>

#include "roofbeam/base/amounts.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/table_reader.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {
namespace {

const std::vector<std::string>& known_columns() {
  static const std::vector<std::string> columns = {
      "name",      "flop",  "bytes",      "read_bytes", "written_bytes", "time",
      "footprint", "dtype", "arithmetic", "launches",   "threads"};
  return columns;
}

constexpr double kMostWhole = 1e6;  // threads, launches

// Reads a row's cells; the first thing wrong is kept with its place.
class Cells {
 public:
  Cells(const TableRows& table, const TableRows::Row& row) : table_(table), row_(row) {}

  std::string text(std::string_view column) { return trim(table_.text(row_, column)); }
  template <class T>
  T amount(std::string_view column, Result<T> (*read)(std::string_view)) {
    const std::string cell = text(column);
    if (cell.empty()) return T{};
    auto value = read(cell);
    if (value) return *value;
    keep(column, value.error());
    return T{};
  }
  std::int64_t whole(std::string_view column) {
    const double value = amount<double>(column, parse_count);
    if (value == std::floor(value) && value <= kMostWhole) return static_cast<std::int64_t>(value);
    keep(column, {ErrorCode::usage,
                  format("\"{}\" is no whole number up to a million", text(column)), "", ""});
    return 0;
  }
  std::vector<Seconds> times(std::string_view column) {
    std::vector<Seconds> list;
    std::string cell = text(column);
    std::replace(cell.begin(), cell.end(), ';', ',');
    if (cell.empty()) return list;
    for (const std::string& part : split(cell, ',')) {
      auto time = parse_seconds(part);
      if (time && *time <= Seconds(0)) {
        keep(column, {ErrorCode::usage, "work takes longer than no time", "", ""});
      }
      if (!time) keep(column, time.error());
      if (time) list.push_back(*time);
    }
    return list;
  }
  Status status() const {
    if (failed_) return fail(error_);
    return {};
  }

 private:
  void keep(std::string_view column, Error error) {
    if (failed_) return;
    error.where = table_.place(row_, column);
    error_ = std::move(error);
    failed_ = true;
  }

  const TableRows& table_;
  const TableRows::Row& row_;
  Error error_;
  bool failed_ = false;
};

Result<Observed> row_of(const TableRows& table, const TableRows::Row& row) {
  Cells cells(table, row);
  Observed observed;
  Operation& operation = observed.operation;
  operation.name = cells.text("name");
  if (operation.name.empty()) operation.name = format("line {}", row.line);
  operation.dtype = cells.text("dtype");
  operation.arithmetic = cells.text("arithmetic");
  operation.flops = cells.amount<Flops>("flop", parse_flops);
  const Bytes read =
      cells.amount<Bytes>("bytes", parse_bytes) + cells.amount<Bytes>("read_bytes", parse_bytes);
  const Bytes written = cells.amount<Bytes>("written_bytes", parse_bytes);
  set_traffic(operation, read.value(), written.value());
  operation.footprint = cells.amount<Bytes>("footprint", parse_bytes);
  operation.launches = cells.whole("launches");
  observed.threads = static_cast<int>(cells.whole("threads"));
  observed.times = cells.times("time");
  if (auto fine = cells.status(); !fine) return fail(fine.error());
  if (operation.flops == Flops(0) && operation.traffic.empty()) {
    return usage_error(format("{} has neither flops nor bytes", operation.name),
                       table.place(row, "flop"), "count what it computes or what it moves");
  }
  return observed;
}

}  // namespace

bool looks_like_table(std::string_view text) {
  return text.find(',') != std::string_view::npos;
}

Result<Imported> read_work_table(std::string_view text, const std::string& where) {
  auto table = read_table(text, where);
  if (!table) return fail(table.error());
  Imported imported;
  const auto& known = known_columns();
  for (const std::string& column : table->columns()) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    imported.remarks.push_back(
        format("the column \"{}\" is left out: {}", column, suggest(column, known)));
  }
  const bool work = table->has("flop") || table->has("bytes") || table->has("read_bytes") ||
                    table->has("written_bytes");
  if (!work) {
    return usage_error("no column says what work was done", where + ":1",
                       "name columns flop, bytes, read_bytes or written_bytes; others are: name, "
                       "time, footprint, dtype, arithmetic, launches, threads");
  }
  if (table->has("bytes") && (table->has("read_bytes") || table->has("written_bytes"))) {
    return usage_error("bytes are counted twice: as bytes, and as read_bytes or written_bytes",
                       where + ":1", "keep one of the two ways");
  }
  if (table->rows().size() > kMostRows) {
    return usage_error(format("more than {} rows", kMostRows), where);
  }
  for (const TableRows::Row& row : table->rows()) {
    auto observed = row_of(*table, row);
    if (!observed) return fail(observed.error());
    imported.rows.push_back(std::move(*observed));
  }
  return imported;
}

}  // namespace roofbeam
