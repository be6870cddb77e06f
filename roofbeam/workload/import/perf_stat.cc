// SPDX-License-Identifier: Apache-2.0
// `perf stat -x,` (or another separator): value, unit, event, [spread with -r,] run time, share of
// the time it was counted, metric, unit of that. Format: perf-stat(1), "CSV FORMAT".
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "roofbeam/base/format.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {
namespace {

struct Count {
  std::string event;  // without modifiers: cycles, not cycles:u
  std::string unit;
  double value = 0;
  std::string spread;       // "6.14%" with -r, else empty
  double counted = 1;       // share of the time it was counted
  double metric = 0;        // perf's own, behind it
  std::string metric_unit;  // "CPUs utilized"
};

struct Counts {
  std::vector<Count> known;
  std::vector<std::string> absent;  // "cycles is not supported"

  const Count* find(std::string_view event) const {
    for (const Count& count : known) {
      if (count.event == event) return &count;
    }
    return nullptr;
  }
  std::optional<double> value(std::string_view event) const {
    const Count* count = find(event);
    return count == nullptr ? std::nullopt : std::optional(count->value);
  }
};

struct FlopEvent {
  std::string_view event;
  std::string_view dtype;
  double flops;  // of one count
};
// Intel counts an instruction, twice where it multiplies and adds; a vector of so many elements is
// so many flops. AMD counts flops, without their type. Manuals: Intel's event lists
// (FP_ARITH_INST_RETIRED), AMD's Processor Programming References (PMCx003).
constexpr std::array kFlopEvents = {
    FlopEvent{"fp_arith_inst_retired.scalar_single", "f32", 1},
    FlopEvent{"fp_arith_inst_retired.128b_packed_single", "f32", 4},
    FlopEvent{"fp_arith_inst_retired.256b_packed_single", "f32", 8},
    FlopEvent{"fp_arith_inst_retired.512b_packed_single", "f32", 16},
    FlopEvent{"fp_arith_inst_retired.scalar_double", "f64", 1},
    FlopEvent{"fp_arith_inst_retired.128b_packed_double", "f64", 2},
    FlopEvent{"fp_arith_inst_retired.256b_packed_double", "f64", 4},
    FlopEvent{"fp_arith_inst_retired.512b_packed_double", "f64", 8},
    FlopEvent{"fp_arith_inst_retired.scalar", "", 1},
    FlopEvent{"fp_arith_inst_retired.4_flops", "", 4},
    FlopEvent{"fp_arith_inst_retired.8_flops", "", 8},
    FlopEvent{"fp_ret_sse_avx_ops.all", "", 1},
};

bool is_gap(std::string_view value) {
  return value == "<not counted>" || value == "<not supported>";
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

// "cycles:u" and "cpu_core/cycles/u" are cycles here; "uncore_imc_0/cas_count_read/" keeps its PMU.
std::string event_of(std::string_view field) {
  std::string event = lower(trim(field));
  if (event.find('/') == std::string::npos) return event.substr(0, event.find(':'));
  if (event.starts_with("cpu")) {
    const std::size_t begin = event.find('/') + 1;
    return event.substr(begin, event.find('/', begin) - begin);
  }
  return event;
}

// The separator of a line that is one of perf's, and no other's: its third field is an event's name
// and the two behind the spread are numbers. None where it is not.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::vector<std::string> fields = split(line, separator);
    if (fields.size() < 5 || fields[2].empty()) continue;
    const bool value = is_gap(fields[0]) || parse_real(fields[0]).has_value();
    const bool named = !parse_real(fields[2]) && fields[2].find('%') == std::string::npos;
    const std::size_t at = fields[3].ends_with('%') ? 4 : 3;
    if (value && named && at + 1 < fields.size() && parse_real(fields[at]) &&
        parse_real(fields[at + 1])) {
      return separator;
    }
  }
  return '\0';
}

bool is_nothing(std::string_view line) {
  const std::string text = trim(line);
  return text.empty() || text.front() == '#';
}

Result<Count> count_of(const std::vector<std::string>& fields, const std::string& place) {
  Count count;
  count.event = event_of(fields[2]);
  count.unit = fields[1];
  const std::size_t at = fields[3].ends_with('%') ? 4 : 3;
  if (at == 4) count.spread = fields[3];
  auto value = parse_real(fields[0]);
  if (!value) return usage_error(format("\"{}\" is no count", fields[0]), place);
  if (*value < 0) return usage_error("a count below 0", place);
  count.value = *value;
  if (at + 1 < fields.size()) count.counted = parse_real(fields[at + 1]).value_or(100) / 100;
  if (at + 3 < fields.size()) {
    count.metric = parse_real(fields[at + 2]).value_or(0);
    count.metric_unit = fields[at + 3];
  }
  return count;
}

Result<Counts> counts_in(const std::vector<Line>& lines, const std::string& where) {
  char separator = '\0';
  for (const Line& line : lines) {
    if (separator == '\0') separator = separator_of(line.text);
  }
  Counts counts;
  for (const Line& line : lines) {
    if (is_nothing(line.text)) continue;
    const std::vector<std::string> fields = split(line.text, separator);
    if (fields.size() >= 3 && fields[0].empty() && fields[2].empty()) continue;  // a metric alone
    const std::string place = place_of(where, line.number);
    if (fields.size() < 5 || (!is_gap(fields[0]) && separator_of(line.text) != separator)) {
      return usage_error("this is no line of `perf stat -x`", place,
                         "run it without -I, -A and --per-…: one line for each event");
    }
    if (is_gap(fields[0])) {
      counts.absent.push_back(
          format("{} is {}", event_of(fields[2]), fields[0].substr(1, fields[0].size() - 2)));
      continue;
    }
    auto count = count_of(fields, place);
    if (!count) return fail(count.error());
    counts.known.push_back(std::move(*count));
    if (counts.known.size() > kMostRows) return usage_error("too many events", place);
  }
  return counts;
}

