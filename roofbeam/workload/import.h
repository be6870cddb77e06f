// SPDX-License-Identifier: Apache-2.0
// Work that somebody counted and timed, from files: our CSV, a workload JSON, and what profilers
// print (perf stat -x, likwid-perfctr -O, ncu --csv). A reader is pure: text in, work out; a format
// is a file in import/ and a row of the table in import.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

struct Observed {
  // Of one execution. An empty dtype is one the file does not say; bytes are counted against
  // "dram", the memory behind all caches, whatever device it belongs to.
  Operation operation;
  std::vector<Seconds> times;             // of one execution each; empty where it was not timed
  std::optional<Estimate<Seconds>> time;  // instead of those: an estimate that was made elsewhere
  int threads = 0;                        // it ran on; 0 where that is not said

  bool operator==(const Observed&) const = default;
};

struct Imported {
  std::string format;  // the row's name
  std::vector<Observed> rows;
  // What is in the numbers, and what could not be read and why: a sentence each.
  std::vector<std::string> remarks;

  bool operator==(const Imported&) const = default;
};

struct ImportFormat {
  std::string_view name;
  std::string_view sentence;             // where such a file comes from
  bool (*sniff)(std::string_view text);  // whether a text looks like it
  Result<Imported> (*read)(std::string_view text, const std::string& where);
};
const std::vector<ImportFormat>& import_formats();

// Reads a text of any of these formats, told by its content. `where` names it in errors, which say
// the line, or the field of a JSON. A file without any work is an error.
Result<Imported> import_work(std::string_view text, const std::string& where);

}  // namespace roofbeam
