// SPDX-License-Identifier: Apache-2.0
// The readers, each in the file of its name, and what several of them need. For import.cc and tests
// of the readers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/workload/import.h"

namespace roofbeam {

bool looks_like_json(std::string_view text);  // workload_json.cc
Result<Imported> read_workload_json(std::string_view text, const std::string& where);
bool looks_like_table(std::string_view text);  // work_table.cc
Result<Imported> read_work_table(std::string_view text, const std::string& where);
bool looks_like_perf_stat(std::string_view text);  // perf_stat.cc
Result<Imported> read_perf_stat(std::string_view text, const std::string& where);
bool looks_like_likwid(std::string_view text);  // likwid.cc
Result<Imported> read_likwid(std::string_view text, const std::string& where);
bool looks_like_ncu(std::string_view text);  // ncu.cc
Result<Imported> read_ncu(std::string_view text, const std::string& where);

constexpr const char* kCounted = "dram";  // what bytes are counted against
constexpr double kLine = 64;              // bytes that a miss of the last cache brings
constexpr std::size_t kLongestImport = std::size_t{16} << 20;
constexpr std::size_t kMostRows = 100'000;

struct Line {
  std::int64_t number = 0;  // the first is 1
  std::string_view text;    // without its end
};
// Errors: longer than kLongestImport.
Result<std::vector<Line>> lines_of(std::string_view text, const std::string& where);
std::string place_of(const std::string& where, std::int64_t line);

// Flops by data type, as counters give them, into one operation: all of them, under the type that
// has most. A mix is remarked on.
void set_flops(Operation& operation, const std::map<std::string, double>& by_type,
               std::vector<std::string>& remarks);

void set_traffic(Operation& operation, double read, double written);

}  // namespace roofbeam