bool is_cas(const Count& count, std::string_view way) {
  const auto has = [&](std::string_view text) {
    return count.event.find(text) != std::string::npos;
  };
  const bool read = has("cas_count_read") || has("cas_count.rd") || has("data_reads");
  const bool write = has("cas_count_write") || has("cas_count.wr") || has("data_writes");
  return way == "read" ? read : write;
}

// Bytes at the memory controllers; absent where they were not counted.
std::optional<double> controller_bytes(const Counts& counts, std::string_view way) {
  std::optional<double> sum;
  for (const Count& count : counts.known) {
    if (!is_cas(count, way)) continue;
    const double bytes = count.unit == "MiB"     ? count.value * 1048576
                         : count.unit == "Bytes" ? count.value
                                                 : count.value * kLine;
    sum = sum.value_or(0) + bytes;
  }
  return sum;
}

void read_bytes(const Counts& counts, Observed& observed, std::vector<std::string>& remarks) {
  const auto read = controller_bytes(counts, "read");
  const auto written = controller_bytes(counts, "write");
  if (read || written) {
    set_traffic(observed.operation, read.value_or(0), written.value_or(0));
    remarks.push_back(
        "bytes are those at the memory controllers, and of every process that ran meanwhile");
    if (!read || !written) {
      remarks.push_back(format("only what was {} was counted there", read ? "read" : "written"));
    }
    return;
  }
  for (const char* event : {"llc-load-misses", "cache-misses"}) {
    const auto misses = counts.value(event);
    if (!misses) continue;
    set_traffic(observed.operation, *misses * kLine, 0);
    remarks.push_back(
        format("bytes are {} times 64: an estimate, without what was fetched ahead "
               "and what was written back",
               event));
    return;
  }
  remarks.push_back(
      "no event says how many bytes moved: LLC-load-misses or uncore_imc/cas_count… "
      "would");
}

double seconds_of(const Count& count) {
  if (count.unit == "msec") return count.value * 1e-3;
  if (count.unit == "s" || count.unit == "sec") return count.value;
  return count.value * 1e-9;  // ns, and events without a unit that count them
}

void read_time(const Counts& counts, Observed& observed, std::vector<std::string>& remarks) {
  const Count* clock = counts.find("task-clock");
  if (clock == nullptr) clock = counts.find("cpu-clock");
  const Count* wall = counts.find("duration_time");
  double seconds = wall == nullptr ? 0 : seconds_of(*wall);
  const bool utilized = clock != nullptr && clock->metric_unit == "CPUs utilized";
  if (wall == nullptr && utilized && clock->metric > 0) {
    seconds = seconds_of(*clock) / clock->metric;
    remarks.push_back(
        "the time is CPU time ÷ \"CPUs utilized\", which perf rounds to three "
        "decimals: the event duration_time has it exactly");
  }
  if (seconds <= 0) {
    remarks.push_back("no event says how long it took: add -e duration_time");
    return;
  }
  observed.times = {Seconds(seconds)};
  const Count* told = wall != nullptr ? wall : clock;
  if (!told->spread.empty()) {
    remarks.push_back(
        format("the time is a mean of several runs, whose standard error perf puts "
               "at {}; the file does not say of how many",
               told->spread));
  }
  if (clock != nullptr) {
    const double running = seconds_of(*clock) / seconds;
    if (running < 1e6) observed.threads = std::max(1, static_cast<int>(std::lround(running)));
    remarks.push_back(format("{} threads were running on average", show_number(running)));
  }
}

}  // namespace

bool looks_like_perf_stat(std::string_view text) {
  auto lines = lines_of(text.substr(0, kLongestImport), "");
  for (const Line& line : *lines) {
    if (!is_nothing(line.text) && separator_of(line.text) != '\0') return true;
  }
  return false;
}

Result<Imported> read_perf_stat(std::string_view text, const std::string& where) {
  auto lines = lines_of(text, where);
  if (!lines) return fail(lines.error());
  auto counts = counts_in(*lines, where);
  if (!counts) return fail(counts.error());
  Imported imported;
  Observed observed;
  observed.operation.name = "command";
  std::map<std::string, double> by_type;
  for (const Count& count : counts->known) {
    for (const FlopEvent& row : kFlopEvents) {
      if (row.event == count.event) by_type[std::string(row.dtype)] += row.flops * count.value;
    }
    if (count.counted < 0.999) {
      imported.remarks.push_back(format("{} was counted {} of the time and scaled up", count.event,
                                        show_percent(count.counted)));
    }
  }
  set_flops(observed.operation, by_type, imported.remarks);
  if (by_type.empty()) imported.remarks.push_back("no event says how many flops were done");
  if (!by_type.empty() && observed.operation.dtype.empty()) {
    imported.remarks.push_back("the counted flops are of every type together");
  }
  read_bytes(*counts, observed, imported.remarks);
  read_time(*counts, observed, imported.remarks);
  for (const std::string& gap : counts->absent) imported.remarks.push_back(gap);
  const bool work = observed.operation.flops > Flops(0) || !observed.operation.traffic.empty();
  if (work) imported.rows.push_back(std::move(observed));
  return imported;
}

}  // namespace roofbeam
