// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/workload/import.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {
namespace {

// Counts that are read can be so large that their products are not finite.
bool is_finite(const Observed& row) {
  double sum = row.operation.flops.value() + row.operation.footprint.value();
  for (const Traffic& traffic : row.operation.traffic) sum += traffic.total().value();
  for (const Seconds time : row.times) sum += time.value();
  return std::isfinite(sum);
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  // What is most particular comes first: a table of ours is what is none of the others.
  static const std::vector<ImportFormat> rows = {
      {"workload", "JSON of roofbeam/region.h", looks_like_json, read_workload_json},
      {"likwid", "likwid-perfctr -O", looks_like_likwid, read_likwid},
      {"ncu", "ncu --csv, of any page with raw metrics", looks_like_ncu, read_ncu},
      {"perf", "perf stat -x,", looks_like_perf_stat, read_perf_stat},
      {"csv", "a table with the columns name, flop, bytes, time", looks_like_table,
       read_work_table},
  };
  return rows;
}

Result<Imported> import_work(std::string_view text, const std::string& where) {
  for (const ImportFormat& row : import_formats()) {
    if (!row.sniff(text)) continue;
    auto imported = row.read(text, where);
    if (!imported) return imported;
    imported->format = row.name;
    if (imported->rows.empty()) {
      return usage_error(format("there is no work in this file (read as {})", row.name), where,
                         imported->remarks.empty() ? "" : imported->remarks.front());
    }
    if (!std::all_of(imported->rows.begin(), imported->rows.end(), is_finite)) {
      return usage_error("amounts that nothing can have", where);
    }
    return imported;
  }
  std::vector<std::string> known;
  for (const ImportFormat& row : import_formats()) known.emplace_back(row.sentence);
  return usage_error("this is no file that work can be read from", where,
                     "there are: " + join(known, "; "));
}

}  // namespace roofbeam
